// What the tests of the effects share: an agent dir that is gone afterwards, with a folder around it for what must stay out
// of reach; and children, for what takes two processes or another user.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { agentDirImports, EffectFailure } from "../src/effects/index.ts";

export class Scratch {
  readonly home: string;
  readonly agent: string;
  readonly code: string;

  constructor(within = tmpdir()) {
    this.home = realpathSync(mkdtempSync(join(within, "garnish-")));
    this.agent = join(this.home, "agent");
    this.code = join(this.home, "code");
    mkdirSync(this.agent);
  }

  get imports() {
    return agentDirImports(this.agent, this.code);
  }

  get files() {
    return this.imports["garnish:gating/files@0.1.0"];
  }

  get log() {
    return this.imports["garnish:gating/event-log@0.1.0"];
  }

  /** A path inside the agent dir. */
  at(path: string): string {
    return join(this.agent, path);
  }

  /** A path beside the agent dir. */
  outside(path: string): string {
    return join(this.home, path);
  }

  put(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), text);
  }

  text(path: string): string {
    return readFileSync(this.at(path), "utf8");
  }

  mode(path: string): number {
    return statSync(this.at(path)).mode & 0o7777;
  }

  /** Everything under the home folder: what was left behind shows up here. */
  everything(): string[] {
    return (readdirSync(this.home, { recursive: true }) as string[]).sort();
  }

  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Runs a test on a scratch agent dir. */
export function on(test: (scratch: Scratch) => void | Promise<void>): () => Promise<void> {
  return async () => {
    const scratch = new Scratch();
    try {
      await test(scratch);
    } finally {
      scratch[Symbol.dispose]();
    }
  };
}

type Files = Scratch["files"];

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Reads and writes over the version that was read. */
export function rewrite(files: Files, path: string, text: string): bigint {
  return files.write(path, files.read(path)?.version, bytes(text));
}

/** The failure has this reason, and names the path. */
export function fails(ask: () => unknown, reason: string, path: string): void {
  let answer: unknown;
  try {
    answer = ask();
  } catch (error) {
    assert.ok(error instanceof EffectFailure, `${error}`);
    assert.ok(Object.hasOwn(error, "payload"), "jco looks for a property of the error's own");
    assert.equal(error.payload.reason, reason, error.payload.message);
    assert.equal(error.payload.message, error.message);
    assert.ok(error.message.includes(path), `${error.message} does not name ${path}`);
    return;
  }
  assert.fail(`this must fail with ${reason}, and answered ${String(answer)}`);
}

/** What the children run. */
export const CHILD = join(dirname(fileURLToPath(import.meta.url)), "scratch_child.ts");

/** A job of scratch_child.ts in another process of this runtime, to its end; what it printed. `before` is for the shell. */
export function child(job: string, agent: string, before = "true"): string {
  return execFileSync("sh", ["-c", `${before}; exec "$@"`, "sh", process.execPath, CHILD, job, agent], { encoding: "utf8" });
}

/** The same without waiting. */
export function started(job: string, agent: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, [CHILD, job, agent], { stdio: ["ignore", "ignore", "inherit"] });
    running.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${job} ended with ${code}`))));
  });
}

/** Has another process write half lines into a file, and answers once it does; the answer makes an end of it. */
export async function tearing(path: string): Promise<() => Promise<unknown>> {
  // A shell, which opens the file for each: fast enough to come in between, and not so fast that nobody else does.
  const running = spawn("sh", ["-c", 'while :; do printf \'{"torn":\' >> "$0"; done', path], { stdio: "ignore" });
  while (statSync(path).size === 0) await setTimeout(1);
  return () => {
    const end = new Promise((resolve) => running.on("exit", resolve));
    running.kill("SIGKILL");
    return end;
  };
}

/** Why a test that needs root cannot run; false where it can. */
export const needsRoot = process.getuid?.() === 0 ? false : "only root can do that";

/** Runs a test on a file system of 64 KiB; where none can be mounted, `canMount` says so. */
export function onSmallDisk(test: (scratch: Scratch) => void): () => void {
  return () => {
    const mount = mkdtempSync(join(tmpdir(), "garnish-disk-"));
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", mount]);
    try {
      test(new Scratch(mount));
    } finally {
      execFileSync("umount", [mount]);
      rmSync(mount, { recursive: true });
    }
  };
}

/** Why no file system can be mounted here; false where it can. */
export const cannotMount = (() => {
  const mount = mkdtempSync(join(tmpdir(), "garnish-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", mount]);
  if (status === 0) spawnSync("umount", [mount]);
  rmSync(mount, { recursive: true });
  return status === 0 ? false : "no file system can be mounted here";
})();
