// One session of a harness under the gate: when what is asked of the component, and the carrying out of its answers.
//
// The component decides, the harness's adapter knows how; this keeps the order: the stock before the first apply, one
// piece of work at a time, and nothing that the harness waits for before what was queued is done.
import type { Fallback } from "./fallback.ts";
import { type Activation, type Applied, failureOf, type Gate, type Outcome, type Report, type Selector, type Tool, type Trigger, Trouble, type Verdict } from "./gate.ts";
import type { Harness, Held, NoticeLevel } from "./harness.ts";
import { line, lines, parse, untested } from "./learner.ts";

/** What the component asked for while it ran, to be done after it has returned; and what it learnt of the log. */
export interface Wanted {
  logLength?: bigint | undefined;
  tools?: string[] | undefined;
  reload: string[];
}

/** What a session tells whoever made it. */
export interface Hooks {
  /** Once, when the harness's tools are known. */
  begun(): void;
  /** The files have changed, and the harness is about to read them again. */
  changed(): void;
}

export class Session {
  readonly #harness: Harness;
  readonly #gate: Gate;
  readonly #fallback: Fallback;
  readonly #wanted: Wanted;
  readonly #hooks: Partial<Hooks>;
  /** Everything that has to be done before the harness asks its model again. */
  #pending: Promise<void> = Promise.resolve();
  #told = new Set<string>();
  #last: unknown;
  #started = false;
  /** The instance whose answer is held now; undefined: none's. */
  #heldBy: number | undefined;
  /** The length of the log when the learner was last shown where they stand. */
  #shown: bigint | undefined;

  constructor(harness: Harness, gate: Gate, fallback: Fallback, wanted: Wanted, hooks: Partial<Hooks> = {}) {
    this.#harness = harness;
    this.#gate = gate;
    this.#fallback = fallback;
    this.#wanted = wanted;
    this.#hooks = hooks;
  }

  /** Before the harness builds its tools and its prompt, where it lets us. */
  async prepare(): Promise<void> {
    await this.#hold();
  }

  /** The session began, or goes on as another conversation. */
  start(): Promise<void> {
    return this.#next("session-start");
  }

  /** Wherever the harness waits before it asks the model, and at the ends of turns. */
  reached(trigger: Trigger): Promise<void> {
    return this.#started ? this.#next(trigger) : this.start();
  }

  /** Until everything that was queued is done. */
  settled(): Promise<void> {
    return this.#pending;
  }

