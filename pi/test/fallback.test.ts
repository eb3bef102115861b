// What is held while the component cannot answer: more than needed rather than less.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Fallback } from "../src/fallback.ts";
import { Gated } from "./fakes/gated.ts";
import { on, type Scratch } from "./scratch.ts";

const HELD = "garnish/held.json";
const held = (tools: string[], mcpServers: string[] = []) => JSON.stringify({ version: 1, capabilities: tools.map((name) => `tool:${name}`), tools, mcpServers });
const named = (...names: string[]) => names.map((name) => ({ name }));

/** One whose list of everything holds `bash` and `everything`. */
function fallback(scratch: Scratch): Fallback {
  return new Fallback(scratch.agent, JSON.parse(held(["bash", "everything"])));
}

const capabilities = (it: Fallback) => [...it.held().capabilities];

test("what the component wrote down last is held, and read again each time", on((scratch) => {
  const it = fallback(scratch);
  scratch.put(HELD, held(["bash", "edit"]));
  assert.deepEqual(capabilities(it), ["tool:bash", "tool:edit"]);
  assert.deepEqual(it.holdTools(named("read", "bash", "edit", "everything")), ["read", "everything"]);
  scratch.put(HELD, held(["edit"]));
  assert.deepEqual(capabilities(it), ["tool:edit"]);
  assert.deepEqual(it.holdTools(named("read", "bash", "edit")), ["read", "bash"]);
}));

test("the file that the component itself writes is of this form", on((scratch) => {
  const { gate } = new Gated(scratch.agent);
  gate.applyUnlocks("session-start");
  const it = fallback(scratch);
  assert.deepEqual(capabilities(it), gate.heldCapabilities());
  assert.deepEqual(it.holdTools(named("read", "bash", "todo", "mcp__garnish_demo_echo")), ["todo"]);
}));

for (const [what, text] of [
  ["is missing", undefined],
  ["is empty", ""],
  ["is cut off", held(["edit"]).slice(0, -4)],
  ["is no object", "null"],
  ["is a list", "[]"],
  ["lacks a list", `{"version": 1, "capabilities": [], "tools": []}`],
  ["is of another version", `{"version": 99, "capabilities": [], "tools": [], "mcpServers": []}`],
  ["is a folder", undefined],
  ["has other things than texts in a list", `{"version": 1, "capabilities": [], "tools": [1], "mcpServers": []}`],
] as const) {
  test(`everything is held when held.json ${what}`, on((scratch) => {
    const it = fallback(scratch);
    if (text !== undefined) scratch.put(HELD, text);
    else if (what === "is a folder") scratch.put(`${HELD}/file`, "");
    assert.deepEqual(capabilities(it), ["tool:bash", "tool:everything"]);
    assert.deepEqual(it.holdTools(named("read", "bash", "everything")), ["read"]);
  }));
}

test("what the component would set in the harness's settings is set, and nothing where it did not say", on((scratch) => {
  const it = fallback(scratch);
  scratch.put(HELD, JSON.stringify({ version: 1, capabilities: [], tools: [], mcpServers: [], settings: { "skills.enabled": false } }));
  assert.deepEqual(it.held().settings, [{ key: "skills.enabled", json: "false" }]);
  scratch.put(HELD, held([]));
  assert.deepEqual(it.held().settings, []);
}));

test("a call that names garnish's own files is refused, whatever is held", on((scratch) => {
  const it = fallback(scratch);
  assert.equal(it.checkToolCall({ name: "read" }, "{}", "gone").tag, "allow");
  assert.equal(it.checkToolCall({ name: "read" }, `{"command":"rm garnish/events.jsonl"}`, "gone").tag, "block");
}));

test("a held tool is refused with the first line of the trouble, and the agent is not sent to mend it", on((scratch) => {
  scratch.put(HELD, held(["bash"]));
  const verdict = fallback(scratch).checkToolCall({ name: "bash" }, "{}", "team.yml:1:2: no\nteam.yml:3:4: no");
  assert.equal(verdict.tag, "block");
  assert.ok(verdict.tag === "block");
  assert.equal(verdict.val.code, "garnish::guard::held");
  assert.match(verdict.val.forAgent, /team\.yml:1:2: no\).*bash stays locked.*Only the learner/);
  assert.doesNotMatch(verdict.val.forAgent, /\n|3:4/);
}));

