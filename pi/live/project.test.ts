// A project cannot open a gate: not by its config, its servers or its overlays.
import assert from "node:assert/strict";
import { join } from "node:path";
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
