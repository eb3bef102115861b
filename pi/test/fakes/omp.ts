// omp as far as garnish uses it, faithful to 18.2.3 where garnish relies on it, each part removable.
import * as module from "node:module";
import type { Context, ExtensionApi } from "../../src/api.ts";
import type { Held } from "../../src/harness.ts";
import type { Discovery, LiveSession, McpManager, Provider, Settings } from "../../src/omp/live.ts";
import { OmpHarness, OmpProcess } from "../../src/omp/harness.ts";

/** A session: tools with names of their own, and tools mounted as devices. */
export class FakeSession implements LiveSession {
  sessionManager = {};
  /** All that is registered, in order; the server where it is a server's. */
  readonly registry = new Map<string, string | undefined>();
  enabled: string[];
  mounted: string[];
  readonly presentations: { names: string[]; mounted: string[]; refresh: boolean }[] = [];
  readonly refreshed: string[] = [];
  readonly hooks: (() => Promise<void> | void)[] = [];
  agent: LiveSession["agent"];

  constructor(names: readonly string[], devices: readonly string[] = []) {
    for (const name of names) this.registry.set(name, undefined);
    this.mounted = [...devices];
    this.enabled = [...names];
    const state = { systemPrompt: [] as string[] };
    this.agent = {
      state,
      addBeforeModelCallHook: (hook) => {
        this.hooks.push(hook);
        return () => {};
      },
      setSystemPrompt: (blocks) => {
        state.systemPrompt = blocks;
      },
    };
  }

  /** A server connects: omp puts its tools into the registry, sorted, and enables them. */
  connects(server: string, names: readonly string[]): void {
    for (const name of names) this.registry.set(name, server);
    const servers = [...this.registry].filter(([, of]) => of !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [name] of servers) this.registry.delete(name);
    for (const [name, of] of servers) this.registry.set(name, of);
    this.enabled = [...this.enabled.filter((name) => this.registry.get(name) === undefined), ...servers.map(([name]) => name).filter((name) => this.enabled.includes(name) || names.includes(name))];
  }

  getEnabledToolNames = (): string[] => [...new Set([...this.enabled, ...this.mounted])];
  getMountedXdevToolNames = (): string[] => [...this.mounted];
  getAllToolNames = (): string[] => [...this.registry.keys()];
  getToolByName = (name: string): { mcpServerName?: string } | undefined => {
    if (!this.registry.has(name)) return undefined;
    const server = this.registry.get(name);
    return server === undefined ? {} : { mcpServerName: server };
  };

  setActiveToolPresentation = async (names: string[], mounted: string[], refresh: boolean): Promise<void> => {
    await Promise.resolve();
    this.presentations.push({ names, mounted, refresh });
    const known = names.filter((name) => this.registry.has(name));
    // Devices are reached through these two: without them there are none.
    const canMount = known.includes("read") && known.includes("write");
    this.mounted = canMount ? mounted.filter((name) => known.includes(name)) : [];
    this.enabled = known;
  };

  refreshSkills = async (): Promise<void> => void this.refreshed.push("skills");
  refreshMCPTools = async (tools: unknown[]): Promise<void> => {
    this.refreshed.push("mcp");
    for (const { mcpServerName } of tools as { mcpServerName: string }[]) this.connects(mcpServerName, [`mcp__${mcpServerName}_echo`]);
  };
}

/** omp's settings: a file, and the layer above it. */
export class FakeSettings implements Settings {
  readonly layer = new Map<string, unknown>();
  readonly refuses = new Set<string>();
  readonly calls: string[] = [];

  get = (key: string): unknown => this.layer.get(key);
  override = (key: string, value: unknown): void => {
    if (this.refuses.has(key)) throw new Error("no such setting");
    this.calls.push(`override ${key} ${JSON.stringify(value)}`);
    this.layer.set(key, value);
  };
  clearOverride = (key: string): void => {
    this.calls.push(`clear ${key}`);
    this.layer.delete(key);
  };
  reloadFromDisk = async (): Promise<void> => void this.calls.push("reload");
}

/** omp's registry of providers. */
export class FakeDiscovery implements Discovery {
  readonly lists = new Map<string, { providers: Provider[] }>();
  initialized = 0;

  constructor(lists: Record<string, Provider[]> = {}) {
    for (const [id, providers] of Object.entries(lists)) this.lists.set(id, { providers });
  }