test("a call that names a file of garnish's or of the harness's configuration is refused", on((scratch) => {
  scratch.put(HELD, held([]));
  const it = fallback(scratch);
  for (const path of ["~/.omp/agent/garnish/events.jsonl", "GARNISH/held.json", "events.jsonl", "/a/config.yml", "config.yaml", "../mcp.json", "settings.json", "extensions/garnish/index.js"]) {
    const verdict = it.checkToolCall({ name: "write" }, JSON.stringify({ path, content: "" }), "gone");
    assert.ok(verdict.tag === "block", path);
    assert.equal(verdict.val.code, "garnish::guard::own-state", path);
  }
  for (const path of ["src/main.rs", "events.json", "config.toml", "README.md"]) {
    assert.equal(it.checkToolCall({ name: "write" }, JSON.stringify({ path, content: "" }), "gone").tag, "allow", path);
  }
}));

test("a tool of a held server is held by its server, where the harness tells it", on((scratch) => {
  scratch.put(HELD, held([], ["demo"]));
  const it = fallback(scratch);
  const tools = [{ name: "anything", server: "demo" }, { name: "mcp__demo_echo", server: "other" }, { name: "mcp__demo_echo" }, { name: "mcp__other_echo" }];
  assert.deepEqual(it.holdTools(tools), ["mcp__demo_echo", "mcp__other_echo"]);
}));

// Recorded from omp 18.2.3, as in guest/src/mcp_names.rs; the last three by the rule of Pi 1.6.0.
for (const [server, tool] of [
  ["github", "mcp__github_get_issue"],
  ["Git-Hub", "mcp__git_hub_list_repos"],
  ["puppeteer", "mcp__puppeteer_puppeteer"],
  ["été", "mcp__t_na_ve"],
  ["日本", "mcp__server_tool"],
  ["some-rather-long-server-name", "mcp__some_rather_long_server_name_and_an_even_longer_to_bk12lwqy"],
  ["my-server", "mcp__my_server__Echo"],
  ["-x-", "mcp___x___Echo"],
  ["a".repeat(60), `mcp__${"a".repeat(50)}_0123abcd`],
] as const) {
  test(`${tool} may be a tool of the held server ${server}`, on((scratch) => {
    scratch.put(HELD, held([], [server]));
    const it = fallback(scratch);
    assert.deepEqual(it.holdTools(named(tool, "mcp__other_tool", "read")), ["mcp__other_tool", "read"]);
    assert.equal(it.checkToolCall({ name: tool }, "{}", "gone").tag, "block");
  }));
}

test("what the build puts in holds what every built-in catalog names, with the settings for it", on((scratch) => {
  const built = readFileSync(fileURLToPath(new URL("../../target/pi/extension/index.js", import.meta.url)), "utf8");
  const list = /\{version:1,capabilities:\[[^\]]*\],tools:\[[^\]]*\],mcpServers:\[[^\]]*\],settings:\{[^}]*\}\}/.exec(built)?.[0];
  assert.ok(list, "the list is in index.js");
  const it = new Fallback(scratch.agent, new Function(`return ${list}`)());
  for (const catalog of ["v1", "omp-18", "pi-1"]) {
    scratch.put("garnish/setup.json", JSON.stringify({ catalog, profile: catalog === "pi-1" ? "pi-1" : "omp-18" }));
    const { gate } = new Gated(scratch.agent);
    const all = it.held().capabilities;
    assert.deepEqual(gate.heldCapabilities().filter((capability) => !all.has(capability)), [], catalog);
    const keys = new Set(it.held().settings.map(({ key }) => key));
    assert.deepEqual(gate.overrides("running").map(({ key }) => key).filter((key) => !keys.has(key)), [], catalog);
  }
  assert.deepEqual(it.holdTools(named("read", "bash", "eval", "hub", "todo")), ["todo"]);
}));
