// A session of Pi as garnish sees it. Pi keeps every tool registered and shows its requests, so tools and the prompt are
// held at once; what Pi reads when it loads is opened by a reload, once it is idle.
import type { CommandContext, ExtensionApi } from "../api.ts";
import type { Activation, Tool } from "../gate.ts";
import type { Harness, Held, Role } from "../harness.ts";
import { Screen } from "../screen.ts";
import { type Message, namespaceOf, withoutHeld } from "./request.ts";
import type { Self } from "./self.ts";

const RELOAD = "garnish-reload";

/** What Pi has active where its settings say nothing. */
const DEFAULT_TOOLS = ["read", "bash", "edit", "write"];

/** What Pi has beyond the API that both document. */
interface PiApi extends ExtensionApi {
  getSettings?(): { defaultTools?: unknown; garnish?: { held?: unknown } };
  sendUserMessage?(text: string, options: { expandPromptTemplates: boolean }): void;
}

export class PiHarness extends Screen implements Harness {
  readonly #api: PiApi;
  readonly agentDir: string;
  readonly name = "pi";
  readonly version: string;
  #held: Held = { capabilities: new Set(), settings: [] };
  #hidden = new Set<string>();
  #isFirst = true;
  #wantsReload = false;

  constructor(api: ExtensionApi, { version, agentDir }: Self) {
    super();
    this.#api = api;
    this.agentDir = agentDir;
    this.version = version;
    api.registerCommand(RELOAD, {
      description: "Reload, so that what garnish has unlocked is read",
      handler: (_, context) => context.reload(),
    });
  }

  role(): Role {
    return "main";
  }

  stock(): Tool[] {
    const active = new Set(this.#api.getActiveTools());
    if (this.#isFirst) this.#hidden = this.#closedBySettings();
    this.#isFirst = false;
    return this.allTools()
      .filter((name) => active.has(name) || this.#hidden.has(name))
      .map((name) => this.tool(name));
  }

  activeTools(): string[] {
    return this.#api.getActiveTools();
  }

  allTools(): string[] {
    return this.#api.getAllTools().map(({ name }) => name);
  }

  tool(name: string): Tool {
    return { name };
  }

  async show(names: readonly string[]): Promise<void> {
    const wanted = new Set(names);
    const before = this.#api.getActiveTools();
    const shown = this.allTools().filter((name) => wanted.has(name));
    this.#hidden = new Set([...before, ...this.#hidden].filter((name) => !wanted.has(name)));
    if (shown.length !== before.length || shown.some((name) => !before.includes(name))) await this.#api.setActiveTools(shown);
  }

  /** Pi reads its settings when it loads, and only then. */
  async reread(): Promise<void> {}

  async hold(held: Held): Promise<void> {
    this.#held = held;
  }

  /** What a reload becomes for a capability: `queued` for what is opened without one. */
  afterReload(capability: string): "queued" | "next-turn" {
    if (!/^(skill|extension):/.test(capability)) return "queued";
    this.#wantsReload = true;
    return "next-turn";
  }

  async open(capabilities: readonly string[]): Promise<Activation[]> {
    return capabilities.map((capability) => this.#became(capability));
  }

  /** When Pi is idle: the reload that was promised. In a command it is at hand; elsewhere a command of our own brings it. */
  async reloadWhenWanted(command?: CommandContext): Promise<void> {
    if (!this.#wantsReload) return;
    if (command) await command.reload();
    else if (this.#api.sendUserMessage) this.#api.sendUserMessage(`/${RELOAD}`, { expandPromptTemplates: true });
    this.#wantsReload = false;
  }

  /** For `context_with_system`: what is held is declared to the model by no way, however late Pi has added it. */
  filtered(messages: Message[], shown: (tools: Tool[]) => string[]): Message[] {
    const declared = new Set(messages.flatMap((message) => message.toolsAdded ?? []).map(({ name }) => name));
    const open = new Set(shown([...declared].map((name) => this.tool(name))));
    return withoutHeld(messages, (name) => open.has(name), this.#held.capabilities);
  }

  #became(capability: string): Activation {
    if (!capability.startsWith("mcp:")) return { tag: "live" };
    const server = capability.slice("mcp:".length);
    return this.allTools().some((name) => name.startsWith(`${namespaceOf(server)}__`)) ? { tag: "live" } : { tag: "pending", val: `no MCP server ${server} is connected` };
  }

  /** Tools that Pi would have active but for garnish's own entries in its settings. */
  #closedBySettings(): Set<string> {
    const { defaultTools, garnish } = this.#api.getSettings?.() ?? {};
    const held = new Set(texts(garnish?.held));
    const entries = texts(defaultTools);
    const plain = entries.filter((entry) => !/^[+-]/.test(entry));
    // As Pi resolves the list: plain names replace its default, `+name` adds, `-name` takes away.
    const selected = new Set([...(plain.length > 0 ? plain : DEFAULT_TOOLS), ...named(entries, "+")]);
    return new Set(named(entries, "-").filter((name) => selected.has(name) && held.has(`tool:${name}`)));
  }
}

function texts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

function named(entries: readonly string[], sign: "+" | "-"): string[] {
  return entries.filter((entry) => entry.startsWith(sign)).map((entry) => entry.slice(1));
}
