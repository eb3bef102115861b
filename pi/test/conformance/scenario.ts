// A scenario: a folder with an agent dir before (`agent/`) and what happens to it (`scenario.yml`); run on the component in
// this runtime, and written down as text. host-test/src/scenario.rs for this host: the texts must be the same.
//
// It expects nothing itself; the test compares.
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { Root } from "#component";
import type { Reason } from "../../src/effects/failure.ts";
import { instance } from "./component.ts";
import { changes, copy, differences, link, listed, LOG, tree } from "./tree.ts";
import { activation, HARNESS, Calls, recorded, type Harness } from "./recorder.ts";
import { appliedLine, outcomeLines, reportLines, statusLines, told, verdictLines } from "./told.ts";
import { byBytes, quoted } from "./words.ts";

type Unlocks = Root["unlocks"];
type Texts = { [name: string]: string };

const FIXTURES = fileURLToPath(new URL("../../../fixtures/", import.meta.url));
export const SCENARIOS = join(FIXTURES, "scenarios");
export const CASES = join(FIXTURES, "cases");

interface Scenario {
  about: string;
  source?: string;
  graph?: string;
  harness?: Partial<Harness>;
  steps: Step[];
}

/** One thing that happens; host-test/src/scenario.rs says what each is. */
interface Step {
  apply?: string;
  "hold-tools"?: string[];
  complete?: string;
  hint?: string;
  unlock?: string;
  settle?: Texts;
  call?: { tool: string; server?: string; input?: unknown; cwd?: string };
  show?: string;
  restart?: Partial<Harness>;
  log?: string;
  write?: Texts;
  replace?: Texts;
  link?: Texts;
  "hard-link"?: Texts;
  mode?: Texts;
  fail?: { [name: string]: Reason };
  times?: number;
  brief?: boolean;
}

const STEP = ["apply", "hold-tools", "complete", "hint", "unlock", "settle", "call", "show", "restart", "log", "write", "replace", "link", "hard-link", "mode", "fail", "times", "brief"];

export interface Ran {
  text: string;
  /** Where the files are not those in `after/`, or without it those in `agent/`, as a case expects. */
  differences: string[];
}

/** Runs all steps of a scenario on a copy of its agent dir, and answers what happened. */
export function run(folder: string): Ran {
  const scenario = parse(readFileSync(join(folder, "scenario.yml"), "utf8")) as Scenario;
  onlyHas(scenario, ["about", "source", "graph", "harness", "steps"]);
  const around = realpathSync(mkdtempSync(join(tmpdir(), "garnish-scenario-")));
  const agent = join(around, "agent");
  try {
    for (const name of ["agent", "outside"]) mkdirSync(join(around, name));
    copy(join(folder, "agent"), agent);
    if (scenario.graph !== undefined) {
      mkdirSync(join(agent, "garnish"), { recursive: true });
      copyFileSync(join(FIXTURES, "graphs", `${scenario.graph}.json`), join(agent, "garnish/graph.json"));
    }
    const running = new Run(agent, scenario);
    for (const step of scenario.steps) running.repeated(step);
    const after = join(folder, "after");
    return { text: running.text, differences: differences(existsSync(after) ? after : join(folder, "agent"), agent) };
  } finally {
    rmSync(around, { recursive: true, force: true });
  }
}

function onlyHas(value: object, known: readonly string[]): void {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined) throw new Error(`a scenario has no ${other}; this runner is to be taught what scenario.rs was`);
}

class Run {
  text: string;
  readonly #agent: string;
  readonly #record = new Calls();
  #harness: Harness;
  #instance: Unlocks;

  constructor(agent: string, { about, harness }: Scenario) {
    this.#agent = agent;
    this.text = `${about}\n`;
    this.#harness = whole(harness);
    this.#instance = this.#begin();
  }

