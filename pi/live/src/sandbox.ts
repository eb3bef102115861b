// One throwaway home for one harness: HOME, agent dir and a project under git, all below one new folder of the
// system's temporary directory.
//
// It knows where the harness and garnish keep things, and what makes a harness start without a wizard, an update check
// or the network. It never reads or writes the real home, and passes on no variable of the caller's environment but
// the search path. It starts no harness: that is harness.ts.
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MODEL_ID } from "./model.ts";
import type { Model } from "./model.ts";

export type HarnessName = "omp" | "pi";

const live = dirname(dirname(fileURLToPath(import.meta.url)));
export const MODULES = join(live, "node_modules");
/** The built extension: `make extension`. */
export const EXTENSION = process.env.GARNISH_EXTENSION ?? resolve(live, "../../target/pi/extension");
/** The curriculum of the tests: tutorial gives tool:file; core skills and tool:bash; deep all else. */
export const GRAPH = resolve(live, "../../fixtures/graphs/small.json");
export const MCP_SERVER = join(live, "src/mcp-server.mjs");
export const NODE = join(MODULES, "node/bin/node");
export const BUN = join(MODULES, "bun/bin/bun.exe");

export interface SandboxOptions {
  /** Says where the agent dir is by PI_CODING_AGENT_DIR, not by the default below HOME. Default: true. */
  variable?: boolean;
  /** More environment for the harness. */
  env?: Record<string, string>;
}

/** garnish/setup.json, as guest/src/setup.rs reads it. */
export interface SetupFile {
  catalog: string;
  profile: string;
  graph: string;
}

export class Sandbox {
  readonly root: string;
  readonly home: string;
  readonly agentDir: string;
  /** The root of the repository. */
  readonly project: string;
  /** Where the harness starts. */
  cwd: string;
  readonly harness: HarnessName;
  private readonly model: Model;
  private readonly options: SandboxOptions;

