// An instance that trapped is replaced by one that knows the session's stock and goes on from the log; what the component
// answers is a value, an error too.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Gate, Trouble } from "../src/gate.ts";
import { doubles, Gated, LOG, provisioned, TOOLS, type Export } from "./fakes/gated.ts";
import { on, type Scratch } from "./scratch.ts";

const STOCK = TOOLS.map((name) => ({ name }));

const ASKED: [Export, (gate: Gate) => unknown][] = [
  ["applyUnlocks", (gate) => gate.applyUnlocks("turn-end")],
  ["settle", (gate) => gate.settle([])],
  ["unlock", (gate) => gate.unlock({ tag: "all" })],
  ["heldCapabilities", (gate) => gate.heldCapabilities()],
  ["overrides", (gate) => gate.overrides("running")],
  ["checkToolCall", (gate) => gate.checkToolCall({ tool: { name: "bash" }, input: new Uint8Array(), cwd: "/" })],
  ["status", (gate) => gate.status()],
  ["holdTools", (gate) => gate.holdTools([{ name: "read" }])],
];

function trouble(ask: () => unknown): string {
  let said: unknown;
  try {
    said = ask();
  } catch (error) {
    assert.ok(error instanceof Trouble, `${error}`);
    return error.message;
  }
  assert.fail(`this must be a Trouble, and answered ${JSON.stringify(said)}`);
}

