// The order of a session: the stock first, one piece of work at a time, each capability at the end that the harness told; and
// nothing that goes wrong stops it.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { test } from "node:test";
import { Trouble } from "../src/gate.ts";
import { parse } from "../src/learner.ts";
import { begun, type Run } from "./fakes/harness.ts";
import { LOG, provisioned, TOOLS, unlocks } from "./fakes/gated.ts";
import { on, type Scratch } from "./scratch.ts";

function set(scratch: Scratch): void {
  provisioned((path, text) => scratch.put(path, text), { catalog: "omp-18", profile: "omp-18" });
  scratch.put(LOG, "");
}

const earn = (scratch: Scratch, ...features: string[]) => appendFileSync(scratch.at(LOG), features.map(unlocks).join(""));

/** How far each applied capability came. */
function states({ session }: Run): Record<string, string> {
  const { applied } = parse(session.status()) as unknown as { applied: { capability: string; state: string }[] };
  return Object.fromEntries(applied.map(({ capability, state }) => [capability, state]));
}

const openNow = "Unlocked, ready now";

test("at the start the stock is told first, tools are held, then the rest, then what the log says is applied", on(async (scratch) => {
  set(scratch);
  const { harness, made, session } = begun(scratch.agent);
  await session.prepare();
  await session.start();
  const asked = made[0]!.asked;
  assert.ok(asked.indexOf("holdTools") < asked.indexOf("applyUnlocks"), asked.join(" "));
  assert.deepEqual(harness.calls.filter((call) => !call.startsWith("notify")), ["hold", "show web_search todo", "hold", "reread", "showStatus"]);
  assert.deepEqual(harness.active, ["web_search", "todo"]);
  assert.ok(harness.held!.capabilities.has("skill:*"));
  assert.deepEqual(harness.notices, []);
  assert.equal(harness.status, "garnish: Tutorial · 0/8 features");
}));

test("whatever comes first, an event or a command, begins the session with its stock", on(async (scratch) => {
  set(scratch);
  for (const first of [({ session }: Run) => session.reached("turn-end"), ({ session }: Run) => session.unlock({ tag: "level", val: "0" })]) {
    const run = begun(scratch.agent);
    await first(run);
    assert.equal(run.made[0]!.asked[0], "holdTools", run.made[0]!.asked.join(" "));
  }
}));

test("before the tools are built the settings are those for building, afterwards those for running", on(async (scratch) => {
  set(scratch);
  const { harness, session } = begun(scratch.agent);
  await session.prepare();
  const value = (key: string) => harness.held!.settings.find((setting) => setting.key === key)?.json;
  assert.equal(value("task.maxRecursionDepth"), "2");
  await session.start();
  assert.equal(value("task.maxRecursionDepth"), "0");
}));

test("tools that were earned are shown, and told once", on(async (scratch) => {
  set(scratch);
  const run = begun(scratch.agent);
  const { harness, session } = run;
  await session.start();
  earn(scratch, "tool:bash");
  await session.reached("before-request");
  assert.ok(harness.active.includes("bash"));
  assert.deepEqual(harness.notices, [`info: ${openNow}: Bash.`]);
  assert.equal(states(run)["tool:bash"], "live");
  for (const trigger of ["turn-end", "agent-end", "before-request"] as const) await session.reached(trigger);
  assert.equal(harness.notices.length, 1);
  assert.equal(harness.status, "garnish: Tutorial · 1/8 features");
}));

test("each capability ends as the harness said", on(async (scratch) => {
  set(scratch);
  const run = begun(scratch.agent);
  const { harness, session } = run;
  await session.start();
  harness.becomes.set("skill:*", { tag: "next-turn" });
  harness.becomes.set("extension:extension-module:garnish-demo", { tag: "restart" });
  harness.becomes.set("mcp:garnish-demo", { tag: "pending", val: "it is not connected" });
  harness.becomes.set("provider:claude", { tag: "failed", val: "no such provider" });
  earn(scratch, "skills", "extensions", "mcp", "context", "tool:bash");
  await session.reached("turn-end");
  const got = states(run);
  assert.deepEqual(
    ["skill:*", "extension:extension-module:garnish-demo", "mcp:garnish-demo", "provider:claude", "provider:codex", "session:append-system", "tool:bash"].map((capability) => got[capability]),
    ["next-turn", "restart", "pending", "failed", "live", "live", "live"],
  );
  const text = harness.notices.join("\n");
  for (const part of [/ready now: .*Bash/, /from your next message on: Skills/, /from the next start of the harness on: Extensions/, /it is not connected/, /no such provider/]) assert.match(text, part);
  assert.ok(!Object.values(got).includes("queued"));
}));

test("a tool that cannot be shown has failed, for the reason that the harness gives", on(async (scratch) => {
  set(scratch);
  const run = begun(scratch.agent);
  const { harness, session } = run;
  await session.start();
  harness.throws.set("show", "omp is busy");
  await session.unlock({ tag: "level", val: "1" });
  assert.equal(states(run)["tool:bash"], "failed");
  assert.match(harness.notices.join("\n"), /Bash.*omp is busy/);
}));

