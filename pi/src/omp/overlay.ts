// garnish/overlay.yml, written anew when the config has changed: what garnish holds there, once more above every project's
// file. `garnish launch` makes it (host/src/overlay.rs) and omp is started with it; where it is not, nothing is done here.
//
// It copies what the config says under the keys that its marker lists, and decides nothing.
import type { AgentDirImports } from "../effects/imports.ts";

const OVERLAY = "garnish/overlay.yml";
const CONFIGS = ["config.yml", "config.yaml"];

type Files = AgentDirImports["garnish:gating/files@0.1.0"];
type Mapping = { [key: string]: unknown };

/** Answers whether it was written. A config that cannot be read leaves it as it is: closed. */
export function refreshOverlay(files: Files, parse: (yaml: string) => unknown): boolean {
  const before = files.read(OVERLAY);
  if (!before) return false;
  const config = CONFIGS.map((path) => files.read(path)).find((content) => content !== undefined);
  const text = config && overlay(parsed(config.bytes, parse));
  if (text === undefined || text === new TextDecoder().decode(before.bytes)) return false;
  files.write(OVERLAY, before.version, new TextEncoder().encode(text));
  return true;
}

function parsed(bytes: Uint8Array, parse: (yaml: string) => unknown): unknown {
  try {
    return parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function overlay(config: unknown): string | undefined {
  if (!isMapping(config)) return undefined;
  const marker = config["garnish"];
  const leaves = isMapping(marker) && Array.isArray(marker["leaves"]) ? (marker["leaves"] as unknown[]) : [];
  const held: Mapping = {};
  for (const leaf of leaves) {
    const path = String(leaf).split(".");
    const value = path.reduce<unknown>((at, step) => (isMapping(at) ? at[step] : undefined), config);
    if (value === undefined) continue;
    let at = held;
    for (const step of path.slice(0, -1)) at = (at[step] ??= {}) as Mapping;
    at[path.at(-1)!] = value;
  }
  return `${JSON.stringify(held, null, 2)}\n`;
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
