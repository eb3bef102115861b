// One session after another: `/new`, resume, reload and a new process keep what is unlocked, hold what is not, and tell
// nothing twice.
import assert from "node:assert/strict";
import { LEFT } from "./src/gates.ts";
import { say } from "./src/model.ts";
import { live } from "./src/scene.ts";

/** In the harness's own order. */
const WITH_BASH = { omp: ["bash", ...LEFT.omp], pi: ["bash"] };

for (const harness of ["omp", "pi"] as const) {
  live("a new session and a resumed one keep the state", harness, { garnish: {} }, async ({ model, sandbox, rpc }) => {
    const session = await rpc();
    await session.prompt("before");
    const file = await session.sessionFile();
    sandbox.unlock("feature", "tool:bash");
    await session.prompt("unlocked");
    assert.deepEqual(model.last.tools, WITH_BASH[harness]);
    await session.newSession();
    await session.prompt("in a new session");
    assert.deepEqual(model.last.tools, WITH_BASH[harness]);
    await session.switchSession(file);
    await session.prompt("in the first one again");
    assert.deepEqual(model.last.tools, WITH_BASH[harness]);
    assert.equal(session.notices.length, 1, JSON.stringify(session.notices));
    await session.close();

    const next = await rpc(["--continue"]);
    await next.prompt("in another process");
    assert.match(model.last.text, /in the first one again/);
    assert.deepEqual(model.last.tools, WITH_BASH[harness]);
    assert.deepEqual(next.notices, []);
  });

  live("an unlock between two sessions is told in the next one", harness, { garnish: {} }, async ({ model, sandbox, rpc }) => {
    const session = await rpc();
    await session.prompt("before");
    sandbox.unlock("feature", "tool:bash");
    await session.newSession();
    await session.prompt("after");
    assert.deepEqual(model.last.tools, WITH_BASH[harness]);
    assert.equal(session.notices.length, 1, JSON.stringify(session.notices));
  });

  live("an unlock between two processes is told by the next start, once", harness, { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
    await provision();
    sandbox.unlock("feature", "tool:bash");
    for (const notices of [1, 0]) {
      const session = await rpc();
      await session.prompt("hello");
      assert.deepEqual(model.last.tools, WITH_BASH[harness]);
      assert.equal(session.notices.length, notices, JSON.stringify(session.notices));
      await session.close();
    }
  });

  const reload = { omp: "/reload-plugins", pi: "/reload" }[harness];
  live(`${reload} keeps the state`, harness, { garnish: {} }, async ({ model, sandbox, provision, tui }) => {
    await provision();
    model.use((request) => say(`answer-${request.n}-ends`));
    const screen = await tui();
    sandbox.unlock("feature", "tool:bash");
    await screen.enter("first words");
    await screen.wait("answer-1-ends");
    await screen.wait("Unlocked, ");
    assert.equal(model.last.tools.includes("bash"), true);
    await screen.enter(reload);
    await screen.wait(/reloaded/i);
    await screen.enter("second words");
    await screen.wait("answer-2-ends");
    assert.equal(model.last.tools.includes("bash"), true);
    for (const tool of ["read", "write", "edit", "eval"]) assert.equal(model.last.tools.includes(tool), false, tool);
    assert.ok((screen.history.match(/Unlocked, /g)?.length ?? 0) < 2, screen.history);
  });

  live("/new on the screen keeps the state", harness, { garnish: {} }, async ({ model, sandbox, tui }) => {
    model.use((request) => say(`answer-${request.n}-ends`));
    sandbox.unlock("feature", "tool:bash");
    const screen = await tui();
    await screen.enter("first words");
    await screen.wait("answer-1-ends");
    await screen.enter("/new");
    await screen.gone("answer-1-ends");
    await screen.enter("second words");
    await screen.wait("answer-2-ends");
    assert.doesNotMatch(model.last.text, /first words/);
    assert.equal(model.last.tools.includes("bash"), true);
    for (const tool of ["read", "write", "edit", "eval"]) assert.equal(model.last.tools.includes(tool), false, tool);
  });
}