  constructor(harness: HarnessName, model: Model, options: SandboxOptions = {}) {
    this.harness = harness;
    this.model = model;
    this.options = options;
    // Resolved, for the harness tells the model resolved paths.
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "garnish-live-")));
    this.home = join(this.root, "home");
    this.project = join(this.root, "project");
    this.cwd = this.project;
    this.agentDir = options.variable === false ? join(this.home, harness === "omp" ? ".omp/agent" : ".pi/agent") : join(this.root, "agent");
    for (const folder of [this.home, this.project, this.agentDir, join(this.root, "tmp")]) mkdirSync(folder, { recursive: true });
    execFileSync("git", ["init", "--quiet", "--initial-branch", "main", this.project], { env: this.env(), timeout: 20_000 });
    this.connect();
  }

  /** All of the environment that a harness gets. */
  env(): Record<string, string> {
    const proxy = `http://127.0.0.1:${this.model.port}`;
    return {
      PATH: [join(MODULES, ".bin"), ...(process.env.PATH ?? "").split(delimiter)].join(delimiter),
      HOME: this.home,
      TMPDIR: join(this.root, "tmp"),
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      GIT_CONFIG_NOSYSTEM: "1",
      PI_OFFLINE: "1",
      PI_NO_TITLE: "1",
      PI_SKIP_VERSION_CHECK: "1",
      PI_TELEMETRY: "0",
      // Whatever else the harness would reach ends at the scripted model, which refuses and lists it.
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      http_proxy: proxy,
      https_proxy: proxy,
      NO_PROXY: "127.0.0.1,localhost",
      no_proxy: "127.0.0.1,localhost",
      ...(this.harness === "omp" ? { PI_CONFIG_FILES: join(this.root, "quiet.yml") } : {}),
      ...(this.options.variable === false ? {} : { PI_CODING_AGENT_DIR: this.agentDir }),
      ...this.options.env,
    };
  }

  /** Writes a file in the project; the path is relative to it. */
  inProject(path: string, text: string): string {
    return put(join(this.project, path), text);
  }

  inHome(path: string, text: string): string {
    return put(join(this.home, path), text);
  }

  inAgentDir(path: string, text: string): string {
    return put(join(this.agentDir, path), text);
  }

  /** A file of the agent dir as text; undefined when it is not there. */
  read(path: string): string | undefined {
    const file = join(this.agentDir, path);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  }

  /** A skill that the model sees as `NAME: MARK …`. */
  skill(folder: string, name: string, mark: string): void {
    put(join(folder, name, "SKILL.md"), `---\nname: ${name}\ndescription: ${mark} is what this skill is about.\n---\nThe body of ${name}.\n`);
  }

  /** Names servers, each of mcp-server.mjs, in a file of the form of mcp.json. `gate`: the file they wait for. */
  mcp(file: string, servers: Record<string, { gate?: string }>, beside: object = {}): void {
    const starts = join(this.root, "mcp-starts");
    const entries = Object.entries(servers).map(([name, { gate }]) => [
      name,
      { command: NODE, args: [MCP_SERVER, name, starts, ...(gate ? [gate] : [])], ...(this.harness === "pi" ? { exposure: "direct" } : {}) },
    ]);
    put(file, `${JSON.stringify({ ...beside, mcpServers: Object.fromEntries(entries) }, null, 2)}\n`);
  }

  /** The learner's servers, in the agent dir's mcp.json beside what is there. */
  addServers(servers: Record<string, { gate?: string }>): void {
    this.mcp(join(this.agentDir, "mcp.json"), servers, JSON.parse(this.read("mcp.json") ?? "{}") as object);
  }

  /** The names of the servers that were started, in that order. */
  get mcpStarts(): string[] {
    const file = join(this.root, "mcp-starts");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  }

  forgetMcpStarts(): void {
    rmSync(join(this.root, "mcp-starts"), { force: true });
  }

  /** An extension beside garnish that offers the tool `garnish_demo`. */
  demoExtension(name = "garnish-demo"): void {
    const tool = `{name: "garnish_demo", label: "Demo", description: "EXTENSION-MARK-${name}", parameters: {type: "object", properties: {}}, async execute() { return {content: [{type: "text", text: "demo ran"}], details: {}}; }}`;
    this.inAgentDir(`extensions/${name}/index.js`, `export default (pi) => { pi.registerTool(${tool}); };\n`);
  }

  /** Puts the built extension into the agent dir, with setup and graph, as an install does; the log starts empty. */
  install(setup: Partial<SetupFile> = {}): void {
    cpSync(EXTENSION, join(this.agentDir, "extensions/garnish"), { recursive: true });
    const whole: SetupFile = { ...(this.harness === "omp" ? { catalog: "omp-18", profile: "omp-18" } : { catalog: "v1", profile: "pi-1" }), graph: "graph.json", ...setup };
    this.inAgentDir("garnish/setup.json", `${JSON.stringify(whole)}\n`);
    cpSync(GRAPH, join(this.agentDir, "garnish/graph.json"));
  }

  /** Takes the extension out again and leaves everything else. */
  uninstall(): void {
    rmSync(join(this.agentDir, "extensions/garnish"), { recursive: true });
  }

  /** What another process does that unlocks something: appends to the log. */
  unlock(kind: "feature" | "level", ...ids: string[]): void {
    this.log(ids.map((id) => ({ type: "unlock", target: { type: kind, id }, reason: "system" })));
  }

  /** Another process completes required quests of the level `tutorial`. */
  complete(...quests: string[]): void {
    this.log(quests.map((id) => ({ type: "quest_completed", quest_id: id, level_id: "tutorial", required: true, xp: 10 })));
  }

  /** One write, as every writer of the log does it. */
  private log(events: object[]): void {
    mkdirSync(join(this.agentDir, "garnish"), { recursive: true });
    const at = new Date().toISOString();
    appendFileSync(join(this.agentDir, "garnish/events.jsonl"), events.map((event) => `${JSON.stringify({ at, ...event })}\n`).join(""));
  }

  /** The parsed lines of the log. */
  get events(): Record<string, unknown>[] {
    return (this.read("garnish/events.jsonl") ?? "").split("\n").filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  /** The scripted model as the only one; and, for omp, an overlay that keeps its wizard and update check away. */
  private connect(): void {
    const baseUrl = `http://127.0.0.1:${this.model.port}/v1`;
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const entry = { id: MODEL_ID, name: "Fake", reasoning: false, input: ["text"], cost, contextWindow: 400_000, maxTokens: 4096 };
    const providers = { fake: { baseUrl, apiKey: "none", api: "openai-completions", models: [entry] } };
    // JSON is YAML.
    this.inAgentDir(this.harness === "omp" ? "models.yml" : "models.json", JSON.stringify({ providers }));
    if (this.harness === "omp") {
      put(join(this.root, "quiet.yml"), JSON.stringify({ setupVersion: 99, startup: { setupWizard: false, checkUpdate: false } }));
    }
  }
}

function put(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
