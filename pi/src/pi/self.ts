// What Pi says of itself: its own module, as extensions may import it.
import { homedir } from "node:os";
import { join } from "node:path";

export interface Self {
  version: string;
  agentDir: string;
}

/** Pi's version and agent dir; without the module, what Pi's documentation says of the latter. */
export async function self(): Promise<Self> {
  const pi = await own();
  return {
    version: typeof pi?.VERSION === "string" ? pi.VERSION : "of an unknown version",
    agentDir: pi?.getAgentDir?.() ?? process.env["PI_CODING_AGENT_DIR"] ?? join(homedir(), ".pi/agent"),
  };
}

async function own(): Promise<{ VERSION?: unknown; getAgentDir?: () => string } | undefined> {
  try {
    return await import("@earendil-works/pi-coding-agent" as string);
  } catch {
    return undefined;
  }
}
