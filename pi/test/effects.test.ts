// What wit/files.wit, wit/event-log.wit and wit/clock.wit promise, on a real file system.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, linkSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { agentDirImports } from "../src/effects/index.ts";
import { bytes, cannotMount, CHILD, child, fails, needsRoot, on, onSmallDisk, rewrite, started, tearing, type Scratch } from "./scratch.ts";

const LOG = "garnish/events.jsonl";
const isLink = (path: string) => lstatSync(path).isSymbolicLink();

test("an agent dir that is not there, or no folder, is refused by name", on((scratch) => {
  scratch.put("file", "");
  assert.throws(() => agentDirImports(scratch.at("nope"), "/"), /agent dir .*nope does not exist/);
  assert.throws(() => agentDirImports(scratch.at("file"), "/"), /agent dir .*file is not a folder/);
}));

// --- files.read, files.write

test("a file that is not there reads as none", on(({ files }) => {
  assert.equal(files.read("config.yml"), undefined);
  assert.equal(files.read("garnish/setup.json"), undefined);
}));

test("a new file is private and its folders are made", on((scratch) => {
  const version = scratch.files.write("garnish/deep/held.json", undefined, bytes("{}"));
  assert.equal(scratch.files.read("garnish/deep/held.json")?.version, version);
  assert.equal(scratch.mode("garnish/deep/held.json"), 0o600);
  assert.equal(scratch.mode("garnish/deep"), 0o700);
  assert.equal(scratch.mode("garnish"), 0o700);
  assert.deepEqual(scratch.everything(), ["agent", "agent/garnish", "agent/garnish/deep", "agent/garnish/deep/held.json"]);
  // Its second name, under which it was written, is gone.
  assert.equal(statSync(scratch.at("garnish/deep/held.json")).nlink, 1);
}));

test("the mode of a replaced file stays", on((scratch) => {
  for (const mode of [0o600, 0o644, 0o660, 0o755]) {
    scratch.put("mcp.json", "{}");
    chmodSync(scratch.at("mcp.json"), mode);
    rewrite(scratch.files, "mcp.json", "{ }");
    assert.equal(scratch.mode("mcp.json"), mode);
  }
}));

test("the owner of a replaced file stays", { skip: needsRoot }, on((scratch) => {
  scratch.put("config.yml", "a: 1\n");
  chownSync(scratch.at("config.yml"), 65534, 65534);
  rewrite(scratch.files, "config.yml", "a: 2\n");
  const { uid, gid } = statSync(scratch.at("config.yml"));
  assert.deepEqual([uid, gid], [65534, 65534]);
}));

test("a link stays a link over every hop", on((scratch) => {
  scratch.put("real/b/config.yml", "a: 1\n");
  mkdirSync(scratch.at("links"));
  // Each hop is relative to the folder of its own link.
  symlinkSync("links/first", scratch.at("config.yml"));
  symlinkSync("../real/second", scratch.at("links/first"));
  symlinkSync("b/config.yml", scratch.at("real/second"));
  const before = scratch.everything();
  rewrite(scratch.files, "config.yml", "a: 2\n");
  assert.equal(scratch.text("real/b/config.yml"), "a: 2\n");
  assert.equal(readlinkSync(scratch.at("config.yml")), "links/first");
  assert.deepEqual(scratch.everything(), before);
}));

test("an absolute link into the agent dir is followed", on((scratch) => {
  scratch.put("real.yml", "a: 1\n");
  symlinkSync(scratch.at("real.yml"), scratch.at("config.yml"));
  rewrite(scratch.files, "config.yml", "a: 2\n");
  assert.equal(scratch.text("real.yml"), "a: 2\n");
  assert.ok(isLink(scratch.at("config.yml")));
}));

test("an agent dir that is a link itself is followed", on((scratch) => {
  symlinkSync("agent", scratch.outside("link"));
  const { "garnish:gating/files@0.1.0": files } = agentDirImports(scratch.outside("link"), "/nowhere");
  files.write("config.yml", undefined, bytes("a: 1\n"));
  assert.equal(scratch.text("config.yml"), "a: 1\n");
}));

