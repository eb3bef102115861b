// Where the learner stands, in words: the status line, the widget, what /garnish says, what /unlock takes. From the
// component's status alone; nothing is worked out here that the status does not say.
import type { Selector } from "./gate.ts";

interface Level {
  id: string;
  order: number;
  title: string;
  unlocked: boolean;
  complete: boolean;
  required_done: number;
  required: number;
}

/** The part of docs/status-json.md that is shown. */
export interface Status {
  harness: string;
  tested_versions: string[];
  level: Level | null;
  levels: Level[];
  quests: { id: string; level: string; title: string; summary?: string; required: boolean; done: boolean }[];
  features: { id: string; title: string; unlocked: boolean; how?: string }[];
  held: { capability: string; feature?: string }[];
  xp: number;
  stock_parity: boolean;
}

export function parse(bytes: Uint8Array): Status {
  return JSON.parse(new TextDecoder().decode(bytes)) as Status;
}

/** What to say of a harness that garnish was not tested with; undefined of one that it was. */
export function untested({ harness, tested_versions }: Status, name: string, version: string): string | undefined {
  if (harness === name && tested_versions.includes(version)) return undefined;
  const tested = `${harness} ${tested_versions.join(", ")}`;
  return `Garnish was tested with ${tested}; this is ${name} ${version}. What is not unlocked is held all the same; some of what you unlock may need a restart.`;
}

/** The status line. */
export function line({ level, features, levels }: Status): string {
  const open = features.filter((feature) => feature.unlocked).length;
  const where = level ? level.title : levels.length > 0 ? "all levels complete" : "no levels";
  return `garnish: ${where} · ${open}/${features.length} features`;
}

/** The widget: the level and its next quest; nothing once there is nothing more to earn. */
export function lines({ level, quests, stock_parity }: Status): string[] | undefined {
  if (!level || stock_parity) return undefined;
  const next = quests.find((quest) => quest.level === level.id && quest.required && !quest.done);
  const done = `Level ${level.order} ${level.title}: ${level.required_done} of ${level.required} quests`;
  return next ? [done, `Next: ${next.title}`] : [done];
}

/** What /garnish says. */
export function told(status: Status): string {
  const { level, features, held, xp, quests } = status;
  const open = features.filter((feature) => feature.unlocked);
  const locked = features.filter((feature) => !feature.unlocked);
  const text = [line(status), `XP: ${xp}`];
  if (open.length > 0) text.push(`Unlocked: ${open.map((feature) => feature.title).join(", ")}`);
  if (locked.length > 0) text.push("Held:", ...locked.map((feature) => `  ${feature.title}: ${feature.how ?? "no level gives it; /unlock --all does"}`));
  if (status.stock_parity) text.push("Nothing is held: this is the stock harness.");
  else text.push(`Kept back until then: ${held.map((item) => item.capability).join(", ")}`);
  const next = level && quests.filter((quest) => quest.level === level.id && quest.required && !quest.done);
  if (next?.length) text.push("Next:", ...next.map((quest) => `  ${quest.title}${quest.summary ? ` (${quest.summary})` : ""}`));
  return text.join("\n");
}

export const UNLOCK_USAGE = "Usage: /unlock --all, /unlock --level LEVEL (its number or its id).";

/** What /unlock was asked for; undefined when that is not how it is used. */
export function selector(args: string): Selector | undefined {
  const words = args.trim().split(/\s+/);
  const [what, level] = words;
  if ((what === "--all" || what === "all") && words.length === 1) return { tag: "all" };
  if ((what === "--level" || what === "level") && level && words.length === 2) return { tag: "level", val: level };
  return undefined;
}

/** Completions for /unlock. */
export function completions(prefix: string, status: Status | undefined): { value: string; label: string; description?: string }[] {
  const all = { value: "--all", label: "--all", description: "every feature and level" };
  const levels = (status?.levels ?? [])
    .filter((level) => !level.unlocked)
    .map((level) => ({ value: `--level ${level.id}`, label: `--level ${level.id}`, description: level.title }));
  return [all, ...levels].filter((item) => item.value.startsWith(prefix.trimStart()));
}