test("when the harness's way to open things throws, they have failed for that reason", on(async (scratch) => {
  set(scratch);
  const run = begun(scratch.agent);
  const { harness, session } = run;
  await session.start();
  harness.throws.set("open", "the prompt cannot be built");
  earn(scratch, "skills", "tool:bash");
  await session.reached("turn-end");
  assert.equal(states(run)["skill:*"], "failed");
  assert.equal(states(run)["tool:bash"], "live");
  assert.match(harness.notices.join("\n"), /Skills.*the prompt cannot be built/);
}));

test("when the harness answers for fewer than it was asked, the rest needs a restart", on(async (scratch) => {
  set(scratch);
  const run = begun(scratch.agent);
  run.harness.open = async () => [];
  await run.session.start();
  earn(scratch, "skills");
  await run.session.reached("turn-end");
  assert.equal(states(run)["skill:*"], "restart");
}));

test("when something else cannot be held again, what was shown is told all the same", on(async (scratch) => {
  // In the first catalog a level opens nothing but tools.
  provisioned((path, text) => scratch.put(path, text), { catalog: "v1", profile: "omp-18" });
  const run = begun(scratch.agent);
  const { harness, session } = run;
  await session.start();
  harness.throws.set("hold", "this omp does not take the settings eval.js");
  await session.unlock({ tag: "level", val: "0" });
  assert.ok(harness.active.includes("edit"));
  assert.equal(states(run)["tool:edit"], "live", "queued for ever, and the learner never told");
  assert.match(harness.notices.join("\n"), /ready now: Files/);
}));

for (const what of ["hold", "reread", "showStatus"] as const) {
  test(`a ${what} that throws at the start is told once, and what the log says is applied all the same`, on(async (scratch) => {
    set(scratch);
    const { harness, made, session } = begun(scratch.agent);
    harness.throws.set(what, "a harness that nobody knows");
    await session.prepare();
    await session.start();
    assert.ok(made[0]!.asked.includes("applyUnlocks"), "the apply of this event was left out");
    assert.deepEqual(harness.active, ["web_search", "todo"]);
    assert.equal(harness.notices.filter((notice) => notice.includes("a harness that nobody knows")).length, 1);
    harness.throws.clear();
    earn(scratch, "tool:bash");
    await session.reached("turn-end");
    assert.ok(harness.active.includes("bash"));
  }));
}

test("a notice that throws costs no work", on(async (scratch) => {
  set(scratch);
  const run = begun(scratch.agent);
  const { harness, session } = run;
  harness.throws.set("notify", "this context is stale");
  harness.throws.set("hold", "no hold");
  await session.start();
  harness.throws.delete("hold");
  await assert.doesNotReject(session.settled(), "the harness waits for this before each request");
  earn(scratch, "tool:bash");
  await session.reached("turn-end");
  assert.ok(harness.active.includes("bash"));
  assert.equal(states(run)["tool:bash"], "live");
}));

test("a notice that throws in the component's own call costs no instance", on(async (scratch) => {
  set(scratch);
  const { harness, made, session } = begun(scratch.agent);
  await session.start();
  harness.throws.set("notify", "this context is stale");
  earn(scratch, "tool:bash", "skills");
  await session.reached("turn-end");
  assert.ok(harness.active.includes("bash"));
  assert.equal(made.length, 1);
}));

test("one piece of work comes after the other, and settled waits for all", on(async (scratch) => {
  set(scratch);
  const { harness, made, session } = begun(scratch.agent);
  const all = [session.start(), session.reached("before-request"), session.unlock({ tag: "level", val: "0" }), session.reached("turn-end"), session.unlock({ tag: "all" })];
  let isDone = false;
  void Promise.all(all).then(() => (isDone = true));
  await session.settled();
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(isDone);
  assert.equal(harness.overlaps, 0);
  assert.equal(made[0]!.asked[0], "holdTools");
  assert.deepEqual(harness.active, TOOLS);
  assert.equal(made.length, 1);
}));

// --- the component in trouble

test("trouble is told once, with its way out, and everything that held.json names stays held", on(async (scratch) => {
  set(scratch);
  scratch.put("garnish/setup.json", `{"profil": "omp-18"}`);
  scratch.put("garnish/held.json", JSON.stringify({ version: 1, capabilities: ["skill:*", "tool:bash"], tools: ["bash"], mcpServers: [] }));
  const { harness, session } = begun(scratch.agent);
  await session.prepare();
  await session.start();
  for (const trigger of ["before-request", "turn-end", "agent-end"] as const) await session.reached(trigger);
  assert.equal(harness.notices.length, 1, harness.notices.join("\n"));
  assert.match(harness.notices[0]!, /^warning: Garnish: garnish\/setup\.json.*profil[^]*\nWhat is not unlocked stays held\..*garnish status/);
  assert.deepEqual(harness.active, TOOLS.filter((name) => name !== "bash"));
  assert.deepEqual(harness.held, { capabilities: new Set(["skill:*", "tool:bash"]), settings: [] });
  assert.equal(harness.status, "garnish: cannot tell what is unlocked");
  assert.equal(session.check("bash", { command: "ls" }, "/", "/").tag, "block");
  assert.equal(session.check("todo", undefined, "/", "/").tag, "allow");
  assert.equal(harness.notices.length, 1);
  await assert.rejects(session.unlock({ tag: "all" }), Trouble);
}));

