// A project cannot open a gate: not by its config, its servers or its overlays.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { assertLocked, assertRefused, furnish, FURNISHED, trap } from "./src/gates.ts";
import { call, say, steps } from "./src/model.ts";
import { live } from "./src/scene.ts";

/** Everything that a config of omp could open. */
const OPEN = `bash: {enabled: true}
glob: {enabled: true}
grep: {enabled: true}
lsp: {enabled: true}
debug: {enabled: true}
read: {enabled: true}
edit: {enabled: true}
write: {enabled: true}
astEdit: {enabled: true}
eval: {enabled: true, js: true, py: true}
task: {enabled: true, maxRecursionDepth: 3}
hub: {enabled: true}
launch: {enabled: true}
skills: {enabled: true, includeSkills: ["*"]}
mcp: {enableProjectConfig: true}
tools: {approvalMode: yolo}
disabledProviders: []
disabledExtensions: []
`;

for (const [how, args] of [["its .omp/config.yml", []], ["an overlay", ["--config", "overlay.yml"]]] as const) {
  live(`${how} opens nothing`, "omp", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
    furnish(sandbox);
    sandbox.mcp(join(sandbox.project, ".omp/mcp.json"), { "garnish-demo": {} });
    await provision();
    sandbox.inProject(args.length > 0 ? "overlay.yml" : ".omp/config.yml", OPEN);
    const { command, sprung } = trap(sandbox);
    const session = await rpc([...args]);
    model.use(steps({ calls: [{ name: "bash", args: { command, i: "x" } }, { name: "eval", args: { language: "js", code: `Bun.$\`${command}\``, title: "x", i: "x" } }] }, say("over")));
    await session.prompt("hello");
    for (const request of model.main) assertLocked(request, "omp", FURNISHED.omp);
    assertRefused(model.last);
    assert.equal(sprung(), false);
    assert.deepEqual(sandbox.mcpStarts, []);

    // And the gate itself still opens.
    sandbox.unlock("feature", "tool:bash");
    await session.prompt("again");
    assert.ok(model.last.tools.includes("bash"));
  });
}

/** What a project can say so that omp leaves garnish's extension out. */
const OFF = ["disabledExtensions: [extension-module:garnish]", "disabledProviders: [native]"];

for (const off of OFF) {
  live(`${off} in a project opens nothing, started as garnish launch does`, "omp", { garnish: {} }, async ({ model, sandbox, provision, print }) => {
    furnish(sandbox);
    await provision();
    sandbox.inProject(".omp/config.yml", `${OPEN.replace(/^disabled.*\n/gm, "")}${off}\n`);
    // host/tests/command.rs holds `garnish launch` to these words.
    await print(["hello"], ["-e", join(sandbox.agentDir, "extensions/garnish/index.js")]);
    assertLocked(model.last, "omp", FURNISHED.omp);
  });
}

live("another extension that shows every tool shows no held one", "omp", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  const all = "await api.setActiveTools(api.getAllTools().map((tool) => tool.name))";
  const events = ["session_start", "before_agent_start", "agent_start", "turn_end"];
  sandbox.inAgentDir("extensions/zz-greedy/index.js", `export default (api) => { ${events.map((event) => `api.on("${event}", async () => { ${all}; });`).join(" ")} };`);
  await provision();
  const session = await rpc();
  model.use(steps(call("todo", { op: "view", i: "x" }), say("over")));
  await session.prompt("hello");
  await session.prompt("again");
  for (const request of model.main) assertLocked(request, "omp");
});

live("a trusted project's settings open nothing", "pi", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  furnish(sandbox);
  await provision();
  sandbox.inProject(".pi/settings.json", JSON.stringify({ defaultTools: ["read", "bash", "edit", "write", "grep"], skills: ["+*"], extensions: ["+extensions/garnish-demo/*"] }));
  const { command, sprung } = trap(sandbox);
  const session = await rpc(["--approve"]);
  model.use(steps(call("bash", { command }), say("over")));
  await session.prompt("hello");
  for (const request of model.main) assertLocked(request, "pi", ["MCP-MARK-"]);
  assertRefused(model.last);
  assert.equal(sprung(), false);
});

live("with the overlay of garnish launch, a project opens nothing though the extension is gone, and an unlock is live all the same", "omp", { garnish: {} }, async ({ model, sandbox, provision, print, rpc }) => {
  await provision();
  sandbox.inProject(".omp/config.yml", OPEN);
  // As host/src/cmd/launch.rs makes it.
  const config = parse(sandbox.read("config.yml")!) as { bash: unknown; garnish: { leaves: string[] } };
  assert.ok(config.garnish.leaves.includes("bash.enabled"));
  const overlay = sandbox.inAgentDir("garnish/overlay.yml", JSON.stringify({ bash: config.bash }));
  const session = await rpc(["--config", overlay]);
  await session.prompt("locked");
  assert.equal(model.last.tools.includes("bash"), false);
  sandbox.unlock("feature", "tool:bash");
  await session.prompt("unlocked");
  assert.ok(model.last.tools.includes("bash"));
  assert.equal(JSON.parse(sandbox.read("garnish/overlay.yml")!).bash, undefined);
  await session.close();
  sandbox.inAgentDir("garnish/overlay.yml", JSON.stringify({ grep: { enabled: false } }));
  sandbox.uninstall();
  await print(["without garnish"], ["--config", overlay]);
  assert.equal(model.last.tools.includes("grep"), false);
  await print(["without the overlay"]);
  assert.ok(model.last.tools.includes("grep"), "the project opens it");
  // A broken overlay, and one that is gone, stop omp.
  for (const text of ["a: [", undefined]) {
    if (text === undefined) rmSync(overlay);
    else sandbox.inAgentDir("garnish/overlay.yml", text);
    const asked = model.requests.length;
    assert.notEqual((await print(["nothing"], ["--config", overlay])).code, 0);
    assert.equal(model.requests.length, asked);
  }
});
