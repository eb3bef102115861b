// omp's undocumented parts: with all of them everything is live; without one, its users fall back as they say, and nothing
// throws.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OmpProcess } from "../src/omp/harness.ts";
import { isOmp } from "../src/omp/live.ts";
import type { LiveSession } from "../src/omp/live.ts";
import { FakeApi, FakeDiscovery, FakeSession, FakeSettings, held, omp, provider, type Parts } from "./fakes/omp.ts";

const NAMES = ["read", "bash", "edit", "write", "todo", "lsp"];
const KINDS = [
  "approvalMode:write",
  "extension:extension-module:garnish-demo",
  "mcp:demo",
  "provider:claude",
  "session:append-system",
  "session:devices",
  "session:native-context",
  "skill:*",
  "tool:launch",
];

/** An omp that has everything, and a session in it. */
function whole(): { session: FakeSession; settings: FakeSettings; discovery: FakeDiscovery; parts: Required<Parts> } {
  const session = new FakeSession(NAMES, ["lsp"]);
  const settings = new FakeSettings();
  const discovery = new FakeDiscovery({
    "context-files": [provider("native", 100), provider("builtin-defaults", 1)],
    rules: [provider("native", 100)],
    mcps: [provider("native", 100, "demo")],
  });
  const mcp = { discoverAndConnect: async () => ({}), getTools: () => [{ mcpServerName: "demo" }] };
  return { session, settings, discovery, parts: { session: undefined, settings, discovery, mcp, version: "18.2.3", sessions: [{ kind: "main", session }] } as Required<Parts> };
}

/** Holds everything, then opens it; what became of each. */
async function opened(parts: Parts, sessionManager: object = {}): Promise<Record<string, string>> {
  const api = new FakeApi();
  api.tools = [...NAMES];
  api.active = [...NAMES];
  const { harness } = await omp(api, parts);
  await harness.hold({ capabilities: new Set(KINDS), settings: [{ key: "skills.enabled", json: "false" }] });
  harness.entered(api.context(sessionManager));
  harness.stock();
  await harness.show(["read", "todo"]);
  await harness.hold({ capabilities: new Set(KINDS), settings: [{ key: "skills.enabled", json: "false" }] });
  await harness.reread();
  await harness.hold(held());
  const answers = await harness.open(KINDS);
  assert.equal(answers.length, KINDS.length);
  harness.showStatus("line", ["widget"]);
  harness.showStatus(undefined, undefined);
  return Object.fromEntries(KINDS.map((capability, index) => [capability, answers[index]!.tag]));
}

const LIVE = { ...Object.fromEntries(KINDS.map((capability) => [capability, "live"])), "extension:extension-module:garnish-demo": "restart" };
const RESTART = Object.fromEntries(KINDS.map((capability) => [capability, "restart"]));

test("omp is told from Pi by the modules in its API", () => {
  assert.ok(isOmp(new FakeApi().of({})));
  assert.ok(!isOmp({ ...new FakeApi().of({}), pi: undefined } as never));
  assert.ok(!isOmp({ ...new FakeApi().of({}), pi: {} } as never));
});

test("with every part of omp all is live but extensions", async () => {
  const { parts, session } = whole();
  assert.deepEqual(await opened(parts, session.sessionManager), LIVE);
  assert.deepEqual(session.refreshed, ["skills", "mcp"]);
});

test("with nothing but omp's agent dir all is opened by a restart, and tools are held by the documented call, awaited", async () => {
  assert.deepEqual(await opened({}), RESTART);
  const api = new FakeApi();
  api.tools = [...NAMES];
  api.active = [...NAMES];
  const { harness } = await omp(api, {});
  harness.entered(api.context({}));
  assert.deepEqual(harness.stock(), NAMES.map((name) => ({ name })));
  await harness.show(["read", "todo"]);
  assert.ok(api.settled, "the first request would be unfiltered");
  assert.deepEqual(api.active, ["read", "todo"]);
  assert.deepEqual(harness.activeTools(), ["read", "todo"]);
  assert.deepEqual(harness.allTools(), NAMES);
  // What is hidden stays in the stock, so that it can come back.
  assert.deepEqual(harness.stock(), NAMES.map((name) => ({ name })));
  assert.deepEqual(harness.tool("bash"), { name: "bash" });
  assert.deepEqual([harness.name, harness.version, harness.agentDir, harness.role()], ["omp", "of an unknown version", "/nowhere/agent", "main"]);
});

