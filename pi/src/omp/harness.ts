// A session of omp as garnish sees it: how each kind of surface is held, and given back.
import { homedir } from "node:os";
import { join } from "node:path";
import type { Context, ExtensionApi } from "../api.ts";
import { type Activation, failureOf, type Tool } from "../gate.ts";
import type { Harness, Held, Role } from "../harness.ts";
import { Screen } from "../screen.ts";
import { appendedText, withoutAppended } from "./append.ts";
import { ContextProviders } from "./context.ts";
import { isOmp, Live, type LiveSession } from "./live.ts";
import { connect, Servers } from "./servers.ts";
import { SettingsLayer } from "./settings.ts";
import { Presentation } from "./tools.ts";

export { isOmp };

/** What outlives a session of omp and is shared by all of a process: a subagent's finds what the first one made. */
export class OmpProcess {
  layer: SettingsLayer | undefined;
  context: ContextProviders | undefined;
  servers: Servers | undefined;
  /** APPEND_SYSTEM.md as omp has read it. */
  readonly appended: string | undefined;

  constructor(cwd = process.cwd()) {
    this.appended = appendedText(cwd);
  }

  equip({ settings, discovery }: Live): void {
    if (settings) this.layer ??= new SettingsLayer(settings);
    if (discovery) this.context ??= new ContextProviders(discovery);
    if (discovery) this.servers ??= new Servers(discovery);
  }
}

export class OmpHarness extends Screen implements Harness {
  readonly #api: ExtensionApi;
  readonly #live: Live;
  readonly #process: OmpProcess;
  readonly agentDir: string;
  #session: LiveSession | undefined;
  #isSubagent = false;
  #presentation: Presentation | undefined;
  /** The prompt as garnish has left it. */
  #cut: string | undefined;
  #held: Held = { capabilities: new Set(), settings: [] };
  /** Awaited before each request to the model. */
  beforeModelCall: () => Promise<void> = async () => {};

  private constructor(api: ExtensionApi, live: Live, ofProcess: OmpProcess) {
    super();
    this.#api = api;
    this.#live = live;
    this.#process = ofProcess;
    ofProcess.equip(live);
    this.agentDir = live.agentDir ?? process.env["PI_CODING_AGENT_DIR"] ?? join(homedir(), ".omp/agent");
  }

  static async of(api: ExtensionApi, ofProcess: OmpProcess): Promise<OmpHarness> {
    return new OmpHarness(api, await Live.of(api), ofProcess);
  }

  readonly name = "omp";

  get version(): string {
    return this.#live.version;
  }

  /** A handler runs in this context: the first one tells which session this is. */
  override entered(context: Context): void {
    super.entered(context);
    if (this.#session) return;
    const found = this.#live.session(context.sessionManager);
    if (!found) return;
    this.#session = found.session;
    this.#isSubagent = found.isSubagent;
    this.#presentation = new Presentation(found.session);
    this.#presentation.hideDevices(this.#held.capabilities.has("session:devices"));
    found.session.agent.addBeforeModelCallHook(async () => {
      // What another extension has begun to show must be seen to be held.
      await failureOf(async () => found.session.runToolRegistryMutation?.(async () => {}));
      await this.beforeModelCall();
      this.#cutAppended();
    });
  }

  role(): Role {
    return this.#isSubagent ? "subagent" : "main";
  }

  stock(): Tool[] {
    return this.#presentation?.stock() ?? this.#api.getAllTools().map(({ name }) => ({ name }));
  }

  activeTools(): string[] {
    return this.#session?.getEnabledToolNames() ?? this.#api.getActiveTools();
  }

  allTools(): string[] {
    return this.#session?.getAllToolNames() ?? this.#api.getAllTools().map(({ name }) => name);
  }

  tool(name: string): Tool {
    return this.#presentation?.tool(name) ?? { name };
  }

  async show(names: readonly string[]): Promise<void> {
    if (this.#presentation) await this.#presentation.show(names);
    else await this.#api.setActiveTools([...names]);
  }

  async reread(): Promise<void> {
    await this.#live.settings?.reloadFromDisk();
  }

  async hold(held: Held): Promise<void> {
    this.#held = held;
    this.#presentation?.hideDevices(held.capabilities.has("session:devices"));
    const all = held.capabilities.has("session:native-context");
    this.#process.context?.hold((id) => all || held.capabilities.has(`provider:${id}`));
    this.#process.servers?.hold(named("mcp", held.capabilities));
    const set = this.#process.layer?.put(held.settings);
    if (set?.changed.has("disabledProviders") && this.#live.settings) this.#live.discovery?.initializeWithSettings(this.#live.settings);
    if (set && set.refused.length > 0) throw new Error(`This omp does not take the settings ${set.refused.join(", ")}.`);
  }

  async open(capabilities: readonly string[]): Promise<Activation[]> {
    const kinds = new Set(capabilities.map(kindOf));
    // Rebuilds the system prompt, for skills, context and everything else that is in it.
    const prompt = await failureOf(async () => this.#session?.refreshSkills());
    for (const session of this.#live.sessions()) if (session !== this.#session) await failureOf(() => session.refreshSkills());
    let server: ((name: string) => Activation) | undefined;
    if (kinds.has("mcp") && this.#session) {
      const session = this.#session;
      const fault = await failureOf(async () => {
        server = await connect(this.#live, session);
      });
      if (fault) server = () => fault;
    }
    return capabilities.map((capability) => this.#became(capability, prompt, server));
  }

  #became(capability: string, prompt: Activation | undefined, server: ((name: string) => Activation) | undefined): Activation {
    const restart: Activation = { tag: "restart" };
    const inPrompt = this.#session ? (prompt ?? { tag: "live" as const }) : restart;
    const name = capability.slice(capability.indexOf(":") + 1);
    switch (kindOf(capability)) {
      case "skill":
        return this.#process.layer ? inPrompt : restart;
      case "provider":
        return this.#process.layer && this.#live.discovery ? inPrompt : restart;
      case "session":
        return name !== "native-context" || this.#process.context ? inPrompt : restart;
      case "approvalMode":
      case "tool": // One that omp asks its settings about at each use.
        return this.#process.layer ? { tag: "live" } : restart;
      case "mcp":
        return server?.(name) ?? restart;
      default:
        // Extensions are code that omp loads when it starts, and only then.
        return restart;
    }
  }

  #cutAppended(): void {
    const text = this.#process.appended;
    if (!this.#session || text === undefined || !this.#held.capabilities.has("session:append-system")) return;
    const { agent } = this.#session;
    const blocks = agent.state.systemPrompt;
    // What is left after one cut may say the same elsewhere, as omp's own words.
    if (blocks.join("\n") === this.#cut) return;
    const cut = withoutAppended(blocks, text);
    this.#cut = cut.join("\n");
    if (this.#cut !== blocks.join("\n")) agent.setSystemPrompt(cut);
  }
}

/** The names of a kind. */
function named(kind: string, capabilities: ReadonlySet<string>): Set<string> {
  return new Set([...capabilities].filter((capability) => kindOf(capability) === kind).map((capability) => capability.slice(kind.length + 1)));
}

function kindOf(capability: string): string {
  return capability.slice(0, capability.indexOf(":"));
}