  ids(list: string): string[] {
    return this.lists.get(list)?.providers.map(({ id }) => id) ?? [];
  }

  getCapability = (id: string): { providers: Provider[] } | undefined => this.lists.get(id);
  initializeWithSettings = (): void => void (this.initialized += 1);
}

export function provider(id: string, priority: number, ...names: (string | undefined)[]): Provider {
  return { id, priority, load: async () => ({ items: names.map((name) => (name === undefined ? {} : { name })) }) };
}

/** The parts that a fake omp has; each may be taken out. */
export interface Parts {
  settings?: Partial<Settings> | undefined;
  sessions?: { kind: string; session: Partial<LiveSession> | null }[] | undefined;
  discovery?: Partial<Discovery> | undefined;
  mcp?: Partial<McpManager> | undefined;
  version?: string | undefined;
}

/** What a fake extension API was asked for. */
export class FakeApi {
  tools: string[] = [];
  active: string[] = [];
  readonly notices: string[] = [];
  /** Set once the promise that `setActiveTools` answered is fulfilled. */
  settled = true;

  of({ settings, sessions, version }: Parts): ExtensionApi {
    const fake = {
      pi: {
        getAgentDir: () => "/nowhere/agent",
        ...(version && { VERSION: version }),
        ...(settings && { settings }),
        ...(sessions && { AgentRegistry: { global: () => ({ list: () => sessions }) } }),
      },
      on() {},
      registerCommand() {},
      getActiveTools: () => this.active,
      getAllTools: () => this.tools.map((name) => ({ name })),
      setActiveTools: async (names: string[]) => {
        this.settled = false;
        await new Promise((resolve) => setTimeout(resolve, 5));
        this.active = names.filter((name) => this.tools.includes(name));
        this.settled = true;
      },
    };
    return fake as ExtensionApi;
  }

  context(sessionManager: object): Context {
    const ui = { notify: (text: string, level: string) => void this.notices.push(`${level}: ${text}`), setStatus() {}, setWidget() {} };
    return { ui, cwd: "/nowhere", sessionManager };
  }
}

export function held(...capabilities: string[]): Held {
  return { capabilities: new Set(capabilities), settings: [] };
}

// --- the modules inside omp's bundle

const PREFIX = "omp-legacy-pi-bundled:@oh-my-pi/pi-coding-agent/";
const SOURCES: Record<string, string> = {
  capability: "export let getCapability, initializeWithSettings; globalThis.garnishFakeCapability = (it) => { ({ getCapability, initializeWithSettings } = it ?? {}); };",
  "mcp/manager": "export let MCPManager; globalThis.garnishFakeManager = (it) => { MCPManager = it && { instance: () => it }; };",
};

let isServed = false;

/** Lets `import` find modules under the names that omp gives its own. */
async function serve(): Promise<void> {
  if (isServed) return;
  isServed = true;
  const { Bun } = globalThis as { Bun?: { plugin(plugin: object): void } };
  if (Bun) {
    const setup = (build: { module(name: string, make: () => object): void }) => {
      for (const [path, contents] of Object.entries(SOURCES)) build.module(PREFIX + path, () => ({ contents, loader: "js" }));
    };
    Bun.plugin({ name: "omp", setup });
  } else {
    module.registerHooks({
      resolve: (name, context, next) => (name.startsWith(PREFIX) ? { url: name, shortCircuit: true } : next(name, context)),
      load: (url, context, next) => (url.startsWith(PREFIX) ? { format: "module", shortCircuit: true, source: SOURCES[url.slice(PREFIX.length)] ?? "" } : next(url, context)),
    });
  }
  for (const path of Object.keys(SOURCES)) await import(PREFIX + path);
}

/** A harness of an omp that has these parts, in a process of its own unless that is given. */
export async function omp(api: FakeApi, parts: Parts, ofProcess = new OmpProcess()): Promise<{ harness: OmpHarness }> {
  await serve();
  const set = globalThis as unknown as { garnishFakeCapability(it: unknown): void; garnishFakeManager(it: unknown): void };
  set.garnishFakeCapability(parts.discovery);
  set.garnishFakeManager(parts.mcp);
  return { harness: await OmpHarness.of(api.of(parts), ofProcess) };
}
