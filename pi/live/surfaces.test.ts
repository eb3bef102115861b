// A gate closes every way to what it gates, wherever the harness found it: a skill of another tool in the prompt, by its
// address and as a command (case C01); a server that another tool's file names (case C02).
import assert from "node:assert/strict";
import { join } from "node:path";
import { call, result, say, steps } from "./src/model.ts";
import { live } from "./src/scene.ts";
import { asked } from "./src/stock.ts";

/** omp takes up what other tools keep in HOME only when asked to. */
const OTHERS = 'enabledProviders:\n  - "*"\n';

live("a skill of another tool is closed in the prompt, by its address and as a command, and back by all three", "omp", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  sandbox.inAgentDir("config.yml", OTHERS);
  sandbox.skill(join(sandbox.home, ".claude/skills"), "sewing", "SKILL-MARK");
  sandbox.skill(join(sandbox.project, ".codex/skills"), "knitting", "SKILL-MARK");
  // Without the first omp lists no skills, without the second it has nothing of other tools at all.
  sandbox.unlock("feature", "tool:file", "context");
  await provision();
  const ways = async (name: string): Promise<boolean[]> => {
    const listed = model.last.text.includes(`${name}: SKILL-MARK`);
    model.use(steps(call("read", { path: `skill://${name}`, i: "x" }), say("over")));
    await session.prompt("read it");
    const read = result(model.last).includes(`The body of ${name}`);
    model.use(() => say("over"));
    await session.prompt(`/skill:${name} go`);
    // A command that is none is an ordinary prompt.
    const called = JSON.stringify(model.last.messages.at(-1)).includes(`The body of ${name}`);
    return [listed, read, called];
  };
  const session = await rpc();
  await session.prompt("hello");
  for (const name of ["sewing", "knitting"]) assert.deepEqual(await ways(name), [false, false, false], name);
  sandbox.unlock("feature", "skills");
  await session.prompt("unlocked");
  for (const name of ["sewing", "knitting"]) assert.deepEqual(await ways(name), [true, true, true], name);
});

live("a server that only another tool's file names is held like one of the agent dir's", "omp", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  sandbox.inAgentDir("config.yml", OTHERS);
  sandbox.mcp(join(sandbox.home, ".claude.json"), { "garnish-demo": {} });
  // Without the first omp lists no skills, without the second it has nothing of other tools at all.
  sandbox.unlock("feature", "tool:file", "context");
  await provision();
  const session = await rpc();
  await session.prompt("hello");
  assert.deepEqual(sandbox.mcpStarts, []);
  assert.equal(model.last.text.includes("MCP-MARK"), false);
  sandbox.unlock("feature", "mcp");
  await asked(model, "omp", ["garnish-demo"], () => session.prompt("unlocked"));
  assert.deepEqual([...new Set(sandbox.mcpStarts)], ["garnish-demo"]);
});

live("the models of a provider stay while the context of the same name is held", "omp", { garnish: {} }, async ({ model, sandbox, print }) => {
  // `disabledProviders` switches off both, so garnish does not write this one there (case C11).
  sandbox.inAgentDir("models.yml", sandbox.read("models.yml")!.replace('"fake":', '"cursor":'));
  sandbox.inProject(".cursor/rules/mine.mdc", "---\nalwaysApply: true\n---\nCURSOR-MARK\n");
  const ask = () => print(["hello"], ["--model", "cursor/fake-1"]);
  sandbox.unlock("feature", "tool:file");
  for (let run = 0; run < 2; run += 1) {
    const printed = await ask();
    assert.equal(printed.code, 0, printed.stderr);
    assert.equal(model.main.length, run + 1);
    assert.equal(model.last.text.includes("CURSOR-MARK"), false);
  }
  assert.doesNotMatch(sandbox.read("config.yml")!, /^ *- cursor/m);
  sandbox.unlock("feature", "context");
  await ask();
  assert.ok(model.last.text.includes("CURSOR-MARK"));
});
