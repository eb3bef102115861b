// What is held while the component cannot answer: what it wrote down last, or else everything that a built-in catalog
// names. It only ever holds; nothing is opened here.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Tool, Verdict } from "./gate.ts";
import type { Held } from "./harness.ts";

/** The form of `garnish/held.json`, version 1. */
interface HeldFile {
  version: 1;
  capabilities: string[];
  tools: string[];
  mcpServers: string[];
  /** For a harness with a settings layer: what the component would set. */
  settings?: Record<string, unknown>;
}

/** All that the built-in catalogs hold; the build puts it here. */
declare const EVERYTHING_HELD: HeldFile;

export class Fallback {
  readonly #written: string;
  readonly #everything: HeldFile;

  constructor(agentDir: string, everything: HeldFile = EVERYTHING_HELD) {
    this.#written = join(agentDir, "garnish/held.json");
    this.#everything = everything;
  }

  /** Read each time: what was unlocked while the component still answered stays open. */
  get #held(): HeldFile {
    return read(this.#written) ?? this.#everything;
  }

  held(): Held {
    const { capabilities, settings = {} } = this.#held;
    return { capabilities: new Set(capabilities), settings: Object.entries(settings).map(([key, value]) => ({ key, json: JSON.stringify(value) })) };
  }

  /** The names of the tools that may be shown. */
  holdTools(tools: readonly Tool[]): string[] {
    const held = this.#held;
    return tools.filter((tool) => !holds(held, tool)).map((tool) => tool.name);
  }

  /** The verdict on a call. Without the component nobody can judge paths, so a call that names garnish's files is refused. */
  checkToolCall(tool: Tool, input: string, trouble: string): Verdict {
    const because = `Garnish cannot tell what is unlocked (${trouble.split("\n")[0]})`;
    const block = (code: string, forAgent: string): Verdict => ({ tag: "block", val: { code, forAgent, forLearner: "" } });
    if (holds(this.#held, tool)) return block("garnish::guard::held", `${because}, so ${tool.name} stays locked. Only the learner can mend that.`);
    if (OWN_STATE.test(input)) return block("garnish::guard::own-state", `${because}, so calls that name its files are refused.`);
    return { tag: "allow" };
  }
}

function holds({ tools, mcpServers }: HeldFile, tool: Tool): boolean {
  return tools.includes(tool.name) || mcpServers.some((server) => tool.server === server || (!tool.server && mayBelong(tool.name, server)));
}

const OWN_STATE = /garnish|events\.jsonl|config\.ya?ml|mcp\.json|settings\.json/i;

/** Whether omp or Pi could have given this name to a tool of that server; as guest/src/mcp_names.rs has it. */
function mayBelong(tool: string, server: string): boolean {
  const omp = server.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "") || "server";
  const pi = server.replace(/[^A-Za-z0-9_]/gu, "_");
  // A name that is too long ends in a hash, and keeps as much of its beginning as there is room for.
  const cut = (prefix: string) => (tool.length < 64 ? prefix : prefix.slice(0, 55));
  return [`mcp__${omp}_`, `mcp__${pi}__`].some((prefix) => tool.startsWith(cut(prefix)));
}

function read(path: string): HeldFile | undefined {
  try {
    if (!statSync(path).isFile()) return undefined;
    const value = JSON.parse(readFileSync(path, "utf8"));
    const isTexts = (list: unknown) => Array.isArray(list) && list.every((item) => typeof item === "string");
    return value.version === 1 && isTexts(value.capabilities) && isTexts(value.tools) && isTexts(value.mcpServers) ? value : undefined;
  } catch {
    return undefined;
  }
}
