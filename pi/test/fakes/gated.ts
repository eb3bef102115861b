// A gate on the real component, as the tests of the glue want it: every instance is kept, with what it was asked and what it
// asked for, and can be made to trap.
import { readFileSync } from "node:fs";
import type { Root } from "#component";
import { Gate } from "../../src/gate.ts";
import { instance } from "../conformance/component.ts";
import { Calls, HARNESS, recorded, type Imports } from "../conformance/recorder.ts";

export type Unlocks = Root["unlocks"];
export type Export = keyof Unlocks;

export const TOOLS = ["read", "bash", "edit", "write", "glob", "grep", "task", "web_search", "todo"];
export const LOG = "garnish/events.jsonl";

const SMALL = readFileSync(new URL("../../../fixtures/graphs/small.json", import.meta.url), "utf8");

/** One instance of the component. */
export interface Made {
  /** The exports that were called, in order. */
  readonly asked: Export[];
  /** The exports that trap when they are called. */
  readonly traps: Set<Export>;
  readonly imports: Imports;
}

/** The exports, each call of which is written down, and traps if it is to. */
export function watched(unlocks: Unlocks, { asked, traps }: Made): Unlocks {
  const entries = Object.entries(unlocks).map(([name, call]) => [
    name,
    (...given: unknown[]) => {
      asked.push(name as Export);
      if (traps.has(name as Export)) throw new WebAssembly.RuntimeError("unreachable");
      return (call as (...given: unknown[]) => unknown)(...given);
    },
  ]);
  return Object.fromEntries(entries) as unknown as Unlocks;
}

/** A gate on an agent dir, all of whose instances write down into `calls`. */
export class Gated {
  readonly calls = new Calls();
  readonly made: Made[] = [];
  readonly gate: Gate;

  /** `spoil` may change an instance, the first of which is number 0, before it is used. It may throw, too: then nothing loads. */
  constructor(agent: string, spoil: (made: Made, number: number) => void = () => {}) {
    const harness = { ...HARNESS, tools: TOOLS };
    this.calls.active = [...TOOLS];
    this.gate = new Gate(() => {
      const made: Made = { asked: [], traps: new Set(), imports: recorded(agent, harness, this.calls) };
      spoil(made, this.made.length);
      this.made.push(made);
      return watched(instance(made.imports).unlocks, made);
    });
  }

  /** What the learner was told, in order. */
  get told(): string[] {
    return this.calls.lines.filter((line) => line.startsWith("notify"));
  }
}

/** Sets an agent dir up: a graph of three levels, and a catalog and profile where they are not the ones built in. */
export function provisioned(put: (path: string, text: string) => void, setup?: { catalog: string; profile: string }): void {
  put("garnish/graph.json", SMALL);
  if (setup) put("garnish/setup.json", JSON.stringify(setup));
}

/** A line of the log that unlocks a feature. */
export function unlocks(feature: string): string {
  return `${JSON.stringify({ at: "2026-07-01T10:00:00Z", type: "unlock", target: { type: "feature", id: feature }, reason: "quest_completed" })}\n`;
}

/** The items that are there more than once. */
export function doubles(items: readonly string[]): string[] {
  return items.filter((item, index) => items.indexOf(item) !== index);
}
