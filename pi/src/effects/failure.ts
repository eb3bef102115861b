// How an import says that it could not do what it was asked, in the words of wit/types.wit, with the way out where there is
// one. It never hides a path: every message names one.
import { constants } from "node:os";

/** As wit/types.wit has them. */
export type Reason = "not-found" | "denied" | "read-only" | "no-space" | "conflict" | "too-large" | "no-session" | "other";

/** What an import throws; the message becomes a sentence. jco hands `payload`, an own property, to the component. */
export class EffectFailure extends Error {
  override name = "EffectFailure";
  readonly payload: { reason: Reason; message: string };

  constructor(reason: Reason, message: string) {
    super(message.endsWith(".") ? message : `${message}.`);
    this.payload = { reason, message: this.message };
  }
}

const REASONS: Record<string, Reason> = {
  ENOENT: "not-found",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "read-only",
  ENOSPC: "no-space",
  EDQUOT: "no-space",
  // A limit on the size of files (`ulimit -f`), or of the file system.
  EFBIG: "too-large",
};

/** A failure to do `what` (`be read`, `be written`) with the file that `shown` names. */
export function io(error: unknown, shown: string, what: string): EffectFailure {
  if (error instanceof EffectFailure) return error;
  const reason = REASONS[code(error)] ?? "other";
  return new EffectFailure(reason, `${shown} cannot ${what}: ${words(error)}.${WAYS_OUT[reason] ?? ""}`);
}

const WAYS_OUT: Partial<Record<Reason, string>> = {
  denied: " Look at its permissions, and at those of its folder.",
  "read-only": " Make its file system writable.",
  "no-space": " Make room on its disk.",
  "too-large": " Raise the limit on the size of files (`ulimit -f`).",
};

/** `ENOENT`, or nothing for what does not come from the operating system. */
export function code(error: unknown): string {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  // Node has no name for it.
  if (errno === -constants.errno.EDQUOT) return "EDQUOT";
  return typeof code === "string" ? code : "";
}

/** Whether that error says that there is nothing of that name. */
export function isMissing(error: unknown): boolean {
  return code(error) === "ENOENT";
}

/** `ENOENT: no such file or directory, open '/x'` without its first and last part. */
function words(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const { syscall } = error as { syscall?: unknown };
  const end = typeof syscall === "string" ? text.lastIndexOf(`, ${syscall}`) : -1;
  return (end < 0 ? text : text.slice(0, end)).replace(/^[A-Z][A-Z0-9]*: /, "");
}
