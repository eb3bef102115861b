// The component's exports as this host uses them: an instance that is made anew after a trap, and answers that are values.
//
// It holds no rule. What to do while the component cannot answer stands in fallback.ts.
import type { Root } from "#component";

type Unlocks = Root["unlocks"];
export type Activation = Parameters<Unlocks["settle"]>[0][number]["activation"];
export type Applied = Parameters<Unlocks["settle"]>[0][number];
export type Moment = Parameters<Unlocks["overrides"]>[0];
export type Outcome = ReturnType<Unlocks["unlock"]>;
export type Report = ReturnType<Unlocks["applyUnlocks"]>;
export type Selector = Parameters<Unlocks["unlock"]>[0];
export type Setting = ReturnType<Unlocks["overrides"]>[number];
export type Tool = Parameters<Unlocks["holdTools"]>[0][number];
export type ToolCall = Parameters<Unlocks["checkToolCall"]>[0];
export type Trigger = Parameters<Unlocks["applyUnlocks"]>[0];
export type Verdict = ReturnType<Unlocks["checkToolCall"]>;

/** Why the component gave no answer. */
export class Trouble extends Error {
  override name = "Trouble";
  /** What it answered with, if it did: stable, as ARCHITECTURE.md lists them. */
  readonly codes: readonly string[];

  constructor(message: string, codes: readonly string[] = []) {
    super(message);
    this.codes = codes;
  }
}

export class Gate {
  readonly #make: () => Unlocks;
  #instance: Unlocks | undefined;
  /** The first tools that were given: a new instance must know the session's stock before anything else. */
  #stock: Tool[] | undefined;
  #hasStock = false;
  #generation = 0;

  constructor(make: () => Unlocks) {
    this.#make = make;
  }

  /** Another number for each instance. */
  get generation(): number {
    return this.#generation;
  }

  applyUnlocks = (trigger: Trigger): Report => this.#call((it) => it.applyUnlocks(trigger));
  settle = (outcomes: Applied[]): void => this.#call((it) => it.settle(outcomes));
  unlock = (what: Selector): Outcome => this.#call((it) => it.unlock(what));
  heldCapabilities = (): string[] => this.#call((it) => it.heldCapabilities());
  overrides = (moment: Moment): Setting[] => this.#call((it) => it.overrides(moment));
  checkToolCall = (call: ToolCall): Verdict => this.#call((it) => it.checkToolCall(call));
  status = (): Uint8Array => this.#call((it) => it.status());

  holdTools = (tools: Tool[]): string[] => {
    if (!this.#stock) return this.#firstTools(tools);
    return this.#call((it) => it.holdTools(tools));
  };

  /** The first list is the stock: given once to each instance, and so not a second time to this one. */
  #firstTools(tools: Tool[]): string[] {
    try {
      const shown = this.#call((it) => it.holdTools(tools));
      this.#hasStock = true;
      return shown;
    } finally {
      this.#stock = tools;
    }
  }

  /**
   * An answer of the component.
   *
   * @throws {Trouble} when it answered with an error, would not load, or trapped twice. The next call tries again.
   */
  #call<T>(ask: (instance: Unlocks) => T): T {
    // A trap ends an instance, and nothing else: everything that it knew is on disk. So a second one is asked.
    for (const isLast of [false, true]) {
      try {
        return ask(this.#ready());
      } catch (error) {
        const said = answered(error);
        if (said) throw said;
        const isTrap = this.#instance !== undefined;
        this.#instance = undefined;
        if (isLast || !isTrap) throw new Trouble(`garnish.wasm gives no answer: ${(error as Error).message}`);
      }
    }
    throw new Trouble("garnish.wasm gives no answer");
  }

  /** An instance that was told the stock before anything else. */
  #ready(): Unlocks {
    if (!this.#instance) {
      this.#instance = this.#make();
      this.#generation += 1;
      this.#hasStock = false;
    }
    if (this.#stock && !this.#hasStock) this.#instance.holdTools(this.#stock);
    this.#hasStock = this.#stock !== undefined;
    return this.#instance;
  }
}

interface Said {
  payload?: { diagnostics?: { code: string; message: string; file?: string; line?: number; column?: number }[] };
}

/** An error that the component answered with, as one text with a line for each fault; undefined for a trap. */
function answered(error: unknown): Trouble | undefined {
  const diagnostics = (error as Said | undefined)?.payload?.diagnostics;
  if (!Array.isArray(diagnostics)) return undefined;
  const lines = diagnostics.map(({ message, file, line, column }) => {
    const place = [file, line, column].filter((part) => part !== undefined).join(":");
    return place ? `${place}: ${message}` : message;
  });
  return new Trouble(lines.join("\n"), diagnostics.map(({ code }) => code));
}

/** What becomes of a capability when the work for it goes wrong; undefined when it does not. */
export async function failureOf(work: () => Promise<unknown>): Promise<Activation | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return { tag: "failed", val: error instanceof Error ? error.message : String(error) };
  }
}