const without: [string, (it: ReturnType<typeof whole>) => Partial<Parts>, Record<string, string>][] = [
  ["settings", () => ({ settings: undefined }), { "approvalMode:write": "restart", "provider:claude": "restart", "skill:*": "restart", "tool:launch": "restart" }],
  ["discovery", () => ({ discovery: undefined }), { "provider:claude": "restart", "session:native-context": "restart" }],
  ["MCP manager", () => ({ mcp: undefined }), { "mcp:demo": "restart" }],
  ["version", () => ({ version: undefined }), {}],
  ["registry of sessions", () => ({ sessions: undefined }), { "mcp:demo": "restart", "provider:claude": "restart", "session:append-system": "restart", "session:devices": "restart", "session:native-context": "restart", "skill:*": "restart" }],
];
const NO_SESSION = without.at(-1)![2];

for (const [part, take, differs] of without) {
  test(`without omp's ${part} what needs it is opened by a restart, and nothing else`, async () => {
    const it = whole();
    assert.deepEqual(await opened({ ...it.parts, ...take(it) }, it.session.sessionManager), { ...LIVE, ...differs });
  });
}

test("a registry that has no session of ours, or one without a session yet, is none", async () => {
  for (const sessions of [[], [{ kind: "main", session: null }], [{ kind: "main", session: new FakeSession(NAMES) }]]) {
    const got = await opened({ ...whole().parts, sessions }, {});
    assert.deepEqual(got, { ...LIVE, ...NO_SESSION });
  }
});

for (const method of ["get", "override", "clearOverride", "reloadFromDisk"] as const) {
  test(`settings without ${method} count as none`, async () => {
    const it = whole();
    const got = await opened({ ...it.parts, settings: { ...it.settings, [method]: undefined } as never }, it.session.sessionManager);
    assert.deepEqual(got, { ...LIVE, ...without[0]![2] });
  });
}

for (const method of ["getCapability", "initializeWithSettings"] as const) {
  test(`a discovery without ${method} counts as none`, async () => {
    const it = whole();
    const discovery = { getCapability: it.discovery.getCapability, initializeWithSettings: it.discovery.initializeWithSettings, [method]: undefined } as never;
    assert.deepEqual(await opened({ ...it.parts, discovery }, it.session.sessionManager), { ...LIVE, ...without[1]![2] });
  });
}

for (const method of ["discoverAndConnect", "getTools"] as const) {
  test(`an MCP manager without ${method} counts as none`, async () => {
    const it = whole();
    const mcp = { ...it.parts.mcp, [method]: undefined } as never;
    assert.deepEqual(await opened({ ...it.parts, mcp }, it.session.sessionManager), { ...LIVE, ...without[2]![2] });
  });
}

const MEMBERS = ["getEnabledToolNames", "getMountedXdevToolNames", "getAllToolNames", "getToolByName", "setActiveToolPresentation", "refreshSkills", "refreshMCPTools", "agent"] as const;
for (const member of MEMBERS) {
  test(`a session without ${member} counts as none, and its tools are held by the documented call`, async () => {
    const it = whole();
    (it.session as Partial<LiveSession>)[member] = undefined as never;
    assert.deepEqual(await opened(it.parts, it.session.sessionManager), { ...LIVE, ...NO_SESSION });
    assert.deepEqual(it.session.presentations, []);
  });
}

