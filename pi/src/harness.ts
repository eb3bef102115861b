// What garnish needs of a harness, in garnish's words. One implementation for each harness knows how; nobody here knows
// what is to be held.
import type { CommandContext, Context } from "./api.ts";
import type { Activation, Setting, Tool } from "./gate.ts";

export type { Tool };
export type Role = "main" | "subagent";
export type NoticeLevel = "info" | "warning" | "error";

/** Everything that is held now, apart from tools: what the component says, or what stands in for it. */
export interface Held {
  /** Canonical spellings: `skill:*`, `session:append-system`. */
  readonly capabilities: ReadonlySet<string>;
  /** Settings for a runtime layer, where the harness has one. */
  readonly settings: readonly Setting[];
}

/** One session of a harness. */
export interface Harness {
  /** Its command: `omp`. */
  readonly name: string;
  /** `18.2.3`. */
  readonly version: string;
  /** Absolute. */
  readonly agentDir: string;
  /** A handler runs in this context. */
  entered(context: Context): void;
  role(): Role;
  /** The tools that the harness would show without garnish, as far as it has them now, in its order. */
  stock(): Tool[];
  /** Names that are offered to the model now, and all that could be. */
  activeTools(): string[];
  allTools(): string[];
  /** Offer exactly these, in the harness's order; without effect when it is so already. */
  show(names: readonly string[]): Promise<void>;
  /** A tool by its name in a call, with its MCP server where the harness tells. */
  tool(name: string): Tool;
  /** The files have changed under the harness: it reads them again, where it can. */
  reread(): Promise<void>;
  /** Close and open everything but tools so that just these are held. Idempotent. */
  hold(held: Held): Promise<void>;
  /** Brings back what `hold` has let go: what became of each, in order. */
  open(capabilities: readonly string[]): Promise<Activation[]>;
  /** Where a reload was promised: carries it out, in a command of the learner or whenever the harness is idle. */
  reloadWhenWanted?(command?: CommandContext): Promise<void>;
  notify(level: NoticeLevel, text: string): void;
  /** Whether anybody can see what is shown: not in a run that only prints. */
  isWatched(): boolean;
  /** One line that stays in view, and a few lines for where the learner stands; undefined takes them away. */
  showStatus(line: string | undefined, lines: string[] | undefined): void;
}