  /** A new instance; the old one is gone. */
  #begin(): Unlocks {
    const { active, tools } = this.#harness;
    this.#record.active = byBytes(active.length > 0 ? active : tools);
    return instance(recorded(this.#agent, this.#harness, this.#record)).unlocks;
  }

  /** Only the first, the last and those with an error are written down. */
  repeated(step: Step): void {
    onlyHas(step, STEP);
    const times = step.times ?? 1;
    for (let time = 1; time <= times; time++) {
      const { length } = this.text;
      this.#step(step);
      if (time > 1 && time !== times && !this.text.slice(length).includes("error")) this.text = this.text.slice(0, length);
    }
  }

  #step(step: Step): void {
    const before = tree(this.#agent);
    this.#record.lines = [];
    this.#record.counts.clear();
    const [title, answer] = this.#act(step);
    const plain = (line: string) => `${line.replaceAll(this.#agent, "{agent}").trimEnd()}\n`;
    const { lines, counts } = this.#record;
    this.text += `\n== ${title}\n${[...lines, ...answer].map(plain).join("")}`;
    if (counts.size > 0) this.text += `calls: ${byBytes(counts.keys()).map((name) => `${name} ${counts.get(name)}`).join(", ")}\n`;
    this.text += changes(before, tree(this.#agent), step.brief ?? false);
  }

  /** Does it; answers what to call it and what came back. */
  #act(step: Step): [string, string[]] {
    const at = (name: string) => (name.startsWith("{outside}") ? join(this.#agent, "..", name.replace(/[{}]/g, "")) : join(this.#agent, name));
    if (step.log !== undefined) {
      mkdirSync(at("garnish"), { recursive: true });
      writeFileSync(at(LOG), step.log, { flag: "a" });
      return [`another process appends ${quoted(step.log)}`, []];
    }
    if (step.write) {
      for (const [name, text] of Object.entries(step.write)) {
        if (text === "") rmSync(at(name));
        else {
          mkdirSync(dirname(at(name)), { recursive: true });
          writeFileSync(at(name), text);
        }
      }
      return [`somebody edits ${byBytes(Object.keys(step.write)).join(", ")}`, []];
    }
    if (step.replace) {
      for (const [name, change] of Object.entries(step.replace)) {
        const [, old, fresh] = /^(.*?) => (.*)$/s.exec(change) ?? [];
        if (old === undefined || fresh === undefined) throw new Error("a replacement is spelled `old => new`");
        writeFileSync(at(name), readFileSync(at(name), "utf8").replace(old, () => fresh));
      }
      return [`somebody edits ${byBytes(Object.keys(step.replace)).join(", ")}`, []];
    }
    for (const [links, hard] of [[step.link, false], [step["hard-link"], true]] as const) {
      if (!links) continue;
      const named = byBytes(Object.keys(links));
      for (const name of named) link(links[name]!, at(name), hard);
      return [`somebody ${hard ? "hard-" : ""}links ${named.map((name) => `${name} to ${links[name]}`).join(", ")}`, []];
    }
    if (step.mode) {
      const modes = byBytes(Object.keys(step.mode)).map((name): [string, string] => [name, step.mode![name]!]);
      for (const [name, mode] of modes) chmodSync(at(name), parseInt(mode, 8));
      return [`somebody sets ${modes.map(([name, mode]) => `${mode} ${name}`).join(", ")}`, []];
    }
    if (step.show === "files") return ["files", listed(this.#agent)];
    if (step.fail) {
      const faults = byBytes(Object.keys(step.fail)).map((name): [string, Reason] => [name, step.fail![name]!]);
      this.#record.faults.push(...faults);
      return [`will fail: ${faults.map(([name, reason]) => `${name} (${reason})`).join(", ")}`, []];
    }
    if (step.restart) {
      if (step.restart.tools?.length) this.#harness = whole(step.restart);
      this.#instance = this.#begin();
      return ["a new instance on the same folder", []];
    }
    return asked(this.#instance, step, this.#agent);
  }
}

function whole(harness: Partial<Harness> = {}): Harness {
  onlyHas(harness, Object.keys(HARNESS));
  return { ...HARNESS, ...harness };
}

function asked(unlocks: Unlocks, step: Step, agent: string): [string, string[]] {
  if (step.apply !== undefined) {
    const trigger = (["before-request", "turn-end", "agent-end", "command"] as const).find((word) => word === step.apply);
    return [`apply ${step.apply}`, told(() => unlocks.applyUnlocks(trigger ?? "session-start"), reportLines)];
  }
  if (step["hold-tools"]) {
    const tools = step["hold-tools"].map(toolNamed);
    return ["hold-tools", told(() => unlocks.holdTools(tools), (shown) => [`shown: ${shown.join(" ")}`])];
  }
  if (step.complete !== undefined) return [`complete ${step.complete}`, told(() => unlocks.complete(step.complete!), outcomeLines)];
  if (step.hint !== undefined) return [`hint ${step.hint}`, told(() => unlocks.openHint(step.hint!), outcomeLines)];
  if (step.unlock !== undefined) {
    const what = step.unlock === "all" ? ({ tag: "all" } as const) : ({ tag: "level", val: step.unlock } as const);
    return [`unlock ${step.unlock}`, told(() => unlocks.unlock(what), outcomeLines)];
  }
  if (step.settle) {
    const outcomes = byBytes(Object.keys(step.settle)).map((capability) => ({ capability, activation: activation(step.settle![capability]!) }));
    return ["settle", told(() => unlocks.settle(outcomes), () => [])];
  }
  if (step.call) {
    const { tool, server, input = null, cwd = "/project" } = step.call;
    const json = JSON.stringify(input).replaceAll("{agent}", agent);
    const call = {
      tool: server === undefined ? { name: tool } : { name: tool, server },
      input: Buffer.from(json),
      cwd: cwd.replaceAll("{agent}", agent),
      project: "/project",
      home: "/home/me",
    };
    return [`call ${tool} ${json.replaceAll(agent, "{agent}").trimEnd()}`, told(() => unlocks.checkToolCall(call), verdictLines)];
  }
  switch (step.show) {
    case "status":
      return ["status", told(() => unlocks.status(), statusLines)];
    case "applied": {
      const applied = told(() => unlocks.appliedCapabilities(), (applied) => applied.map(appliedLine));
      return ["applied", [...applied, ...told(() => unlocks.reloadCount(), (count) => [`reloads: ${count}`])]];
    }
    case "overrides":
    case "overrides-running": {
      const moment = step.show === "overrides" ? "building" : "running";
      return [step.show, told(() => unlocks.overrides(moment), (settings) => settings.map(({ key, json }) => `${key} = ${json}`))];
    }
    default:
      return ["held", told(() => unlocks.heldCapabilities(), (held) => [`held: ${held.join(" ")}`])];
  }
}

/** `name`, or `name@server`. */
function toolNamed(text: string): { name: string; server?: string } {
  const at = text.indexOf("@");
  return at < 0 ? { name: text } : { name: text.slice(0, at), server: text.slice(at + 1) };
}
