// A request without what differs between two starts of the same stock harness, so that "the same as without garnish"
// can be asserted as equality.
//
// Measured on omp 18.2.3 and Pi 1.6.0 (stock.test.ts does so again): only the order in which MCP servers connect. Paths
// are equal when both runs are in one sandbox, and the date stands in the first user message. Garnish's own lines are
// not taken out here: there should be none in a request.
import { setTimeout as sleep } from "node:timers/promises";
import { Late } from "./model.ts";
import type { Model, ModelRequest, OfferedTool } from "./model.ts";
import type { HarnessName } from "./sandbox.ts";

export interface Offer {
  tools: OfferedTool[];
  system: string;
}

/** What the harness itself puts into a request: the tools with their schemas, and the system prompt. */
export function offer(request: ModelRequest): Offer {
  return { tools: inServerOrder(request.offered), system: sortedServers(request.system) };
}

/** Pi lists the tools of MCP servers in the order in which they connected, in one run at the end. */
function inServerOrder(offered: OfferedTool[]): OfferedTool[] {
  const first = offered.findIndex((tool) => tool.name.startsWith("mcp__"));
  if (first < 0) return offered;
  const last = offered.findLastIndex((tool) => tool.name.startsWith("mcp__"));
  const servers = offered.slice(first, last + 1);
  return [...offered.slice(0, first), ...servers.sort((a, b) => (a.name < b.name ? -1 : 1)), ...offered.slice(last + 1)];
}

/** omp puts the servers' own instructions into that order: one section `### server` for each. */
function sortedServers(system: string): string {
  return system.replace(/(## MCP Server Instructions\n.*?\n\n)(### .*?)(?=\n## |\n<\/|$)/s, (_, head: string, sections: string) => {
    const sorted = sections.split(/\n*^(?=### )/m).map((section) => section.trim()).sort();
    return head + sorted.filter(Boolean).join("\n\n");
  });
}

/**
 * The request, if it has everything that these servers add. omp 18 waits 250 ms for them (STARTUP_TIMEOUT_MS in its
 * mcp/manager.ts) and then asks without them, or with what it remembers of their tools: on a busy machine nobody's fault.
 */
export function connected(request: ModelRequest, harness: HarnessName, servers: string[]): ModelRequest {
  const { text, system } = request;
  const missing = servers.find((name) => !text.includes(`MCP-MARK-${name}`) || (harness === "omp" && !system.includes(`Instructions of ${name}`)));
  if (missing !== undefined) throw new Late(`The server ${missing} was not connected when the model was asked.`);
  return request;
}

/** Asks again until these servers are connected, and answers that request. */
export async function asked(model: Model, harness: HarnessName, servers: string[], ask: () => Promise<unknown>): Promise<ModelRequest> {
  for (let left = 20; ; left -= 1) {
    await ask();
    try {
      return connected(model.last, harness, servers);
    } catch (error) {
      if (!(error instanceof Late) || left === 0) throw error;
      await sleep(200);
    }
  }
}

/** The same, whatever the order of the tools and of the prompt's sections. */
export function unordered({ tools, system }: Offer): Offer {
  const sections = system.split(/\n+(?=<[a-z_]+>\n)/).map((section) => section.trim());
  return { tools: [...tools].sort((a, b) => (a.name < b.name ? -1 : 1)), system: sections.sort().join("\n\n") };
}
