// MCP servers: those that are held are not found, whatever the files say; those that were opened are connected in the
// running session.
import type { Activation } from "../gate.ts";
import type { Discovery, Live, LiveSession, Provider } from "./live.ts";

/** Held servers, kept out of what omp discovers. */
export class Servers {
  readonly #discovery: Discovery;
  readonly #wrapped = new WeakSet<Provider>();
  #held: ReadonlySet<string> = new Set();

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  hold(names: ReadonlySet<string>): void {
    this.#held = names;
    const providers = this.#discovery.getCapability("mcps")?.providers ?? [];
    for (const [index, provider] of providers.entries()) {
      if (!this.#wrapped.has(provider)) providers[index] = this.#without(provider);
    }
  }

  /** A provider that answers what another does, but for held servers. */
  #without(provider: Provider): Provider {
    const filtered: Provider = Object.create(provider, {
      load: {
        value: async (context: unknown) => {
          const found = await provider.load(context);
          return found?.items ? { ...found, items: found.items.filter(({ name }) => name === undefined || !this.#held.has(name)) } : found;
        },
      },
    });
    this.#wrapped.add(filtered);
    return filtered;
  }
}

/** Connects what the files now allow; answers what became of one server by its name. */
export async function connect(live: Live, session: LiveSession): Promise<(server: string) => Activation> {
  const manager = live.mcp;
  if (!manager) return () => ({ tag: "restart" });
  const enableProjectConfig = live.settings?.get("mcp.enableProjectConfig") !== false;
  // The two filters are what omp itself passes: both are about servers that it has built in.
  await manager.discoverAndConnect({ enableProjectConfig, filterExa: true, filterBrowser: true });
  const tools = manager.getTools();
  await session.refreshMCPTools(tools);
  return (server) =>
    tools.some((tool) => tool.mcpServerName === server)
      ? { tag: "live" }
      : { tag: "pending", val: `no MCP server ${server} is connected` };
}