  /** A command of the learner: what to tell them. */
  async unlock(what: Selector): Promise<Outcome> {
    let outcome: Outcome | undefined;
    this.#last = undefined;
    await this.#queue(async () => {
      await this.#begin();
      outcome = this.#gate.unlock(what);
      if (outcome.report) await this.#carryOut(outcome.report);
      this.#show(false);
    });
    if (!outcome) throw this.#last ?? new Trouble("Nothing was recorded.");
    return outcome;
  }

  status(): Uint8Array {
    return this.#gate.status();
  }

  /** A note for the learner on a refused call, once. */
  note(text: string): void {
    if (text === "" || this.#told.has(text)) return;
    this.#told.add(text);
    this.#notify("warning", text);
  }

  check(name: string, input: unknown, cwd: string, home: string): Verdict {
    const tool = this.#harness.tool(name);
    let text = "";
    try {
      text = JSON.stringify(input ?? {});
      return this.#gate.checkToolCall({ tool, input: new TextEncoder().encode(text), cwd, home });
    } catch (error) {
      // A path of this call that nobody can look up is this call's fault, and no reason to judge by less.
      if (error instanceof Trouble && error.codes.includes("garnish::host::files.resolve")) {
        return { tag: "block", val: { code: error.codes[0] ?? "", forAgent: `Garnish cannot tell where this call leads. ${error.message}`, forLearner: "" } };
      }
      this.#trouble(error);
      return this.#fallback.checkToolCall(tool, text, (error as Error).message);
    }
  }

  #next(trigger: Trigger): Promise<void> {
    return this.#queue(async () => {
      await this.#begin();
      const report = this.#asked(() => this.#gate.applyUnlocks(trigger));
      if (report) await this.#carryOut(report);
      this.#show(trigger === "session-start");
    });
  }

  /** What comes before every apply: the stock, and everything else held, if that was not done by this very instance. */
  async #begin(): Promise<void> {
    await this.#guarded(() => this.#holdTools());
    const isFirst = !this.#started;
    this.#started = true;
    if (isFirst) await this.#guarded(async () => this.#hooks.begun?.());
    if (!isFirst && this.#heldBy === this.#gate.generation) return;
    await this.#hold();
    // Another instance takes for open what an earlier one had begun to open.
    if (!isFirst && this.#heldBy !== undefined) await this.#guarded(async () => void (await this.#harness.open([])));
  }

  /** One piece of work after the other; a failure is told and stops nothing. */
  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#pending.then(work);
    this.#pending = done.catch((error: unknown) => this.#trouble(error));
    return this.#pending;
  }

  /** The names of those tools that may be shown. */
  shown(tools: Tool[]): string[] {
    return this.#asked(() => this.#gate.holdTools(tools)) ?? this.#fallback.holdTools(tools);
  }

  async #holdTools(): Promise<void> {
    await this.#harness.show(this.shown(this.#harness.stock()));
  }

  #held(): Held {
    const moment = this.#started ? "running" : "building";
    const held = this.#asked(() => ({ capabilities: new Set(this.#gate.heldCapabilities()), settings: this.#gate.overrides(moment) }));
    this.#heldBy = held && this.#gate.generation;
    return held ?? this.#fallback.held();
  }

  #hold(): Promise<void> {
    return this.#guarded(() => this.#harness.hold(this.#held()));
  }

  /** Does what the component wanted, and tells it what became of what it was answered `queued`. */
  async #carryOut(report: Report): Promise<void> {
    const { tools, reload } = this.#wanted;
    this.#wanted.tools = undefined;
    this.#wanted.reload = [];
    const became = new Map<string, Activation>();
    if (report.fresh.length > 0 || report.filesWritten.length > 0) {
      await this.#guarded(async () => this.#hooks.changed?.());
      await this.#guarded(() => this.#harness.reread());
    }
    if (tools) {
      const shown = await failureOf(() => this.#harness.show(tools));
      for (const { capability } of report.fresh) if (capability.startsWith("tool:")) became.set(capability, shown ?? { tag: "live" });
    }
    if (reload.length > 0) {
      let opened: Activation[] = [];
      const failed = await failureOf(async () => {
        await this.#hold();
        opened = await this.#harness.open(reload);
        // Tools of a server that has connected now, devices that may be seen.
        await this.#holdTools();
      });
      reload.forEach((capability, index) => became.set(capability, failed ?? opened[index] ?? { tag: "restart" }));
    } else if (report.fresh.length > 0 && !report.fresh.some(({ activation }) => activation.tag === "failed")) {
      // Settings that only kept a tool registered or closed may have become the learner's own again.
      await this.#hold();
    }
    const outcomes: Applied[] = [...became].map(([capability, activation]) => ({ capability, activation }));
    if (outcomes.length > 0) this.#gate.settle(outcomes);
  }

  /** Where the learner stands; said again when the log has grown, or the harness may have taken it off the screen. */
  #show(isAnew: boolean): void {
    if (this.#harness.role() === "subagent" || !this.#harness.isWatched() || (!isAnew && this.#shown === this.#wanted.logLength)) return;
    this.#shown = this.#wanted.logLength;
    const status = this.#asked(() => parse(this.#gate.status()));
    try {
      this.#harness.showStatus(status ? line(status) : "garnish: cannot tell what is unlocked", status && lines(status));
    } catch (error) {
      this.#trouble(error);
    }
    const warning = status && untested(status, this.#harness.name, this.#harness.version);
    if (!warning || this.#told.has(warning)) return;
    this.#told.add(warning);
    this.#notify("warning", warning);
  }

  /** A notice that cannot be shown is worth no session. */
  #notify(level: NoticeLevel, text: string): void {
    try {
      this.#harness.notify(level, text);
    } catch {
      // There is nobody left to tell.
    }
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    const error = await work().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (error) this.#trouble(error);
  }

  /** An answer; undefined, and told, when there is none. */
  #asked<T>(ask: () => T): T | undefined {
    try {
      return ask();
    } catch (error) {
      this.#trouble(error);
      return undefined;
    }
  }

  #trouble(error: unknown): void {
    const said = error instanceof Error ? error.message : String(error);
    this.#last = error;
    if (this.#told.has(said)) return;
    this.#told.add(said);
    const wayOut = error instanceof Trouble ? "Mend it and start again; `garnish status` in a shell shows the same fault, `make install` brings the extension's files back." : "";
    this.#notify("warning", `Garnish: ${said}\nWhat is not unlocked stays held. ${wayOut}`.trim());
  }
}