test("a dangling link gets its referent and stays", on((scratch) => {
  symlinkSync("later/real.yml", scratch.at("config.yml"));
  assert.equal(scratch.files.read("config.yml"), undefined);
  scratch.files.write("config.yml", undefined, bytes("a: 1\n"));
  assert.equal(scratch.text("later/real.yml"), "a: 1\n");
  assert.ok(isLink(scratch.at("config.yml")));
}));

test("a dangling link out of the agent dir is not followed", on((scratch) => {
  symlinkSync("../dotfiles.yml", scratch.at("config.yml"));
  assert.equal(scratch.files.read("config.yml"), undefined);
  fails(() => scratch.files.write("config.yml", undefined, bytes("a: 1\n")), "denied", "config.yml");
  assert.deepEqual(scratch.everything(), ["agent", "agent/config.yml"]);
}));

test("a config file linked into a dotfiles folder is replaced there", on((scratch) => {
  mkdirSync(scratch.outside("dotfiles"));
  writeFileSync(scratch.outside("dotfiles/omp.yml"), "a: 1\n");
  chmodSync(scratch.outside("dotfiles/omp.yml"), 0o640);
  symlinkSync("../dotfiles/omp.yml", scratch.at("config.yml"));
  const before = scratch.everything();
  rewrite(scratch.files, "config.yml", "a: 2\n");
  assert.equal(readFileSync(scratch.outside("dotfiles/omp.yml"), "utf8"), "a: 2\n");
  assert.equal(statSync(scratch.outside("dotfiles/omp.yml")).mode & 0o7777, 0o640);
  assert.ok(isLink(scratch.at("config.yml")));
  assert.deepEqual(scratch.everything(), before);
}));

test("a link out of the agent dir to anything but a file is refused", on((scratch) => {
  mkdirSync(scratch.outside("folder"));
  for (const target of ["../folder", "/dev/null", "/"]) {
    symlinkSync(target, scratch.at("config.yml"));
    fails(() => scratch.files.read("config.yml"), "denied", "config.yml");
    fails(() => scratch.files.write("config.yml", undefined, bytes("a: 1\n")), "denied", "config.yml");
    rmSync(scratch.at("config.yml"));
  }
}));

test("a link to a file of another user is refused", { skip: needsRoot }, on((scratch) => {
  writeFileSync(scratch.outside("theirs.yml"), "a: 1\n");
  chownSync(scratch.outside("theirs.yml"), 65534, 65534);
  symlinkSync("../theirs.yml", scratch.at("config.yml"));
  fails(() => scratch.files.read("config.yml"), "denied", "config.yml");
  fails(() => scratch.files.write("config.yml", undefined, bytes("a: 2\n")), "denied", "config.yml");
}));

test("garnish's own files are never followed out of the agent dir", on((scratch) => {
  writeFileSync(scratch.outside("setup.json"), "{}");
  mkdirSync(scratch.at("garnish"));
  symlinkSync("../../setup.json", scratch.at("garnish/setup.json"));
  fails(() => scratch.files.read("garnish/setup.json"), "denied", "garnish/setup.json");
  fails(() => scratch.files.write("garnish/setup.json", undefined, bytes("{}")), "denied", "garnish/setup.json");
}));

test("a folder that is a link out of the agent dir is refused", on((scratch) => {
  mkdirSync(scratch.outside("folder"));
  writeFileSync(scratch.outside("folder/held.json"), "{}");
  symlinkSync("../folder", scratch.at("garnish"));
  fails(() => scratch.files.read("garnish/held.json"), "denied", "garnish/held.json");
  fails(() => scratch.files.write("garnish/new.json", undefined, bytes("{}")), "denied", "garnish/new.json");
  fails(() => scratch.log.append(bytes("{}\n")), "denied", LOG);
  fails(() => scratch.log.stat(), "denied", LOG);
  assert.deepEqual(readdirSync(scratch.outside("folder")), ["held.json"]);
}));

test("links in a circle are an error", on((scratch) => {
  symlinkSync("b.yml", scratch.at("config.yml"));
  symlinkSync("config.yml", scratch.at("b.yml"));
  fails(() => scratch.files.read("config.yml"), "other", "config.yml");
  fails(() => scratch.files.write("config.yml", undefined, bytes("")), "other", "config.yml");
}));

test("a link that is not UTF-8 is an error, not another path", on((scratch) => {
  symlinkSync(Buffer.from([0x78, 0xff]), scratch.at("config.yml"));
  fails(() => scratch.files.read("config.yml"), "other", "config.yml");
  fails(() => scratch.files.resolve("config.yml", scratch.agent), "other", "config.yml");
}));

