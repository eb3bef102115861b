// garnish/inventory.json: what the harness had when a session began, for `garnish check` and `garnish doctor` in a shell
// (host/src/inventory.rs). Nothing here, and nothing in the component, reads it.
import type { AgentDirImports } from "./effects/imports.ts";
import type { Harness } from "./harness.ts";

const PATH = "garnish/inventory.json";

/** Writes it down, if it is not what stands there. */
export function takeInventory(harness: Harness, garnish: string, files: AgentDirImports["garnish:gating/files@0.1.0"]): void {
  const tools = [...new Set(harness.allTools())].sort((a, b) => (a < b ? -1 : 1));
  const text = `${JSON.stringify({ version: 1, harness: `${harness.name} ${harness.version}`, garnish, tools }, null, 2)}\n`;
  const before = files.read(PATH);
  if (before && new TextDecoder().decode(before.bytes) === text) return;
  files.write(PATH, before?.version, new TextEncoder().encode(text));
}