test("once the learner has mended it the session goes on", on(async (scratch) => {
  set(scratch);
  scratch.put("garnish/setup.json", `{"profil": "omp-18"}`);
  const { harness, session } = begun(scratch.agent);
  await session.start();
  set(scratch);
  earn(scratch, "tool:bash");
  await session.reached("turn-end");
  assert.deepEqual(harness.active, ["bash", "web_search", "todo"]);
  assert.ok(harness.held!.settings.length > 0, "what the component holds, not only what stood in for it");
}));

test("after a trap in the middle of an apply the session is as the log says", on(async (scratch) => {
  set(scratch);
  let isFatal = false;
  const { harness, made, session } = begun(scratch.agent, ({ imports }, number) => {
    const it = imports["garnish:gating/session@0.1.0"];
    const reload = it.reload;
    it.reload = (capabilities) => {
      if (number === 0 && isFatal) throw new Error("an import that nobody foresaw");
      return reload(capabilities);
    };
  });
  await session.start();
  isFatal = true;
  earn(scratch, "skills", "tool:bash");
  await session.reached("turn-end");
  assert.equal(made.length, 2);
  await session.reached("before-request");
  assert.ok(harness.active.includes("bash"));
  assert.ok(!harness.held!.capabilities.has("skill:*"), "skills are unlocked, and the session still holds them");
}));

// --- roles, versions, commands

test("a subagent's session holds and guards, and says nothing", on(async (scratch) => {
  set(scratch);
  const { harness, session } = begun(scratch.agent);
  harness.acts = "subagent";
  harness.version = "1.0.0";
  await session.start();
  earn(scratch, "skills");
  await session.reached("turn-end");
  assert.deepEqual(harness.active, ["web_search", "todo"]);
  assert.equal(session.check("bash", {}, "/", "/").tag, "block");
  assert.deepEqual([harness.notices, harness.status], [[], undefined]);
  assert.deepEqual(scratch.everything().filter((path) => /config\.yml|held\.json/.test(path)), []);
}));

test("a harness that garnish was not tested with is warned of once, and held all the same", on(async (scratch) => {
  set(scratch);
  const { harness, session } = begun(scratch.agent);
  harness.version = "19.0.0";
  await session.start();
  await session.start();
  assert.equal(harness.notices.length, 1);
  assert.match(harness.notices[0]!, /^warning: .*this is omp 19\.0\.0/);
  assert.deepEqual(harness.active, ["web_search", "todo"]);
}));

test("unlock answers what it recorded, and everything is open afterwards", on(async (scratch) => {
  set(scratch);
  const run = begun(scratch.agent);
  const { harness, session } = run;
  await session.start();
  const outcome = await session.unlock({ tag: "all" });
  assert.equal(outcome.exitCode, 0);
  assert.ok(outcome.message.length > 0 && outcome.report);
  assert.deepEqual(harness.active, TOOLS);
  assert.deepEqual(harness.held!.capabilities, new Set());
  assert.equal(harness.status, "garnish: Tutorial · 8/8 features");
  assert.ok(Object.values(states(run)).every((state) => state === "live" || state === "pending"), JSON.stringify(states(run)));
  const again = await session.unlock({ tag: "all" });
  assert.equal(again.exitCode, 0);
  assert.equal(again.report, undefined);
}));

test("unlock of a level that there is not records nothing, and lists those that there are", on(async (scratch) => {
  set(scratch);
  const { harness, session } = begun(scratch.agent);
  await session.start();
  const { exitCode, message, report } = await session.unlock({ tag: "level", val: "nonsense" });
  assert.deepEqual([exitCode, report], [1, undefined]);
  assert.match(message, /tutorial.*core.*deep/);
  assert.equal(scratch.text(LOG), "");
  assert.deepEqual(harness.active, ["web_search", "todo"]);
}));

test("a call is judged on what it would do, and input that is no JSON is judged too", on(async (scratch) => {
  set(scratch);
  const { session } = begun(scratch.agent);
  await session.start();
  earn(scratch, "tool:file");
  await session.reached("turn-end");
  assert.equal(session.check("write", { path: scratch.at("notes.md"), content: "" }, scratch.home, scratch.home).tag, "allow");
  const verdict = session.check("write", { path: scratch.at(LOG), content: "" }, scratch.home, scratch.home);
  assert.ok(verdict.tag === "block");
  assert.equal(verdict.val.code, "garnish::guard::own-state");
  for (const input of [undefined, null, "text", 1]) assert.equal(session.check("bash", input, "/", "/").tag, "block", String(input));
}));
