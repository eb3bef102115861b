// A subagent of omp is offered no more than the main session, is refused what is held, and sees an unlock too.
import assert from "node:assert/strict";
import { assertLocked, assertRefused, furnish, harmless, trap } from "./src/gates.ts";
import { call, result, say } from "./src/model.ts";
import type { Reply } from "./src/model.ts";
import { live } from "./src/scene.ts";

const SPAWN = call("task", { context: "# Goal\nTry it.", tasks: [{ name: "One", task: "Do the thing." }], i: "spawn" });
const END = call("yield", { data: { said: "the end" } });

live("a subagent holds what the main session holds, and sees the next unlock", "omp", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  furnish(sandbox);
  sandbox.unlock("feature", "subagents");
  await provision();
  const held = trap(sandbox, "held");
  const open = trap(sandbox, "open");
  const scripts: (() => Reply)[] = [
    () => call("bash", { command: held.command, i: "try" }),
    () => {
      sandbox.unlock("feature", "tool:bash");
      return harmless(sandbox);
    },
    () => call("bash", { command: open.command, i: "try" }),
    () => END,
  ];
  let at = 0;
  model.use((request) => {
    if (request.agent === "sub") return scripts[at++]?.() ?? END;
    return model.main.length === 1 ? SPAWN : say("done");
  });
  const session = await rpc();
  await session.prompt("go");
  const first = await model.request(1, "sub");
  const tools = first.tools.filter((tool) => !["task", "hub"].includes(tool));
  assert.deepEqual(tools, ["web_search", "yield"]);
  for (const mark of ["CONTEXT-MARK", "RULE-MARK", "SKILL-MARK", "MCP-MARK", "EXTENSION-MARK"]) assert.equal(first.text.includes(mark), false, mark);
  assertRefused(await model.request(2, "sub"));
  assert.equal(held.sprung(), false);
  assert.ok((await model.request(3, "sub")).tools.includes("bash"), "the unlock reached the subagent");
  assert.match(result(await model.request(4, "sub")), /sprung/);
  assert.equal(open.sprung(), true);
  // The learner is told by the main session alone.
  await session.prompt("and then");
  assert.equal(session.notices.filter(({ text }) => text.startsWith("Unlocked")).length, 1, JSON.stringify(session.notices));
});

live("while subagents are held, nothing spawns one", "omp", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  sandbox.unlock("feature", "tool:shell", "tool:file");
  await provision();
  const ways: Reply[] = [SPAWN, call("eval", { language: "js", code: 'return await agent("Do the thing.")', title: "spawn", i: "spawn" })];
  let at = 0;
  model.use((request) => (request.agent === "sub" ? END : (ways[at++] ?? say("done"))));
  const session = await rpc();
  await session.prompt("go");
  assertRefused(model.main[1] as never);
  assert.deepEqual(model.sub, []);
  assert.equal(model.main.length, 3);
  for (const request of model.main) assert.deepEqual(request.tools.filter((tool) => ["task", "hub"].includes(tool)), []);
});

live("with everything held, a call of task is refused", "omp", { garnish: {} }, async ({ model, rpc }) => {
  const session = await rpc();
  let calls = 0;
  model.use(() => (calls++ === 0 ? SPAWN : say("done")));
  await session.prompt("go");
  assertLocked(model.last, "omp");
  assertRefused(model.last);
  assert.deepEqual(model.sub, []);
});
