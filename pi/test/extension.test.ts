// The built folder, loaded as omp and Pi load it: whatever is wrong with garnish.wasm, tools stay held and the learner is told
// which file and which versions; and each session acts in its own role.
import assert from "node:assert/strict";
import { appendFileSync, copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Context, ExtensionApi } from "../src/api.ts";
import { FakeApi, FakeSession } from "./fakes/omp.ts";
import { LOG, provisioned, unlocks } from "./fakes/gated.ts";
import { on, type Scratch } from "./scratch.ts";

const BUILT = fileURLToPath(new URL("../../target/pi/extension", import.meta.url));
const TOOLS = ["read", "bash", "edit", "write", "task", "web_search", "todo"];
const CORE = "garnish.core.wasm";

type Handler = (event: object, context: Context) => unknown;

/** A harness that has loaded the folder. */
class Loaded {
  readonly api = new FakeApi();
  readonly handlers = new Map<string, Handler[]>();
  readonly commands = new Map<string, { handler(args: string, context: Context): Promise<void> }>();
  readonly context: Context;

  private constructor(scratch: Scratch, sessionManager: object) {
    this.api.tools = [...TOOLS];
    this.api.active = [...TOOLS];
    this.context = { ...this.api.context(sessionManager), cwd: scratch.home };
  }

  /** In omp, if `sessions` says which there are; else in Pi. */
  static async from(scratch: Scratch, folder: string, sessions?: { kind: string; session: FakeSession }[]): Promise<Loaded> {
    const it = new Loaded(scratch, sessions?.at(-1)?.session.sessionManager ?? {});
    const api = it.api.of({ ...(sessions && { sessions }), version: "18.2.3" });
    const pi = sessions && { ...(api as unknown as { pi: object }).pi, getAgentDir: () => scratch.agent };
    const { default: garnish } = (await import(pathToFileURL(join(folder, "index.js")).href)) as { default(api: ExtensionApi): Promise<void> };
    await garnish({
      ...api,
      pi,
      on: (event: string, handler: Handler) => void it.handlers.set(event, [...(it.handlers.get(event) ?? []), handler]),
      registerCommand: (name: string, command: { handler(args: string, context: Context): Promise<void> }) => void it.commands.set(name, command),
    } as unknown as ExtensionApi);
    return it;
  }

  async fires(event: string, data: object = {}): Promise<unknown> {
    let answer: unknown;
    for (const handler of this.handlers.get(event) ?? []) answer = (await handler(data, this.context)) ?? answer;
    return answer;
  }

  call(toolName: string, input: object = {}): Promise<unknown> {
    return this.fires("tool_call", { toolName, input });
  }
}

/** A copy of the folder, and an agent dir that Pi would use. */
function copied(scratch: Scratch): string {
  const folder = scratch.at("extensions/garnish");
  cpSync(BUILT, folder, { recursive: true });
  provisioned((path, text) => scratch.put(path, text), { catalog: "omp-18", profile: "omp-18" });
  scratch.put(LOG, "");
  return folder;
}

/** Pi is told its agent dir by the environment alone. */
function inAgentDir(test: (scratch: Scratch, folder: string) => Promise<void>): () => Promise<void> {
  return on(async (scratch) => {
    const before = process.env["PI_CODING_AGENT_DIR"];
    process.env["PI_CODING_AGENT_DIR"] = scratch.agent;
    try {
      await test(scratch, copied(scratch));
    } finally {
      if (before === undefined) delete process.env["PI_CODING_AGENT_DIR"];
      else process.env["PI_CODING_AGENT_DIR"] = before;
    }
  });
}

function other(version: string, path: string): void {
  const bytes = readFileSync(path);
  // As long as the version that is there, so that the file stays a module.
  writeFileSync(path, Buffer.from(bytes.toString("latin1").replaceAll("@0.1.0", `@${version}`), "latin1"));
}

