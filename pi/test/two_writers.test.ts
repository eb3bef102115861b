// A session of the extension's effects and the `garnish` command at work on one agent dir at the same time, both killed at
// random points and started again: host/tests/two_writers.rs for this host.
import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, utimesSync } from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { Scratch, on } from "./scratch.ts";

const LOG = "garnish/events.jsonl";
const GARNISH = fileURLToPath(new URL("../../target/release/garnish", import.meta.url));
const CHILD = fileURLToPath(new URL("two_writers_child.ts", import.meta.url));
const ROUNDS = 200;
/** Ten quests a level: five of the session's, five of the command's. */
const LEVELS = 40;
const XP = 3;

// --- what both work on

const two = (number: number) => String(number).padStart(2, "0");
const three = (number: number) => String(number).padStart(3, "0");
const range = (length: number) => Array.from({ length }, (_, index) => index);

/** Each level opens two features, so that each changes both files, and what is remembered of them. */
function graph(): unknown {
  const levels = range(LEVELS).map((level) => ({
    id: `level-${two(level)}`, order: level, quests: [], unlocks: [`f-${two(2 * level)}`, `f-${two(2 * level + 1)}`],
  }));
  const quests = ["session", "command"].flatMap((who) =>
    range(ROUNDS).map((quest) => ({ id: `${who}-${three(quest)}`, level: `level-${two(Math.floor(quest / 5))}`, required: true, xp: XP })),
  );
  return { levels, quests, unlockEdges: [] };
}

/** One kind of surface after the other. The last features belong to no level: `unlock --all` opens them. */
function catalog(): unknown {
  const kinds = [["tool", "name"], ["mcpServer", "name"], ["skill", "glob"], ["extension", "id"], ["provider", "id"]] as const;
  const features = range(2 * LEVELS + 5).map((index) => {
    const [kind, field] = kinds[index % kinds.length]!;
    return [`f-${two(index)}`, [{ kind, [field]: `x${two(index)}` }]];
  });
  return { features: Object.fromEntries(features) };
}

const CONFIG = `# mine, to the byte
theme:   'dark'   # odd spaces
x00: {enabled: false, note: keep} # off
x10:
  enabled: true # on
disabledExtensions: [mine, extension-module:x03] # two
skills:
  customDirectories: [~/skills]
`;
const MCP = '{\n\t"mcpServers": {"x01": {"command": "true", "env": {"A": "${HOME}"}}},\n\t"disabledServers": ["mine"]\n}\n';

function agentDir(scratch: Scratch): Scratch {
  scratch.put("garnish/setup.json", '{"catalog": "team.json", "profile": "omp-18"}');
  scratch.put("garnish/team.json", JSON.stringify(catalog()));
  scratch.put("garnish/graph.json", JSON.stringify(graph()));
  scratch.put("config.yml", CONFIG);
  scratch.put("mcp.json", MCP);
  return scratch;
}

// --- the two

/** Random numbers below `end`, and the same again for the same seed. */
function dice(seed: number): (end: number) => number {
  let state = seed | 1;
  return (end) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % end;
  };
}

/** What the command does in a round. */
function command(round: number): string[] {
  if (round % 25 !== 24) return ["complete", `command-${three(round)}`];
  return ["unlock", "--level", `level-${two(Math.min(Math.floor(round / 5) + 3, LEVELS - 2))}`];
}

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.on("close", resolve));

/** A command to its end: its exit code and what it said. */
async function garnish(agent: string, words: string[], killAfter?: number): Promise<{ code: number | null; said: string }> {
  const child = spawn(GARNISH, ["--agent-dir", agent, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (said += String(bytes)));
  const end = ended(child);
  if (killAfter !== undefined) {
    await setTimeout(killAfter);
    child.kill("SIGKILL");
  }
  return { code: await end, said };
}

/** All rounds of the command, one process each, every third killed and tried again. */
async function commandRounds(agent: string, seed: number): Promise<{ recorded: Set<string>; killed: number }> {
  const below = dice(seed);
  const recorded = new Set<string>();
  let killed = 0;
  // As long as the last one took, so that it is killed anywhere in its work.
  let took = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const words = command(round);
    if (below(3) === 0 && (await garnish(agent, words, (took * below(100)) / 100)).code === null) killed += 1;
    const begun = performance.now();
    const { code, said } = await garnish(agent, words);
    took = performance.now() - begun;
    assert.equal(code, 0, `round ${round}: ${said}`);
    if (words[0] === "complete") recorded.add(words[1]!);
  }
  return { recorded, killed };
}