function logged(scratch: Scratch): string[] {
  // The time of an event does not make it another one.
  return scratch.text(LOG).trim().split("\n").map((line) => line.replace(/"at":"[^"]*",?/, ""));
}

for (const [name, ask] of ASKED) {
  test(`after a trap in ${name}, a new instance is told the stock first and answers`, on((scratch) => {
    provisioned((path, text) => scratch.put(path, text));
    const { gate, made } = new Gated(scratch.agent);
    gate.holdTools(STOCK);
    made[0]!.traps.add(name);
    assert.doesNotThrow(() => ask(gate));
    ask(gate);
    assert.deepEqual(made.slice(1).map(({ asked }) => asked), [["holdTools", name, name]]);
  }));
}

test("an instance that never trapped is the only one", on((scratch) => {
  const { gate, made } = new Gated(scratch.agent);
  for (const [, ask] of ASKED) ask(gate);
  assert.equal(made.length, 1);
}));

test("the stock that a new instance is told is the session's first, whatever was offered later", on((scratch) => {
  const { gate, made } = new Gated(scratch.agent);
  gate.holdTools([{ name: "read" }]);
  gate.holdTools(STOCK);
  made[0]!.traps.add("unlock");
  gate.unlock({ tag: "all" });
  // With the later list as its stock the new instance would add what the session was started without.
  assert.deepEqual(gate.holdTools([{ name: "read" }]), ["read"]);
  assert.deepEqual(made[1]!.asked, ["holdTools", "unlock", "holdTools"]);
}));

test("two traps in a row are a Trouble, and the next call tries again, the stock first", on((scratch) => {
  const { gate, made } = new Gated(scratch.agent, ({ traps }, number) => number < 2 && traps.add("status"));
  gate.holdTools(STOCK);
  assert.match(trouble(() => gate.status()), /^garnish\.wasm gives no answer: unreachable/);
  assert.equal(made.length, 2);
  assert.ok(gate.status().length > 0);
  assert.deepEqual(made[2]!.asked, ["holdTools", "status"]);
}));

// --- imports that throw

const SOMETHING = /^garnish:gating\/(files|event-log|session|clock)@/;

/** Runs a whole session whose first instance loses its import number `fatal`; answers whether it came so far. */
function session(scratch: Scratch, fatal: number): { gated: Gated; reached: boolean } {
  let count = 0;
  const gated = new Gated(scratch.agent, ({ imports }, number) => {
    if (number > 0) return;
    for (const [name, functions] of Object.entries(imports)) {
      if (!SOMETHING.test(name)) continue;
      const all = functions as Record<string, (...given: unknown[]) => unknown>;
      for (const [of, call] of Object.entries(all)) {
        all[of] = (...given) => {
          if (++count === fatal) throw new Error("an import that nobody foresaw");
          return call(...given);
        };
      }
    }
  });
  const { gate } = gated;
  gate.holdTools(STOCK);
  gate.applyUnlocks("session-start");
  gate.unlock({ tag: "all" });
  gate.applyUnlocks("turn-end");
  return { gated, reached: count >= fatal };
}

test("an import that throws anywhere costs the instance, and no event and no notice comes twice", on(async (whole) => {
  provisioned((path, text) => whole.put(path, text));
  const { gated: usual } = session(whole, 0);
  const events = logged(whole).sort();
  let fatal = 0;
  for (let reached = true; reached; ) {
    fatal += 1;
    await on((scratch) => {
      provisioned((path, text) => scratch.put(path, text));
      const run = session(scratch, fatal);
      const { gate, made, told } = run.gated;
      reached = run.reached;
      assert.equal(made.length, reached ? 2 : 1, `import ${fatal}`);
      assert.deepEqual(logged(scratch).sort(), events, `import ${fatal}: the log`);
      assert.deepEqual(doubles(told), doubles(usual.told), `import ${fatal}: what is told`);
      assert.deepEqual(gate.heldCapabilities(), [], `import ${fatal}: what is held`);
      assert.deepEqual(gate.holdTools(STOCK), TOOLS, `import ${fatal}: what is shown`);
      assert.equal(scratch.text("config.yml"), whole.text("config.yml"), `import ${fatal}: config.yml`);
    })();
  }
  assert.ok(fatal > 30, `only ${fatal} imports were called`);
}));

// --- answers that are errors

test("an error of the component names its places, line by line, and costs no instance", on((scratch) => {
  scratch.put("garnish/setup.json", `{"catalog": "team.yml"}`);
  scratch.put("garnish/team.yml", "version: 1\nfeatures:\n  A:\n    surfaces:\n      - {kind: tool, name: bash}\n  tool:x:\n    surfaces:\n      - {kind: nonsense}\n");
  scratch.put("team.yml", scratch.text("garnish/team.yml"));
  const { gate, made } = new Gated(scratch.agent);
  for (let time = 0; time < 2; time++) {
    for (const [, ask] of ASKED.filter(([name]) => name !== "settle")) {
      const lines = trouble(() => ask(gate)).split("\n");
      assert.ok(lines.length >= 2, lines.join("\n"));
      for (const line of lines) assert.match(line, /^(garnish\/)?team\.yml:\d+:\d+: ./);
    }
  }
  assert.equal(made.length, 1);
}));

test("a fault without a place is told without one", on((scratch) => {
  provisioned((path, text) => scratch.put(path, text));
  const { gate, calls, made } = new Gated(scratch.agent);
  calls.faults.push(["event-log.stat", "denied"]);
  assert.match(trouble(() => gate.status()), /denied/);
  assert.doesNotMatch(trouble(() => (calls.faults.push(["event-log.stat", "denied"]), gate.status())), /undefined/);
  assert.ok(gate.status().length > 0);
  assert.equal(made.length, 1);
}));

test("once the learner has mended what it answered with an error, the same instance answers", on((scratch) => {
  scratch.put("garnish/setup.json", `{"catalog": "v1", "profil": "omp-16"}`);
  const { gate, made } = new Gated(scratch.agent);
  assert.match(trouble(() => gate.holdTools(STOCK)), /^garnish\/setup\.json(:\d+:\d+)?: profil cannot be read/);
  scratch.put("garnish/setup.json", "{}");
  assert.ok(gate.heldCapabilities().includes("tool:bash"));
  assert.equal(made.length, 1);
}));

test("an error that a new instance answers with is that error", on((scratch) => {
  provisioned((path, text) => scratch.put(path, text));
  const { gate, made } = new Gated(scratch.agent);
  gate.holdTools(STOCK);
  scratch.put("garnish/setup.json", `{"profil": "omp-16"}`);
  made[0]!.traps.add("status");
  assert.match(trouble(() => gate.status()), /^garnish\/setup\.json.*profil/);
  scratch.put("garnish/setup.json", "{}");
  assert.ok(gate.status().length > 0);
  assert.equal(made.at(-1)!.asked[0], "holdTools", "whichever instance answers must know the stock first");
}));

// --- a component that will not load

test("a component that will not load is a Trouble each time, and heals when it is back, the stock first", on((scratch) => {
  let isThere = false;
  let tries = 0;
  const { gate, made } = new Gated(scratch.agent, () => {
    tries += 1;
    if (!isThere) throw new Error("/x/garnish.core.wasm cannot be loaded: it is not there");
  });
  assert.match(trouble(() => gate.holdTools(STOCK)), /garnish\.core\.wasm cannot be loaded/);
  assert.match(trouble(() => gate.status()), /garnish\.core\.wasm cannot be loaded/);
  assert.match(trouble(() => gate.unlock({ tag: "all" })), /garnish\.core\.wasm cannot be loaded/);
  assert.equal(tries, 3);
  isThere = true;
  assert.equal(gate.unlock({ tag: "all" }).exitCode, 0);
  assert.equal(made.length, 1);
  assert.deepEqual(made[0]!.asked, ["holdTools", "unlock"]);
}));

test("a component that is gone when a trap calls for a new instance is a Trouble, and heals", on((scratch) => {
  let isThere = true;
  const { gate, made } = new Gated(scratch.agent, () => {
    if (!isThere) throw new Error("/x/garnish.core.wasm cannot be loaded: it is not there");
  });
  gate.holdTools(STOCK);
  made[0]!.traps.add("status");
  isThere = false;
  assert.match(trouble(() => gate.status()), /garnish\.core\.wasm cannot be loaded/);
  isThere = true;
  assert.ok(gate.status().length > 0);
  assert.deepEqual(made[1]!.asked, ["holdTools", "status"]);
}));