test("paths that are no paths inside are refused", on((scratch) => {
  for (const path of ["", "/etc/passwd", "../x", "garnish/../../x", "a//b", "./a", "a/.", "a/", "C:/x", "c:x", "a\\..\\b", "a\0b"]) {
    fails(() => scratch.files.read(path), "denied", "agent dir");
    fails(() => scratch.files.write(path, undefined, bytes("")), "denied", "agent dir");
  }
  assert.deepEqual(scratch.everything(), ["agent"]);
}));

test("a write that expects another version is a conflict", on((scratch) => {
  const { files } = scratch;
  const old = files.write("config.yml", undefined, bytes("a: 1\n"));
  scratch.put("config.yml", "a: 1 # mine\n");
  fails(() => files.write("config.yml", old, bytes("a: 2\n")), "conflict", "config.yml");
  fails(() => files.write("config.yml", undefined, bytes("a: 2\n")), "conflict", "config.yml");
  assert.equal(scratch.text("config.yml"), "a: 1 # mine\n");
  rmSync(scratch.at("config.yml"));
  fails(() => files.write("config.yml", old, bytes("a: 2\n")), "conflict", "config.yml");
  assert.deepEqual(scratch.everything(), ["agent"]);
}));

test("the version that a write answers is the one that a read answers", on(({ files }) => {
  let version: bigint | undefined;
  for (const text of ["a", "b", "a", ""]) {
    version = files.write("config.yml", version, bytes(text));
    const content = files.read("config.yml");
    assert.equal(content?.version, version);
    assert.deepEqual([...content.bytes], [...bytes(text)]);
  }
}));

test("of two writers that read the same bytes one has a conflict", on((scratch) => {
  scratch.put("config.yml", "0");
  const [first, second] = [scratch.files, scratch.files];
  for (let round = 1; round <= 50; round++) {
    const version = first.read("config.yml")?.version;
    first.write("config.yml", version, bytes(`${round}`));
    fails(() => second.write("config.yml", version, bytes("late")), "conflict", "config.yml");
    assert.equal(scratch.text("config.yml"), `${round}`);
  }
}));

test("of two processes that make the same new file one has a conflict", on(async (scratch) => {
  await Promise.all([started("create", scratch.agent), started("create", scratch.agent)]);
  const made = scratch.text(LOG).trimEnd().split("\n").map(Number);
  assert.equal(made.length, 2);
  assert.equal(made[0]! + made[1]!, 200);
  assert.equal(readdirSync(scratch.agent).length, 201);
}));