/** All rounds of the session, in as many processes as it takes. */
async function sessionRounds(agent: string, seed: number): Promise<{ recorded: Set<string>; killed: number }> {
  const below = dice(seed);
  const recorded = new Set<string>();
  let killed = 0;
  while (recorded.size < ROUNDS) {
    const session = spawn(process.execPath, [CHILD, agent, String(recorded.size), String(ROUNDS)], { stdio: ["pipe", "pipe", "inherit"] });
    // It may be dead by then.
    session.stdin.on("error", () => {});
    const end = ended(session);
    const livesFor = 10 + below(30);
    const diesAfter = below(8);
    let seen = 0;
    for await (const line of createInterface(session.stdout)) {
      recorded.add(line.replace("recorded ", ""));
      session.stdin.write("\n");
      if (++seen === livesFor) void setTimeout(diesAfter).then(() => session.kill("SIGKILL"));
    }
    const code = await end;
    if (code === null) killed += 1;
    else assert.equal(code, 0, "the session failed");
  }
  return { recorded, killed };
}

// --- what is left

/** The log's whole events, and how many lines are none. */
function events(scratch: Scratch): { whole: Record<string, unknown>[]; torn: number } {
  const lines = scratch.text(LOG).split("\n").filter((line) => line !== "");
  const whole = lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
  return { whole, torn: lines.length - whole.length };
}

/** What the harness's files say, but for garnish's marker. */
function said(scratch: Scratch): unknown[] {
  return ["config.yml", "mcp.json"].map((path) => ({ ...parse(scratch.text(path)), garnish: undefined }));
}

const temporary = (scratch: Scratch) => scratch.everything().filter((path) => path.endsWith(".tmp"));
const run = (scratch: Scratch, ...words: string[]) => execFileSync(GARNISH, ["--agent-dir", scratch.agent, ...words], { encoding: "utf8" });

test("a session and the command lose nothing of each other", { timeout: 300_000 }, on(async (scratch) => {
  assert.ok(existsSync(GARNISH), `${GARNISH} is missing: run make`);
  const seed = Number(process.env["GARNISH_TEST_SEED"] ?? Date.now() % 1_000_000);
  console.error(`seed ${seed}: GARNISH_TEST_SEED sets it`);
  agentDir(scratch);
  const [session, commands] = await Promise.all([sessionRounds(scratch.agent, seed), commandRounds(scratch.agent, seed + 2)]);
  console.error(`killed: ${session.killed} sessions, ${commands.killed} commands`);
  assert.ok(session.killed > 2 && commands.killed > 10, "hardly anything was killed");

  // Every event is there, once; only who was killed has left half a line.
  const { whole, torn } = events(scratch);
  assert.ok(torn <= session.killed + commands.killed, `${torn} lines are no events`);
  const quests = new Map<unknown, number>();
  for (const { type, quest_id } of whole) {
    if (type === "quest_completed") quests.set(quest_id, (quests.get(quest_id) ?? 0) + 1);
  }
  for (const quest of [...session.recorded, ...commands.recorded]) assert.equal(quests.get(quest), 1, quest);
  assert.equal(quests.size, session.recorded.size + commands.recorded.size);
  // A quest counts once, whoever wrote it down.
  assert.equal((JSON.parse(run(scratch, "status", "--json")) as { xp: number }).xp, XP * quests.size);

  // The files say what the log says: as on an agent dir where nothing but the log ever was.
  run(scratch, "init");
  const fresh = agentDir(new Scratch());
  try {
    copyFileSync(scratch.at(LOG), fresh.at(LOG));
    run(fresh, "init");
    assert.deepEqual(said(scratch), said(fresh));
  } finally {
    fresh[Symbol.dispose]();
  }
  assert.match(run(scratch, "render", "--diff"), /Nothing to change/);
  for (const mine of ["# mine, to the byte\ntheme:   'dark'   # odd spaces\n", "note: keep} # off\n", "# on\n", "[~/skills]\n"]) {
    assert.ok(scratch.text("config.yml").includes(mine), mine);
  }

  // What a killed process left is debris once it is old; the next write takes it away.
  for (const path of temporary(scratch)) utimesSync(scratch.outside(path), 0, 0);
  run(scratch, "unlock", "--all");
  assert.deepEqual(temporary(scratch), []);

  run(scratch, "eject");
  assert.equal(readFileSync(scratch.at("config.yml"), "utf8"), CONFIG);
  assert.equal(readFileSync(scratch.at("mcp.json"), "utf8"), MCP);
}));
