// What the learner reads and types: the words for where they stand, and what /unlock takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { completions, line, lines, parse, selector, told, untested, type Status } from "../src/learner.ts";
import { Gated, LOG, provisioned } from "./fakes/gated.ts";
import { on, type Scratch } from "./scratch.ts";

/** The status of a learner who has done these quests, from the component itself. */
function status(scratch: Scratch, events: string[] = [], graph = true): Status {
  if (graph) provisioned((path, text) => scratch.put(path, text), { catalog: "omp-18", profile: "omp-18" });
  scratch.put(LOG, events.join(""));
  const { gate } = new Gated(scratch.agent);
  gate.applyUnlocks("session-start");
  return parse(gate.status());
}

function done(quest: string, level: string): string {
  return `${JSON.stringify({ at: "2026-07-01T10:00:00Z", type: "quest_completed", quest_id: quest, level_id: level, required: quest !== "extra", xp: 10 })}\n`;
}

const TUTORIAL = [done("hello", "tutorial"), done("look", "tutorial")];
const ALL = [...TUTORIAL, done("extra", "tutorial"), done("edit-one", "core"), done("run-one", "core"), done("last", "deep")];

test("a learner who begins", on((scratch) => {
  const it = status(scratch);
  assert.equal(line(it), "garnish: Tutorial · 0/8 features");
  assert.deepEqual(lines(it), ["Level 0 Tutorial: 0 of 2 quests", "Next: Say hello"]);
  const text = told(it);
  assert.ok(text.startsWith("garnish: Tutorial · 0/8 features\nXP: 0\nHeld:\n  Context files: It comes with"), text);
  assert.doesNotMatch(text, /Unlocked:|undefined|Nothing is held/);
  assert.match(text, /\nKept back until then: .*tool:bash/);
  assert.ok(text.endsWith("\nNext:\n  Say hello\n  Look around"), text);
}));

test("a learner on the way", on((scratch) => {
  const it = status(scratch, [...TUTORIAL, done("edit-one", "core")]);
  assert.equal(line(it), "garnish: Core Loop · 1/8 features");
  assert.deepEqual(lines(it), ["Level 1 Core Loop: 1 of 2 quests", "Next: Run one command"]);
  const text = told(it);
  assert.match(text, /\nXP: 40\nUnlocked: Files\nHeld:\n/);
  assert.ok(text.endsWith("\nNext:\n  Run one command"), text);
}));

test("a learner who has earned everything", on((scratch) => {
  const it = status(scratch, ALL);
  assert.equal(line(it), "garnish: all levels complete · 8/8 features");
  assert.equal(lines(it), undefined);
  assert.match(told(it), /\nUnlocked: .*Shell\nNothing is held: this is the stock harness\.$/);
}));

test("a learner who has taken everything has nothing more to earn, and no widget", on((scratch) => {
  provisioned((path, text) => scratch.put(path, text), { catalog: "omp-18", profile: "omp-18" });
  const { gate } = new Gated(scratch.agent);
  gate.unlock({ tag: "all" });
  const it = parse(gate.status());
  assert.equal(lines(it), undefined);
  assert.match(line(it), / · 8\/8 features$/);
  assert.match(told(it), /Nothing is held/);
}));

test("without a graph it says that there are no levels, and how to unlock", on((scratch) => {
  scratch.put("garnish/setup.json", JSON.stringify({ catalog: "omp-18", profile: "omp-18" }));
  const it = status(scratch, [], false);
  assert.equal(line(it), "garnish: no levels · 0/8 features");
  assert.equal(lines(it), undefined);
  assert.match(told(it), /\n {2}Bash: .*unlock --all/);
  assert.doesNotMatch(told(it), /undefined|null/);
}));

test("a level whose quests are all done but not yet counted shows no next quest", on((scratch) => {
  const it = status(scratch);
  const finished = { ...it, quests: it.quests.map((quest) => ({ ...quest, done: true })) };
  assert.deepEqual(lines(finished), ["Level 0 Tutorial: 0 of 2 quests"]);
  assert.doesNotMatch(told(finished), /Next:/);
}));

test("a quest's summary is told where it has one", on((scratch) => {
  const it = status(scratch);
  const quests = it.quests.map((quest) => (quest.id === "hello" ? { ...quest, summary: "Two words." } : quest));
  assert.match(told({ ...it, quests }), /\n {2}Say hello \(Two words\.\)\n {2}Look around$/);
}));

test("a harness that garnish was tested with is not warned of, any other is", on((scratch) => {
  const it = status(scratch);
  assert.equal(untested(it, "omp", "18.2.3"), undefined);
  assert.match(untested(it, "omp", "18.3.0")!, /tested with omp 18\.2\.3; this is omp 18\.3\.0\. .*held all the same/);
  assert.match(untested(it, "pi", "18.2.3")!, /this is pi 18\.2\.3/);
  assert.match(untested(it, "omp", "of an unknown version")!, /this is omp of an unknown version\./);
}));

// --- /unlock

test("what /unlock takes", () => {
  for (const args of ["--all", "all", "  --all ", "\tall\n"]) assert.deepEqual(selector(args), { tag: "all" }, args);
  for (const [args, val] of [["--level 1", "1"], ["level core", "core"], ["  --level   core ", "core"], ["level -1", "-1"], ["level all", "all"]] as const) {
    assert.deepEqual(selector(args), { tag: "level", val }, args);
  }
});

test("anything else is not how /unlock is used", () => {
  for (const args of ["", " ", "--all core", "--level", "level ", "--level 1 2", "core", "1", "-all", "ALL", "--level=1", "all --level 1"]) {
    assert.equal(selector(args), undefined, args);
  }
});

test("completions are levels that are not open yet, and everything; each is something that /unlock takes", on((scratch) => {
  const it = status(scratch);
  const values = (prefix: string, of: Status | undefined = it) => completions(prefix, of).map(({ value }) => value);
  assert.deepEqual(values(""), ["--all", "--level core", "--level deep"]);
  assert.deepEqual(values("--l"), ["--level core", "--level deep"]);
  assert.deepEqual(values("  --level d"), ["--level deep"]);
  assert.deepEqual(values("x"), []);
  for (const value of values("")) assert.ok(selector(value), value);
  assert.deepEqual(completions("", it)[1], { value: "--level core", label: "--level core", description: "Core Loop" });
  assert.deepEqual(completions("", undefined).map(({ value }) => value), ["--all"]);
}));