for (const harness of ["omp", "Pi"] as const) {
  const load = (scratch: Scratch, folder: string) => Loaded.from(scratch, folder, harness === "omp" ? [] : undefined);

  test(`in ${harness} the folder holds tools, judges calls and has its commands`, inAgentDir(async (scratch, folder) => {
    const it = await load(scratch, folder);
    await it.fires("session_start");
    // omp waits here, before its first request.
    await it.fires("before_agent_start");
    assert.deepEqual(it.api.active, ["web_search", "todo"]);
    assert.match(JSON.stringify(await it.call("bash", { command: "ls" })), /"block":true.*held by garnish/);
    assert.equal(await it.call("todo"), undefined);
    await it.commands.get("unlock")!.handler("--all", it.context);
    assert.deepEqual(it.api.active, TOOLS);
    await it.commands.get("unlock")!.handler("nonsense", it.context);
    assert.match(it.api.notices.at(-1)!, /^error: Usage: \/unlock/);
    await it.commands.get("garnish")!.handler("", it.context);
    assert.match(it.api.notices.at(-1)!, /^info: garnish: .*Nothing is held/s);
  }));

  for (const [what, spoil, said] of [
    ["missing", (path: string) => rmSync(path), /garnish\.core\.wasm cannot be loaded: .*ENOENT/],
    ["empty", (path: string) => writeFileSync(path, ""), /garnish\.core\.wasm cannot be loaded/],
    ["no WebAssembly", (path: string) => writeFileSync(path, "<html>404</html>"), /garnish\.core\.wasm cannot be loaded/],
    ["cut off", (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 100_000)), /garnish\.core\.wasm cannot be loaded/],
    ["of another version", (path: string) => other("0.2.0", path), /garnish\.core\.wasm speaks version 0\.2\.0 of garnish:gating, this extension 0\.1\.0/],
  ] as const) {
    test(`in ${harness}, with garnish.wasm ${what}, all stays held, it is told once, and it heals`, inAgentDir(async (scratch, folder) => {
      const path = join(folder, CORE);
      spoil(path);
      const it = await load(scratch, folder);
      await it.fires("session_start");
      await it.fires("before_agent_start");
      assert.deepEqual(it.api.active, ["web_search", "todo"]);
      assert.equal(it.api.notices.length, 1, it.api.notices.join("\n"));
      assert.match(it.api.notices[0]!, said);
      assert.ok(it.api.notices[0]!.includes(path));
      assert.match(JSON.stringify(await it.call("bash", { command: "ls" })), /"block":true.*bash stays locked/);
      assert.match(JSON.stringify(await it.call("web_search", { query: "garnish/events.jsonl" })), /"block":true/);
      assert.equal(await it.call("todo"), undefined);
      await it.commands.get("garnish")!.handler("", it.context);
      assert.match(it.api.notices.at(-1)!, /^error: Garnish cannot tell/);
      await it.commands.get("unlock")!.handler("--all", it.context);
      assert.match(it.api.notices.at(-1)!, /^error: .*garnish unlock --all/s);
      assert.equal(scratch.text(LOG), "");
      copyFileSync(join(BUILT, CORE), path);
      appendFileSync(scratch.at(LOG), unlocks("tool:bash"));
      await it.fires("before_agent_start");
      assert.deepEqual(it.api.active, ["bash", "web_search", "todo"]);
    }));
  }
}

test("an agent dir that does not exist holds everything", inAgentDir(async (scratch, folder) => {
  process.env["PI_CODING_AGENT_DIR"] = scratch.outside("nowhere");
  const it = await Loaded.from(scratch, folder);
  await it.fires("session_start");
  assert.deepEqual(it.api.active, ["web_search", "todo"]);
  assert.match(it.api.notices.join("\n"), /nowhere does not exist/);
}));

test("a subagent of omp's writes nothing, appends nothing and tells nothing, though its factory ran before anybody knew", inAgentDir(async (scratch, folder) => {
  const main = new FakeSession(TOOLS);
  const agent = new FakeSession(TOOLS);
  const it = await Loaded.from(scratch, folder, [{ kind: "main", session: main }, { kind: "sub", session: agent }]);
  await it.fires("session_start");
  assert.deepEqual(agent.getEnabledToolNames(), ["web_search", "todo"]);
  appendFileSync(scratch.at(LOG), unlocks("skills") + unlocks("tool:bash"));
  await it.fires("before_agent_start");
  assert.match(JSON.stringify(await it.call("edit", {})), /"block":true/);
  assert.deepEqual(main.presentations, []);
  assert.ok(!existsSync(scratch.at("config.yml")), "the agent's session wrote config.yml");
  assert.equal(scratch.text(LOG).trim().split("\n").length, 2, scratch.text(LOG));
  assert.deepEqual(it.api.notices.filter((notice) => !notice.startsWith("warning: The agent wanted")), []);
}));
