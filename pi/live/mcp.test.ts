// Servers: a held one is not started where the harness lets garnish say so, one that connects late stays held, and the
// learner's own servers are nobody's business.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { assertRefused } from "./src/gates.ts";
import { call, result, say, steps } from "./src/model.ts";
import { live } from "./src/scene.ts";
import { asked } from "./src/stock.ts";

live("a held server is not started, a foreign one that connects late is", "omp", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  sandbox.unlock("feature", "tool:file");
  await provision();
  const gate = join(sandbox.root, "gate");
  sandbox.mcp(join(sandbox.project, ".mcp.json"), { "garnish-demo": {} });
  sandbox.addServers({ "garnish-demo": {}, own: { gate } });
  const session = await rpc();
  await session.prompt("before it connects");
  assert.equal(model.last.text.includes("MCP-MARK"), false);
  writeFileSync(gate, "");
  await asked(model, "omp", ["own"], () => session.prompt("and now?"));
  for (const request of model.main) assert.equal(request.text.includes("MCP-MARK-garnish-demo"), false);
  assert.deepEqual([...new Set(sandbox.mcpStarts)], ["own"]);

  model.use(steps(call("write", { path: "xd://mcp__garnish_demo_echo", content: '{"text":"hi"}', i: "x" }), say("over")));
  await session.prompt("call it");
  assert.doesNotMatch(result(model.last), /MCP-ECHO/);

  sandbox.unlock("feature", "mcp");
  await asked(model, "omp", ["garnish-demo"], () => session.prompt("unlocked"));
  model.use(steps(call("write", { path: "xd://mcp__garnish_demo_echo", content: '{"text":"hi"}', i: "x" }), say("over")));
  await session.prompt("call it");
  assert.match(result(model.last), /MCP-ECHO-garnish-demo hi/);
});

live("a held server is not started at the very first start either", "omp", { garnish: {} }, async ({ model, sandbox, print }) => {
  sandbox.addServers({ "garnish-demo": {} });
  await print(["hello"]);
  assert.deepEqual(sandbox.mcpStarts, []);
  assert.equal(model.last.text.includes("MCP-MARK"), false);
});

live("the project's servers wait for the same gate", "omp", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  sandbox.unlock("feature", "tool:file");
  await provision();
  sandbox.mcp(join(sandbox.project, ".omp/mcp.json"), { "garnish-demo": {}, projects: {} });
  const session = await rpc();
  await session.prompt("before");
  assert.deepEqual(sandbox.mcpStarts, []);
  sandbox.unlock("feature", "mcp");
  await asked(model, "omp", ["garnish-demo", "projects"], () => session.prompt("unlocked"));
});

live("a held server that connects after the session began stays held", "pi", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  await provision();
  const gate = join(sandbox.root, "gate");
  sandbox.mcp(join(sandbox.agentDir, "mcp.json"), { "garnish-demo": { gate }, own: { gate } });
  const session = await rpc();
  writeFileSync(gate, "");
  model.use(steps(call("mcp__garnish_demo__echo", { text: "hi" }), say("over")));
  await session.prompt("hello");
  assertRefused(model.last);
  for (const request of model.main) assert.deepEqual(request.tools, ["mcp__own__echo"]);
  sandbox.unlock("feature", "mcp");
  model.use(steps(call("mcp__garnish_demo__echo", { text: "hi" }), say("over")));
  await session.prompt("unlocked");
  assert.match(result(model.last), /MCP-ECHO-garnish-demo hi/);
});
