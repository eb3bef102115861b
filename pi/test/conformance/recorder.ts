// A harness's session and the real effects on a folder, both writing down what they are asked for, and able to fail one
// call: host-test/src/recorder.rs for this host. It decides nothing: a scenario says how the harness behaves.
import type { ImportObject } from "#component";
import { agentDirImports, EffectFailure } from "../../src/effects/index.ts";
import type { Reason } from "../../src/effects/failure.ts";
import { byBytes, lossy, linesOf } from "./words.ts";

export type Imports = Omit<ImportObject, "garnish:gating/types@0.1.0">;
type Session = Imports["garnish:gating/session@0.1.0"];
export type Activation = ReturnType<Session["setActiveTools"]>;

/** How the harness of a scenario behaves. */
export interface Harness {
  readonly tools: readonly string[];
  /** Those offered now; as `tools` when empty. */
  readonly active: readonly string[];
  readonly role: string;
  /** What a reload answers for each capability: `live`, `next-turn`, `queued`, `restart`, or `failed: why`. */
  readonly reload: string;
  /** The same by capability, where one differs. */
  readonly "reload-of": Readonly<Record<string, string>>;
  /** What setting tools answers. */
  readonly "set-tools": string;
  /** Whether there is a session at all. */
  readonly session: boolean;
}

export const HARNESS: Harness = { tools: [], active: [], role: "main", reload: "live", "reload-of": {}, "set-tools": "live", session: true };

/** An activation as a scenario spells it. */
export function activation(text: string): Activation {
  const [, tag, reason] = /^(failed|pending): (.*)$/s.exec(text) ?? [];
  if (reason !== undefined) return { tag: tag as "failed" | "pending", val: reason };
  const plain = (["live", "next-turn", "queued", "restart"] as const).find((tag) => tag === text);
  return plain ? { tag: plain } : { tag: "failed", val: `${JSON.stringify(text)} is no activation` };
}

/** What both halves write down. */
export class Calls {
  /** Calls with an effect, in order, one line each. */
  lines: string[] = [];
  /** How often each import was called, effects or not. */
  counts = new Map<string, number>();
  /** Calls that are to fail: an import (`files.write`, or `files.write config.yml`) and the reason. */
  readonly faults: [string, Reason][] = [];
  /** Tools offered now. */
  active: string[] = [];
  ticks = 0;

  /** Counts a call, and fails it if it is to. */
  call(name: string, detail = ""): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    const named = `${name} ${detail}`.trimEnd();
    const index = this.faults.findIndex(([fault]) => fault === name || fault === named);
    if (index < 0) return;
    const [[, reason]] = this.faults.splice(index, 1) as [[string, Reason]];
    this.lines.push(`${named} fails: ${reason}`);
    throw new EffectFailure(reason, `${named} was made to fail (${reason}).`);
  }
}

/** The imports of one instance: the real effects on `agent`, and a session of `harness`. */
export function recorded(agent: string, harness: Harness, record: Calls): Imports {
  const real = agentDirImports(agent, "/nowhere");
  const files = real["garnish:gating/files@0.1.0"];
  const log = real["garnish:gating/event-log@0.1.0"];
  const session = (name: string): void => {
    record.call(name);
    if (!harness.session) throw new EffectFailure("no-session", "There is no running session here.");
  };
  return {
    "garnish:gating/files@0.1.0": {
      read(path) {
        record.call("files.read", path);
        return files.read(path);
      },
      write(path, expected, bytes) {
        record.call("files.write", path);
        const version = files.write(path, expected, bytes);
        record.lines.push(`write ${path}`);
        return version;
      },
      resolve(path, cwd) {
        record.call("files.resolve", path);
        return files.resolve(path, cwd);
      },
    },
    "garnish:gating/event-log@0.1.0": {
      stat() {
        record.call("event-log.stat");
        return log.stat();
      },
      read(offset, limit) {
        record.call("event-log.read");
        return log.read(offset, limit);
      },
      append(lines) {
        record.call("event-log.append");
        const length = log.append(lines);
        record.lines.push(...linesOf(lossy(lines)).map((line) => `append ${line}`));
        return length;
      },
    },
    "garnish:gating/clock@0.1.0": {
      now() {
        record.ticks += 1;
        const two = (number: number) => String(number).padStart(2, "0");
        return `2026-07-02T12:${two(Math.floor(record.ticks / 60))}:${two(record.ticks % 60)}Z`;
      },
    },
    "garnish:gating/session@0.1.0": {
      getRole: () => (harness.role === "subagent" ? "subagent" : "main"),
      getActiveTools() {
        session("session.get-active-tools");
        return record.active;
      },
      getAllTools() {
        session("session.get-all-tools");
        return [...harness.tools];
      },
      setActiveTools(names) {
        session("session.set-active-tools");
        record.lines.push(`set-active-tools ${names.join(" ")}`);
        const answer = activation(harness["set-tools"]);
        if (answer.tag === "live") record.active = byBytes(names);
        return answer;
      },
      reload(capabilities) {
        session("session.reload");
        record.lines.push(`reload ${capabilities.join(" ")}`);
        return capabilities.map((capability) => activation(harness["reload-of"][capability] ?? harness.reload));
      },
      notify(level, text) {
        record.lines.push(...linesOf(text).map((line) => `notify ${level}: ${line}`));
      },
    },
  };
}
