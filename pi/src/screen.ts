// What the learner sees of garnish in a session: notices, the status line, the widget. The part of a harness that is the
// same in omp and in Pi; what is said is decided elsewhere.
import type { Context } from "./api.ts";
import type { NoticeLevel } from "./harness.ts";

export class Screen {
  #context: Context | undefined;
  /** Notices from before the first handler ran. */
  #early: [NoticeLevel, string][] = [];

  entered(context: Context): void {
    this.#context = context;
    for (const [level, text] of this.#early.splice(0)) context.ui.notify(text, level);
  }

  notify(level: NoticeLevel, text: string): void {
    if (this.#context) this.#context.ui.notify(text, level);
    else this.#early.push([level, text]);
  }

  isWatched(): boolean {
    return this.#context?.mode !== "print" && this.#context?.mode !== "json";
  }

  showStatus(line: string | undefined, lines: string[] | undefined): void {
    this.#context?.ui.setStatus("garnish", line);
    this.#context?.ui.setWidget("garnish", lines, { placement: "belowEditor" });
  }
}
