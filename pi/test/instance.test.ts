// What an import may throw: a failure, and nothing else. Anything else unwinds the component without letting it put down what
// it held, which ends the instance as a trap does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { instance } from "./conformance/component.ts";
import { Calls, HARNESS, recorded, type Imports } from "./conformance/recorder.ts";
import { on } from "./scratch.ts";

const harness = { ...HARNESS, tools: ["read", "bash"] };

type Unlocks = ReturnType<typeof instance>["unlocks"];

/** An instance one of whose imports misbehaves, and one on the same folder that is all right. */
function pair(agent: string, spoil: (imports: Imports) => void): [Unlocks, () => Unlocks] {
  const imports = recorded(agent, harness, new Calls());
  spoil(imports);
  return [instance(imports).unlocks, () => instance(recorded(agent, harness, new Calls())).unlocks];
}

function codes(ask: () => unknown): string[] {
  try {
    ask();
  } catch (error) {
    const { payload } = error as { payload?: { diagnostics: { code: string }[] } };
    return payload ? payload.diagnostics.map(({ code }) => code) : [(error as Error).message];
  }
  return [];
}

test("a failure of an import leaves the instance usable", on(({ agent }) => {
  const calls = new Calls();
  const { unlocks } = instance(recorded(agent, harness, calls));
  calls.faults.push(["event-log.stat", "denied"], ["files.write config.yml", "no-space"]);
  assert.deepEqual(codes(() => unlocks.applyUnlocks("session-start")), ["garnish::host::event-log.stat"]);
  const { diagnostics } = unlocks.applyUnlocks("session-start");
  assert.ok(diagnostics.some(({ code }) => code === "garnish::host::files.write"));
  assert.ok(unlocks.heldCapabilities().includes("tool:bash"));
}));

const boom = (): never => {
  throw new Error("boom");
};

for (const [what, spoil] of [
  ["files.write throws", (imports) => (imports["garnish:gating/files@0.1.0"].write = boom)],
  ["files.write answers nothing", (imports) => (imports["garnish:gating/files@0.1.0"].write = () => undefined as never)],
  ["session.get-role throws", (imports) => (imports["garnish:gating/session@0.1.0"].getRole = boom)],
  ["session.notify throws", (imports) => (imports["garnish:gating/session@0.1.0"].notify = boom)],
  ["clock.now throws", (imports) => (imports["garnish:gating/clock@0.1.0"].now = boom)],
] as [string, (imports: Imports) => void][]) {
  test(`when ${what}, the instance is over, and a new one goes on`, on(({ agent }) => {
    const [unlocks, anew] = pair(agent, spoil);
    const first = codes(() => {
      unlocks.applyUnlocks("session-start");
      unlocks.unlock({ tag: "all" });
    });
    assert.equal(first.length, 1);
    assert.ok(!first[0]!.startsWith("garnish::"), `${first}`);
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(codes(() => unlocks.heldCapabilities()), ["garnish::instance::busy"]);
      assert.deepEqual(codes(() => unlocks.applyUnlocks("turn-end")), ["garnish::instance::busy"]);
    }
    const next = anew();
    next.unlock({ tag: "all" });
    assert.deepEqual(next.heldCapabilities(), []);
  }));
}
