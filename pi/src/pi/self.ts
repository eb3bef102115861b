// Which Pi this is, and where it keeps its files. Pi tells an extension neither, so this reads what is on disk.
import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

export interface Self {
  version: string;
  agentDir: string;
}

export function self(): Self {
  return {
    version: version() ?? "of an unknown version",
    agentDir: process.env["PI_CODING_AGENT_DIR"] || join(homedir(), ".pi/agent"),
  };
}

/** That of the package that the running program belongs to. */
function version(): string | undefined {
  try {
    let folder = dirname(realpathSync(process.argv[1] ?? ""));
    for (; folder !== dirname(folder); folder = dirname(folder)) {
      const said = described(folder);
      if (said?.name === "@earendil-works/pi-coding-agent") return said.version;
    }
  } catch {
    // A program without files of its own: one compiled into a single file.
  }
  return undefined;
}

function described(folder: string): { name?: string; version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch {
    return undefined;
  }
}
