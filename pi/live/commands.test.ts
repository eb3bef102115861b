// The learner's commands and what they see: /unlock in its forms, /garnish, the status line and the widget; in print
// mode nothing of it breaks.
import assert from "node:assert/strict";
import { LEFT } from "./src/gates.ts";
import { say } from "./src/model.ts";
import { live } from "./src/scene.ts";

/** By order or by id: the level `core` gives skills and bash. */
const LEVELS = ["level core", "--level core", "level 1", "--level 1"];

for (const harness of ["omp", "pi"] as const) {
  live("both commands are offered", harness, { garnish: {} }, async ({ rpc }) => {
    const session = await rpc();
    const response = await session.command({ type: harness === "omp" ? "get_available_commands" : "get_commands" });
    const names = (response.data as { commands: { name: string }[] }).commands.map(({ name }) => name);
    assert.ok(names.includes("unlock") && names.includes("garnish"), names.join());
  });

  for (const level of LEVELS) {
    live(`/unlock ${level}`, harness, { garnish: {} }, async ({ model, sandbox, rpc }) => {
      const session = await rpc();
      await session.prompt(`/unlock ${level}`);
      assert.deepEqual(model.requests, [], "a command is not the model's");
      await session.prompt("hello");
      assert.deepEqual(model.last.tools, harness === "omp" ? ["bash", ...LEFT.omp] : ["bash"]);
      assert.ok(sandbox.events.every(({ reason }) => reason === "cheat"));
      assert.match(session.notices.at(-1)?.text ?? "", /1 level.* 2 features/);
    });
  }

  for (const all of ["--all", "all"]) {
    live(`/unlock ${all} ends with one notice that counts`, harness, { garnish: {} }, async ({ sandbox, rpc }) => {
      const session = await rpc();
      await session.prompt(`/unlock ${all}`);
      await session.wait("the notice", 0, (frame) => frame.method === "notify" && /2 levels and 8 features/.test(String(frame.message)));
      assert.equal(sandbox.events.length, 10);
      assert.deepEqual(session.notices.filter(({ level }) => level === "error"), []);
    });
  }

  live("/unlock of a level that is not there lists those that are", harness, { garnish: {} }, async ({ model, sandbox, rpc }) => {
    const session = await rpc();
    await session.prompt("/unlock level nowhere");
    assert.match(session.notices.at(-1)?.text ?? "", /tutorial.*core.*deep/s);
    assert.deepEqual(sandbox.events, []);
    await session.prompt("hello");
    assert.deepEqual(model.last.tools, LEFT[harness]);
  });

  live("/garnish says the level, what is held and what is next", harness, { garnish: {} }, async ({ model, rpc }) => {
    const session = await rpc();
    await session.prompt("/garnish");
    assert.deepEqual(model.requests, []);
    const said = session.notices.map(({ text }) => text).join("\n");
    assert.match(said, /Tutorial/);
    assert.match(said, /Bash/);
    assert.match(said, /Say hello|hello/);
  });

  live("the status line and the widget follow the level", harness, { garnish: {} }, async ({ sandbox, rpc }) => {
    const session = await rpc();
    await session.prompt("before");
    const shown = () => JSON.stringify(session.ui("setWidget").at(-1)) + JSON.stringify(session.ui("setStatus").at(-1));
    assert.match(shown(), /Tutorial/);
    sandbox.complete("hello", "look");
    await session.prompt("after");
    assert.match(shown(), /Core Loop/);
  });

  live("on the screen: the notice of an unlock, and the widget", harness, { garnish: {} }, async ({ model, sandbox, provision, tui }) => {
    await provision();
    model.use((request) => say(`answer-${request.n}-ends`));
    const screen = await tui();
    await screen.wait("Tutorial");
    sandbox.unlock("feature", "tool:bash");
    await screen.enter("some words");
    await screen.wait("answer-1-ends");
    await screen.wait("Unlocked, ready now: Bash");
  });

  live("both commands work in print mode", harness, { garnish: {} }, async ({ model, print }) => {
    const printed = await print(["/garnish", "/unlock level core", "hello"]);
    assert.equal(printed.code, 0, printed.stderr);
    assert.doesNotMatch(printed.stderr, /error|exception/i);
    assert.deepEqual(model.last.tools, harness === "omp" ? ["bash", ...LEFT.omp] : ["bash"]);
  });
}
