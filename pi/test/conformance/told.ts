// What the component answered, line by line, as host-test/src/scenario.rs writes it down.
import type { Root } from "#component";
import { lossy } from "./words.ts";

type Unlocks = Root["unlocks"];
export type Report = ReturnType<Unlocks["applyUnlocks"]>;
export type Outcome = ReturnType<Unlocks["unlock"]>;
export type Verdict = ReturnType<Unlocks["checkToolCall"]>;
type Applied = Report["fresh"][number];
type Diagnostic = Report["diagnostics"][number];

interface Refused {
  kind: { tag: string; val?: string };
  diagnostics: Diagnostic[];
}

/** The lines of an answer, of an error, or of a component that broke down, which is never right. */
export function told<T>(ask: () => T, lines: (answer: T) => string[]): string[] {
  let answer: T;
  try {
    answer = ask();
  } catch (error) {
    const refused = (error as { payload?: Refused }).payload;
    if (!refused?.diagnostics) return [`BROKEN: ${(error as Error).stack}`];
    const { tag, val } = refused.kind;
    return [`error: ${tag}${val === undefined ? "" : ` (${val})`}`, ...refused.diagnostics.map(diagnosticLine)];
  }
  return lines(answer);
}

export function reportLines({ fresh, filesWritten, diagnostics }: Report): string[] {
  const written = filesWritten.length > 0 ? [`wrote: ${filesWritten.join(" ")}`] : [];
  return [...fresh.map((applied) => `fresh ${appliedLine(applied)}`), ...written, ...diagnostics.map(diagnosticLine)];
}

export function outcomeLines({ exitCode, message, report }: Outcome): string[] {
  return [`exit ${exitCode}: ${message}`, ...(report ? reportLines(report) : [])];
}

export function appliedLine({ capability, activation }: Applied): string {
  return `${capability} ${activation.tag}${"val" in activation ? `: ${activation.val}` : ""}`;
}

function diagnosticLine({ code, severity, message, file, line, column, path }: Diagnostic): string {
  const place = [file, line, column, path].filter((part) => part !== undefined);
  return `${severity} ${code} at ${place.join(":")}: ${message}`;
}

export function verdictLines(verdict: Verdict): string[] {
  if (verdict.tag === "allow") return ["allow"];
  const { code, feature, forAgent, forLearner } = verdict.val;
  return [`block ${code} ${feature ?? ""}`, `agent: ${forAgent}`, `learner: ${forLearner}`];
}

/** A status with its keys sorted. */
export function statusLines(status: Uint8Array): string[] {
  const sorted = (_: string, value: unknown): unknown =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.stringify(JSON.parse(lossy(status)), sorted, 2).split("\n");
}
