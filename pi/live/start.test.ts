// Locked start: the first request of every mode shows nothing that is held, calls are refused all the same, nothing is
// told, and the disk holds from then on.
import assert from "node:assert/strict";
import { assertLocked, assertRefused, furnish, FURNISHED, LEFT, trap } from "./src/gates.ts";
import { call, say, steps } from "./src/model.ts";
import { live } from "./src/scene.ts";

for (const harness of ["omp", "pi"] as const) {
  live("locked start in print mode, the very first one", harness, { garnish: {} }, async ({ model, sandbox, print }) => {
    const { command, sprung } = trap(sandbox);
    model.use(steps(call("bash", { command }), say("over")));
    const printed = await print(["hello"]);
    assert.equal(printed.code, 0, printed.stderr);
    assert.deepEqual(model.main[0]?.tools, LEFT[harness]);
    assertLocked(model.last, harness);
    assertRefused(model.last);
    assert.equal(sprung(), false);
    assert.match(printed.stdout, /over/);
    assert.doesNotMatch(printed.stderr, /garnish|error|fail/i);
  });

  live("locked start in print mode with a bit of everything, as after an install", harness, { garnish: {} }, async ({ model, sandbox, provision, print }) => {
    furnish(sandbox);
    await provision();
    const printed = await print(["hello"]);
    assert.equal(printed.code, 0, printed.stderr);
    assertLocked(model.last, harness, FURNISHED[harness]);
  });

  live("locked start over RPC: nothing is told but a status", harness, { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
    furnish(sandbox);
    await provision();
    const session = await rpc();
    await session.prompt("hello");
    assertLocked(model.last, harness, FURNISHED[harness]);
    assert.deepEqual(model.last.tools, LEFT[harness]);
    assert.deepEqual(session.notices, []);
    assert.notDeepEqual(session.ui("setStatus"), []);
    assert.notDeepEqual(session.ui("setWidget"), []);
    assert.equal(session.stderr, "");
  });

  live("locked start on the screen, with the level shown", harness, { garnish: {} }, async ({ model, sandbox, provision, tui }) => {
    furnish(sandbox);
    await provision();
    model.use(steps(say("the-answer-on-screen")));
    const screen = await tui();
    await screen.enter("hello");
    await screen.wait("the-answer-on-screen");
    assertLocked(model.last, harness, FURNISHED[harness]);
    await screen.wait("Tutorial");
  });

  live("the agent dir is found without its variable", harness, { garnish: {}, variable: false }, async ({ model, sandbox, print }) => {
    await print(["hello"]);
    assertLocked(model.last, harness);
    assert.ok(sandbox.read(harness === "omp" ? "config.yml" : "settings.json"));
  });

  live("a start with fewer tools stays with them", harness, { garnish: {} }, async ({ model, sandbox, print }) => {
    sandbox.unlock("feature", "tool:bash", "tool:file");
    await print(["hello"], ["--tools", "read"]);
    assert.deepEqual(model.last.tools, ["read"]);
  });
}