for (const member of ["addBeforeModelCallHook", "setSystemPrompt", "state"] as const) {
  test(`an agent without ${member} breaks nothing`, async () => {
    const it = whole();
    (it.session.agent as Partial<LiveSession["agent"]>)[member] = undefined as never;
    const api = new FakeApi();
    const { harness } = await omp(api, it.parts);
    await harness.hold(held("session:append-system"));
    harness.entered(api.context(it.session.sessionManager));
    for (const hook of it.session.hooks) await assert.doesNotReject(async () => hook());
  });
}

test("a server that does not connect is pending", async () => {
  const it = whole();
  const got = await opened({ ...it.parts, mcp: { discoverAndConnect: async () => ({}), getTools: () => [] } }, it.session.sessionManager);
  assert.deepEqual(got, { ...LIVE, "mcp:demo": "pending" });
});

test("an agent's session is a subagent's, whatever omp calls its kind", async () => {
  const it = whole();
  for (const [kind, role] of [["main", "main"], ["sub", "subagent"], ["task", "subagent"]] as const) {
    const api = new FakeApi();
    const { harness } = await omp(api, { ...it.parts, sessions: [{ kind, session: it.session }] });
    harness.entered(api.context(it.session.sessionManager));
    assert.equal(harness.role(), role);
  }
});

test("what is said before there is anybody to say it to is said once there is", async () => {
  const api = new FakeApi();
  const { harness } = await omp(api, {});
  harness.notify("warning", "early");
  assert.deepEqual(api.notices, []);
  harness.entered(api.context({}));
  harness.notify("info", "late");
  harness.entered(api.context({}));
  assert.deepEqual(api.notices, ["warning: early", "info: late"]);
});

test("each request to the model waits for what is pending", async () => {
  const it = whole();
  const api = new FakeApi();
  const { harness } = await omp(api, it.parts);
  let isDone = false;
  harness.beforeModelCall = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    isDone = true;
  };
  for (let time = 0; time < 3; time++) harness.entered(api.context(it.session.sessionManager));
  assert.equal(it.session.hooks.length, 1);
  await it.session.hooks[0]!();
  assert.ok(isDone);
});

test("a second session of the process gives back what the first one took", async () => {
  const it = whole();
  const api = new FakeApi();
  const ofProcess = new OmpProcess();
  const { harness } = await omp(api, it.parts, ofProcess);
  await harness.hold({ capabilities: new Set(["session:native-context"]), settings: [{ key: "skills.enabled", json: "false" }] });
  assert.deepEqual(it.discovery.ids("context-files"), ["builtin-defaults"]);
  const { harness: second } = await omp(api, it.parts, ofProcess);
  await second.hold(held());
  assert.deepEqual(it.discovery.ids("context-files"), ["native", "builtin-defaults"]);
  assert.deepEqual(it.settings.layer, new Map());
});

// --- disabled providers

test("discovery is told when the disabled providers changed, and only then", async () => {
  const it = whole();
  const { harness } = await omp(new FakeApi(), it.parts);
  const providers = { key: "disabledProviders", json: `["claude"]` };
  await harness.hold({ capabilities: new Set(), settings: [{ key: "skills.enabled", json: "false" }] });
  assert.equal(it.discovery.initialized, 0);
  for (let time = 0; time < 2; time++) await harness.hold({ capabilities: new Set(), settings: [providers] });
  assert.equal(it.discovery.initialized, 1);
  await harness.hold(held());
  assert.equal(it.discovery.initialized, 2);
});

test("discovery is told of the disabled providers, even when omp refuses another setting", async () => {
  const it = whole();
  it.settings.refuses.add("eval.js");
  const { harness } = await omp(new FakeApi(), it.parts);
  const settings = [{ key: "disabledProviders", json: `["claude"]` }, { key: "eval.js", json: "true" }];
  await assert.rejects(harness.hold({ capabilities: new Set(), settings }), /eval\.js/);
  assert.deepEqual(it.settings.layer.get("disabledProviders"), ["claude"]);
  assert.equal(it.discovery.initialized, 1, "the providers would go on being discovered");
});