test("a reader sees the old bytes or the new ones", on(async (scratch) => {
  scratch.put("config.yml", "a".repeat(60_000));
  let isDone = false;
  const writer = started("rewrite", scratch.agent).finally(() => (isDone = true));
  let reads = 0;
  while (!isDone) {
    const seen = scratch.text("config.yml");
    assert.ok(seen === "a".repeat(60_000) || seen === "b".repeat(60_000), `${seen.length} bytes that nobody wrote`);
    reads += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writer;
  assert.ok(reads > 1);
}));

test("a folder or a pipe in place of a file is an error and does not hang", on((scratch) => {
  for (const path of ["config.yml", "garnish/displaced.json"]) mkdirSync(scratch.at(path), { recursive: true });
  for (const path of ["mcp.json", "garnish/held.json"]) execFileSync("mkfifo", [scratch.at(path)]);
  const before = scratch.everything();
  for (const path of FILES) {
    fails(() => scratch.files.read(path), "other", path);
    fails(() => scratch.files.write(path, undefined, bytes("{}")), "other", path);
  }
  assert.deepEqual(scratch.everything(), before);
}));

test("a file in place of a folder is an error", on((scratch) => {
  scratch.put("garnish", "");
  fails(() => scratch.files.read("garnish/held.json"), "other", "garnish/held.json");
  fails(() => scratch.files.write("garnish/held.json", undefined, bytes("{}")), "other", "garnish/held.json");
  fails(() => scratch.files.write("garnish/deep/held.json", undefined, bytes("{}")), "other", "garnish/deep/held.json");
  fails(() => scratch.log.stat(), "other", LOG);
  assert.deepEqual(scratch.everything(), ["agent", "agent/garnish"]);
}));

test("a name too long for the file system is an error", on((scratch) => {
  scratch.files.write("x".repeat(255), undefined, bytes("fits"));
  const longer = "x".repeat(256);
  fails(() => scratch.files.write(longer, undefined, bytes("{}")), "other", longer);
  assert.equal(scratch.everything().length, 2);
}));

test("a file over four mebibytes is too large", on((scratch) => {
  scratch.put("config.yml", "");
  truncateSync(scratch.at("config.yml"), 4 << 20);
  assert.equal(scratch.files.read("config.yml")?.bytes.length, 4 << 20);
  truncateSync(scratch.at("config.yml"), (4 << 20) + 1);
  fails(() => scratch.files.read("config.yml"), "too-large", "config.yml");
}));

/** The harness's files, and garnish's own. */
const FILES = ["config.yml", "mcp.json", "garnish/displaced.json", "garnish/held.json"];

test("a full disk leaves the old bytes and nothing else", { skip: cannotMount }, onSmallDisk((scratch) => {
  for (const path of FILES) scratch.put(path, "a: 1\n");
  const before = scratch.everything();
  for (const path of FILES) {
    fails(() => rewrite(scratch.files, path, "x".repeat(200_000)), "no-space", path);
    fails(() => scratch.files.write(`${path}.new`, undefined, bytes("x".repeat(200_000))), "no-space", path);
    assert.equal(scratch.text(path), "a: 1\n");
  }
  assert.deepEqual(scratch.everything(), before);
}));

test("a file system that is read-only is said to be so, and a new file needs no link", { skip: cannotMount }, onSmallDisk((scratch) => {
  scratch.files.write("mcp.json", undefined, bytes("{}"));
  for (const path of [...FILES, LOG]) scratch.put(path, "a: 1\n");
  const before = scratch.everything();
  const mount = scratch.outside("..");
  execFileSync("mount", ["-o", "remount,ro", mount]);
  for (const path of FILES) {
    fails(() => rewrite(scratch.files, path, "a: 2\n"), "read-only", path);
    fails(() => scratch.files.write(`${path}.new`, undefined, bytes("{}")), "read-only", path);
  }
  fails(() => scratch.log.append(bytes("{}\n")), "read-only", LOG);
  for (const path of [...FILES, LOG]) assert.equal(scratch.text(path), "a: 1\n");
  assert.deepEqual(scratch.everything(), before);
}));

test("a limit on the size of files leaves the old bytes and nothing else", on((scratch) => {
  scratch.put("config.yml", "a: 1\n");
  assert.equal(child("limited", scratch.agent, "ulimit -f 16"), "done\n");
  assert.equal(scratch.text("config.yml"), "a: 1\n");
  assert.deepEqual(scratch.everything(), ["agent", "agent/config.yml"]);
}));

test("what may not be written stays as it is", on((scratch) => {
  scratch.put("config.yml", "a: 1\n");
  scratch.put("mcp.json", "{}");
  scratch.put(LOG, "{}\n");
  mkdirSync(scratch.at("closed"));
  // Anybody may write to these, but not make another file beside them.
  scratch.put("garnish/displaced.json", "a: 1\n");
  scratch.put("garnish/held.json", "a: 1\n");
  for (const [path, mode] of [
    ["config.yml", 0o444], ["mcp.json", 0], ["closed", 0o555], [LOG, 0o444], ["garnish/displaced.json", 0o666],
    ["garnish/held.json", 0o666], ["garnish", 0o555], ["", 0o777],
  ] as const) {
    chmodSync(scratch.at(path), mode);
  }
  chmodSync(scratch.home, 0o755);
  const before = scratch.everything();
  assert.equal(child("closed", scratch.agent), "done\n");
  for (const path of ["config.yml", "garnish/displaced.json", "garnish/held.json"]) assert.equal(scratch.text(path), "a: 1\n");
  assert.deepEqual(scratch.everything(), before);
}));

test("of a file with two names the other keeps the old bytes", on((scratch) => {
  scratch.put("config.yml", "a: 1\n");
  linkSync(scratch.at("config.yml"), scratch.outside("other.yml"));
  rewrite(scratch.files, "config.yml", "a: 2\n");
  assert.equal(scratch.text("config.yml"), "a: 2\n");
  assert.equal(readFileSync(scratch.outside("other.yml"), "utf8"), "a: 1\n");
  assert.deepEqual(scratch.everything(), ["agent", "agent/config.yml", "other.yml"]);
}));

test("what a killed writer left goes with the next write, and a living one's stays", on((scratch) => {
  mkdirSync(scratch.outside("dotfiles"));
  writeFileSync(scratch.outside("dotfiles/omp.yml"), "a: 1\n");
  symlinkSync("../dotfiles/omp.yml", scratch.at("config.yml"));
  // Another length, another ending, a folder: not garnish's, however old.
  const [gone, young, folder] = [".garnish-0123456789abcdef.tmp", ".garnish-fedcba9876543210.tmp", ".garnish-00000000000000ff.tmp"];
  const others = [".garnish-0123.tmp", ".garnish-0123456789abcdef.tmp.yml", "garnish-0123456789abcdef.tmp"];
  for (const where of ["dotfiles", "agent/garnish", "agent"]) {
    mkdirSync(scratch.outside(`${where}/${folder}`), { recursive: true });
    for (const name of [...others, gone, young]) writeFileSync(scratch.outside(`${where}/${name}`), "half");
    for (const name of [...others, gone, folder]) utimesSync(scratch.outside(`${where}/${name}`), 0, 0);
  }
  const before = scratch.everything();
  rewrite(scratch.files, "config.yml", "a: 2\n");
  scratch.files.write("garnish/held.json", undefined, bytes("{}"));
  const left = before.filter((path) => path !== `dotfiles/${gone}` && path !== `agent/garnish/${gone}`);
  assert.deepEqual(scratch.everything(), [...left, "agent/garnish/held.json"].sort());
}));

// --- event-log

test("no log is an empty log", on(({ log }) => {
  assert.deepEqual(log.stat(), { length: 0n, identity: 0n });
  assert.equal(log.read(0n, 100).length, 0);
}));

test("the first append makes a private log", on((scratch) => {
  assert.equal(scratch.log.append(bytes("{}\n")), 3n);
  assert.equal(scratch.text(LOG), "{}\n");
  assert.equal(scratch.mode(LOG), 0o600);
  assert.equal(scratch.mode("garnish"), 0o700);
}));

for (const [what, before, after] of [
  ["a whole line", '{"a":1}\n', '{"a":1}\n{}\n'],
  ["a line without its end", '{"a":1}', '{"a":1}\n{}\n'],
  ["half a line", '{"a":1}\n{"id":7,"ki', '{"a":1}\n{"id":7,"ki\n{}\n'],
  ["nothing", "", "{}\n"],
] as const) {
  test(`an append behind ${what} begins on a line of its own`, on((scratch) => {
    scratch.put(LOG, before);
    assert.equal(scratch.log.append(bytes("{}\n")), BigInt(after.length));
    assert.equal(scratch.text(LOG), after);
  }));
}

test("reading stops at the limit and at the end", on((scratch) => {
  scratch.put(LOG, "0123456789");
  const read = (offset: bigint, limit: number) => Buffer.from(scratch.log.read(offset, limit)).toString();
  assert.equal(read(0n, 4), "0123");
  assert.equal(read(4n, 4), "4567");
  assert.equal(read(8n, 0xffff_ffff), "89");
  assert.equal(read(10n, 4), "");
  assert.equal(read(0n, 0), "");
  assert.equal(read(0xffff_ffff_ffff_ffffn, 4), "");
}));

test("the identity stays over appends and changes with the file", on((scratch) => {
  const { log } = scratch;
  log.append(bytes("{}\n"));
  const first = log.stat();
  chmodSync(scratch.at(LOG), 0o640);
  log.append(bytes("{}\n"));
  assert.deepEqual(log.stat(), { identity: first.identity, length: 6n });
  // Another file of the same length; many file systems give it the number of the one that was removed.
  rmSync(scratch.at(LOG));
  log.append(bytes("{}\n{}\n"));
  assert.notEqual(log.stat().identity, first.identity);
}));

test("a log out of the agent dir is refused", on((scratch) => {
  writeFileSync(scratch.outside("theirs"), "secret\n");
  mkdirSync(scratch.at("garnish"));
  for (const target of ["../../theirs", scratch.outside("theirs"), "../../not-there", "/dev/full"]) {
    symlinkSync(target, scratch.at(LOG));
    fails(() => scratch.log.stat(), "denied", LOG);
    fails(() => scratch.log.read(0n, 10), "denied", LOG);
    fails(() => scratch.log.append(bytes("{}\n")), "denied", LOG);
    rmSync(scratch.at(LOG));
  }
  assert.equal(readFileSync(scratch.outside("theirs"), "utf8"), "secret\n");
  assert.deepEqual(scratch.everything(), ["agent", "agent/garnish", "theirs"]);
}));

test("a log that is a link inside the agent dir is followed", on((scratch) => {
  scratch.put("logs/real.jsonl", "{}\n");
  mkdirSync(scratch.at("garnish"));
  symlinkSync("../logs/real.jsonl", scratch.at(LOG));
  assert.equal(scratch.log.append(bytes("{}\n")), 6n);
  assert.equal(scratch.text("logs/real.jsonl"), "{}\n{}\n");
  assert.ok(isLink(scratch.at(LOG)));
}));

test("a folder or a pipe in place of the log is an error and does not hang", on((scratch) => {
  for (const make of [() => mkdirSync(scratch.at(LOG), { recursive: true }), () => execFileSync("mkfifo", [scratch.at(LOG)])]) {
    make();
    fails(() => scratch.log.stat(), "other", LOG);
    fails(() => scratch.log.read(0n, 1), "other", LOG);
    fails(() => scratch.log.append(bytes("{}\n")), "other", LOG);
    rmSync(scratch.at(LOG), { recursive: true });
  }
}));

test("two processes that append lose no line", on(async (scratch) => {
  scratch.put(LOG, '{"torn":');
  await Promise.all([started("append", scratch.agent), started("append", scratch.agent)]);
  const lines = scratch.text(LOG).split("\n").filter((line) => line !== "");
  assert.equal(lines[0], '{"torn":');
  const by = new Map<number, number[]>();
  for (const line of lines.slice(1)) {
    const { by: id, round, pad } = JSON.parse(line) as { by: number; round: number; pad: string };
    assert.equal(pad.length, 500);
    by.set(id, [...(by.get(id) ?? []), round]);
  }
  const rounds = Array.from({ length: 200 }, (_, round) => round);
  assert.deepEqual([...by.values()], [rounds, rounds]);
}));

test("lines that came to stand on a torn one are appended again", on(async (scratch) => {
  scratch.put(LOG, "");
  // Somebody is killed in the middle of writing, all the time.
  const stop = await tearing(scratch.at(LOG));
  for (let round = 0; round < 1000; round++) scratch.log.append(bytes(`{"round":${round}}\n`));
  await stop();
  const lines = new Set(scratch.text(LOG).split("\n"));
  for (let round = 0; round < 1000; round++) assert.ok(lines.has(`{"round":${round}}`), `round ${round} is lost`);
}));

test("who dies in an append blocks nobody", on(async (scratch) => {
  scratch.put(LOG, "");
  for (let round = 0; round < 3; round++) {
    const killed = spawn(process.execPath, [CHILD, "append-for-ever", scratch.agent], { stdio: "ignore" });
    const before = statSync(scratch.at(LOG)).size;
    while (statSync(scratch.at(LOG)).size < before + 100) await setTimeout(1);
    const end = new Promise((resolve) => killed.on("exit", resolve));
    killed.kill("SIGKILL");
    await end;
    scratch.log.append(bytes(`{"round":${round}}\n`));
    assert.ok(scratch.text(LOG).endsWith(`\n{"round":${round}}\n`));
  }
  // No lock was ever made, so none can be left.
  assert.deepEqual(scratch.everything(), ["agent", "agent/garnish", `agent/${LOG}`]);
}));

test("a full disk keeps every line and the next append is readable", { skip: cannotMount }, onSmallDisk((scratch) => {
  const { log } = scratch;
  log.append(bytes('{"first":1}\n'));
  fails(() => log.append(bytes(`{"pad":"${"x".repeat(200_000)}"}\n`)), "no-space", LOG);
  const text = scratch.text(LOG);
  assert.ok(text.startsWith('{"first":1}\n'));
  // Somebody makes room.
  truncateSync(scratch.at(LOG), 1000);
  log.append(bytes('{"next":1}\n'));
  assert.ok(scratch.text(LOG).endsWith('\n{"next":1}\n'));
}));

// --- files.resolve

const place = ({ files }: Scratch, path: string, cwd: string): [string, boolean] => {
  const { place, exists } = files.resolve(path, cwd);
  return [place.tag === "inside" ? `inside ${place.val}` : place.tag, exists];
};

test("plain paths say what they are", on((scratch) => {
  scratch.put("config.yml", "");
  const { agent } = scratch;
  for (const [path, cwd, where, exists] of [
    ["config.yml", agent, "inside config.yml", true],
    [`${agent}/mcp.json`, "/", "inside mcp.json", false],
    ["../agent/garnish/x/y", agent, "inside garnish/x/y", false],
    ["./garnish//x/", agent, "inside garnish/x", false],
    [".", agent, "inside ", true],
    ["", agent, "inside ", true],
    ["..", agent, "above", true],
    ["/", agent, "above", true],
    ["../other", agent, "outside", false],
    ["/etc/passwd", agent, "outside", true],
    [`${agent}-too/x`, "/", "outside", false],
    ["config.yml/x", agent, "inside config.yml/x", false],
    ["../../../../../../../../..", agent, "above", true],
  ] as const) {
    assert.deepEqual(place(scratch, path, cwd), [where, exists], `${path} from ${cwd}`);
  }
}));

test("links are followed, also dangling ones", on((scratch) => {
  symlinkSync("agent/garnish", scratch.outside("way-in"));
  symlinkSync("agent/not-yet.yml", scratch.outside("dangling"));
  assert.deepEqual(place(scratch, "way-in/events.jsonl", scratch.home), ["inside garnish/events.jsonl", false]);
  assert.deepEqual(place(scratch, "dangling", scratch.home), ["inside not-yet.yml", false]);
  assert.deepEqual(place(scratch, "x", scratch.outside("way-in")), ["inside garnish/x", false]);
}));

test("two dots behind a link count in both readings", on((scratch) => {
  mkdirSync(scratch.outside("far/away"), { recursive: true });
  // By the text this is agent/config.yml; for the operating system it is far/config.yml.
  symlinkSync("../far/away", scratch.at("link"));
  assert.equal(place(scratch, "link/../config.yml", scratch.agent)[0], "inside config.yml");
  // And the other way round.
  mkdirSync(scratch.at("skills"));
  symlinkSync("agent/skills", scratch.outside("back"));
  assert.equal(place(scratch, "back/../config.yml", scratch.home)[0], "inside config.yml");
}));

test("the target of a config file linked out is the config file", on((scratch) => {
  writeFileSync(scratch.outside("dotfile.yml"), "");
  symlinkSync("../dotfile.yml", scratch.at("config.yml"));
  assert.deepEqual(place(scratch, scratch.outside("dotfile.yml"), "/"), ["inside config.yml", true]);
}));

test("the code of garnish is told apart, also through a link", on((scratch) => {
  mkdirSync(scratch.code);
  writeFileSync(`${scratch.code}/garnish.wasm`, "");
  symlinkSync("code", scratch.outside("alias"));
  assert.deepEqual(place(scratch, "garnish.wasm", scratch.code), ["component", true]);
  assert.deepEqual(place(scratch, "alias/new.js", scratch.home), ["component", false]);
  assert.deepEqual(place(scratch, "..", scratch.code), ["above", true]);
}));

test("what is no path is an error", on((scratch) => {
  for (const [path, cwd] of [["x", "relative"], ["x", ""], ["a\0b", "/"]] as const) {
    fails(() => scratch.files.resolve(path, cwd), "other", "");
  }
}));

test("a path that nobody can follow is where its text says", on((scratch) => {
  symlinkSync("b", scratch.outside("a"));
  symlinkSync("a", scratch.outside("b"));
  assert.deepEqual(place(scratch, "a", scratch.home), ["outside", true]);
  assert.deepEqual(place(scratch, "x".repeat(300), scratch.home), ["outside", false]);
  assert.deepEqual(place(scratch, `agent/${"x".repeat(300)}`, scratch.home), [`inside ${"x".repeat(300)}`, false]);
}));

// --- clock

test("the time is ISO 8601 with zone", on(({ imports }) => {
  assert.match(imports["garnish:gating/clock@0.1.0"].now(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
}));
