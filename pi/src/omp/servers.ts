// MCP servers that were opened: connected in the running session.
import type { Activation } from "../gate.ts";
import type { Live, LiveSession } from "./live.ts";

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
