// What garnish uses of omp beyond its documented extension API, each part optional: found here, checked here, typed here.
//
// Nothing else asks omp for anything undocumented. A part that is missing is `undefined`, and its user says what it does
// then. Seen to be there in omp 18.2.3.
import type { ExtensionApi } from "../api.ts";

/** omp's settings, with the runtime layer that outranks every file and is not saved. */
export interface Settings {
  get(key: string): unknown;
  override(key: string, value: unknown): void;
  clearOverride(key: string): void;
  reloadFromDisk(): Promise<void>;
}

/** A session of omp, the learner's or an agent's. */
export interface LiveSession {
  sessionManager: object;
  getEnabledToolNames(): string[];
  getMountedXdevToolNames(): string[];
  getAllToolNames(): string[];
  getToolByName(name: string): { mcpServerName?: string } | undefined;
  setActiveToolPresentation(names: string[], mounted: string[], refreshPrompt: boolean): Promise<void>;
  /** Runs after every change of the tools that is under way. Where it is missing, one that is may be seen a request late. */
  runToolRegistryMutation?(work: () => Promise<void>): Promise<void>;
  refreshSkills(): Promise<void>;
  refreshMCPTools(tools: unknown[]): Promise<void>;
  agent: {
    state: { systemPrompt: string[] };
    addBeforeModelCallHook(hook: () => Promise<void> | void): () => void;
    setSystemPrompt(blocks: string[]): void;
  };
}

export interface Provider {
  id: string;
  priority: number;
  load(context: unknown): Promise<{ items?: { name?: string }[] } | undefined>;
}

/** omp's registry of what it discovers (context files, rules, skills …) and by whom. */
export interface Discovery {
  getCapability(id: string): { providers: Provider[] } | undefined;
  initializeWithSettings(settings: Settings): void;
}

export interface McpManager {
  discoverAndConnect(options: { enableProjectConfig: boolean; filterExa: boolean; filterBrowser: boolean }): Promise<unknown>;
  getTools(): { mcpServerName?: string }[];
}

interface Namespace {
  VERSION?: unknown;
  getAgentDir?: () => string;
  settings?: Partial<Settings>;
  AgentRegistry?: { global?(): { list?(): { kind?: string; session?: Partial<LiveSession> | null }[] } };
}

interface McpModule {
  MCPManager?: { instance?(): unknown };
}

type OmpApi = ExtensionApi & { pi?: Namespace };

/** Whether this is omp: its API has omp's own modules in it, Pi's has not. */
export function isOmp(api: ExtensionApi): boolean {
  return typeof (api as OmpApi).pi?.getAgentDir === "function";
}

const has = (object: object | undefined | null, ...methods: string[]): boolean =>
  object != null && methods.every((method) => typeof (object as Record<string, unknown>)[method] === "function");

export class Live {
  readonly #namespace: Namespace;
  readonly settings: Settings | undefined;
  readonly discovery: Discovery | undefined;
  readonly #mcp: McpModule | undefined;

  private constructor(namespace: Namespace, discovery: Discovery | undefined, mcp: McpModule | undefined) {
    this.#namespace = namespace;
    this.settings = has(namespace.settings, "get", "override", "clearOverride", "reloadFromDisk") ? (namespace.settings as Settings) : undefined;
    this.discovery = has(discovery, "getCapability", "initializeWithSettings") ? discovery : undefined;
    this.#mcp = mcp;
  }

  /** Never fails: a factory that throws would leave the session without a gate. */
  static async of(api: ExtensionApi): Promise<Live> {
    const namespace = (api as OmpApi).pi ?? {};
    const discovery = (await bundled("capability")) as Discovery | undefined;
    const mcp = (await bundled("mcp/manager")) as McpModule | undefined;
    try {
      return new Live(namespace, discovery, mcp);
    } catch {
      return new Live({}, undefined, undefined);
    }
  }

  get version(): string {
    return String(this.#namespace.VERSION ?? "of an unknown version");
  }

  get agentDir(): string | undefined {
    try {
      return this.#namespace.getAgentDir?.();
    } catch {
      return undefined;
    }
  }

  /** The session that a handler's context belongs to, and whether it is an agent's. */
  session(sessionManager: object): { session: LiveSession; isSubagent: boolean } | undefined {
    const entry = this.#entries().find((entry) => entry.session?.sessionManager === sessionManager);
    return entry && isSession(entry.session) ? { session: entry.session, isSubagent: entry.kind !== "main" } : undefined;
  }

  /** All sessions of this process. */
  sessions(): LiveSession[] {
    return this.#entries()
      .map((entry) => entry.session)
      .filter(isSession);
  }

  get mcp(): McpManager | undefined {
    const manager = this.#mcp?.MCPManager?.instance?.();
    return has(manager as object, "discoverAndConnect", "getTools") ? (manager as McpManager) : undefined;
  }

  #entries(): { kind?: string; session?: Partial<LiveSession> | null }[] {
    return this.#namespace.AgentRegistry?.global?.()?.list?.() ?? [];
  }
}

function isSession(session: Partial<LiveSession> | null | undefined): session is LiveSession {
  return (
    has(session, "getEnabledToolNames", "getMountedXdevToolNames", "getAllToolNames", "getToolByName", "setActiveToolPresentation", "refreshSkills", "refreshMCPTools") &&
    has(session?.agent, "addBeforeModelCallHook", "setSystemPrompt") &&
    Array.isArray(session?.agent?.state?.systemPrompt)
  );
}

/**
 * One of omp's own modules, the very instance that omp uses. The prefix is omp's for modules inside its bundle: it fails
 * at once where there is none. A plain `@oh-my-pi/…` would make Bun fetch omp from npm instead.
 */
async function bundled(path: string): Promise<unknown> {
  const name = `omp-legacy-pi-bundled:@oh-my-pi/pi-coding-agent/${path}`;
  try {
    return await import(name);
  } catch {
    return undefined;
  }
}
