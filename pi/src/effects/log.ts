// `garnish/events.jsonl`: looking, reading, appending. It never rewrites, cuts off or locks anything, and never follows a
// link out of the agent dir.
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, readSync, writeSync, type BigIntStats } from "node:fs";
import { dirname } from "node:path";
import { EffectFailure, code, io, isMissing } from "./failure.ts";
import type { EventLog } from "./imports.ts";
import { below, follow } from "./links.ts";
import { makeFolders, syncFolder } from "./target.ts";

const PATH = "garnish/events.jsonl";

/** How often lines are appended again that came to stand behind somebody's torn one. */
const ATTEMPTS = 32;

/** The log as it is found: where, once all links are followed, and what is there. */
interface Found {
  readonly path: string;
  readonly stat: BigIntStats | undefined;
}

/** What is known of the log without opening it. */
export function stat(root: string): ReturnType<EventLog["stat"]> {
  const found = look(root).stat;
  return found ? { length: found.size, identity: identity(found) } : { length: 0n, identity: 0n };
}

/** Three calls of the operating system where no link is in the way. */
function look(root: string): Found {
  let path: string;
  try {
    path = follow(PATH, root);
  } catch (error) {
    throw io(error, PATH, "be looked at");
  }
  if (!below(root, path)) throw new EffectFailure("denied", `${PATH} is a link to ${path}, out of the agent dir`);
  let stat: BigIntStats;
  try {
    stat = lstatSync(path, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return { path, stat: undefined };
    throw io(error, PATH, "be looked at");
  }
  if (!stat.isFile()) throw new EffectFailure("other", `${PATH} is not a regular file. Move it away.`);
  return { path, stat };
}

/** Another number for another file, even if it got the number of one that was removed. Never 0. */
function identity({ dev, ino, birthtimeNs }: BigIntStats): bigint {
  return createHash("sha256").update(`${dev} ${ino} ${birthtimeNs}`).digest().readBigUInt64LE() || 1n;
}

/** At most `limit` bytes from `offset` on. */
export function read(root: string, offset: bigint, limit: number): Uint8Array {
  const { path, stat } = look(root);
  const rest = (stat?.size ?? 0n) - offset;
  if (rest <= 0n || limit === 0) return new Uint8Array();
  // No more room than there are bytes: the component may ask for four gigabytes.
  const bytes = new Uint8Array(rest < BigInt(limit) ? Number(rest) : limit);
  try {
    return withOpen(path, constants.O_RDONLY, (fd) => {
      let end = 0;
      while (end < bytes.length) {
        const count = readSync(fd, bytes, end, bytes.length - end, Number(offset) + end);
        if (count === 0) break;
        end += count;
      }
      return bytes.subarray(0, end);
    });
  } catch (error) {
    if (isMissing(error)) return new Uint8Array();
    throw io(error, PATH, "be read");
  }
}

/**
 * Appends lines in one write, behind a line feed if the log does not end in one, and waits for the disk.
 *
 * Between that look and the write another process may be killed in the middle of its own write, or run out of disk, and
 * these lines come to stand on its torn line, where nobody reads them: so they are looked for, and appended again.
 */
export function append(root: string, lines: Uint8Array): bigint {
  const { path, stat } = look(root);
  try {
    if (!stat) makeFolders(root, ["garnish"]);
    const length = withOpen(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, (fd) => {
      const onAFreshLine = Buffer.concat([Buffer.from("\n"), lines]);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const before = fstatSync(fd).size;
        writeOnce(fd, endsTorn(fd, before) ? onAFreshLine : lines);
        if (!from(fd, before).includes(onAFreshLine)) continue;
        fsyncSync(fd);
        return fstatSync(fd, { bigint: true }).size;
      }
      throw new Error("others write torn lines into it all the time");
    });
    if (!stat) syncFolder(dirname(path));
    return length;
  } catch (error) {
    throw io(error, PATH, "be appended to");
  }
}

function withOpen<T>(path: string, flags: number, use: (fd: number) => T): T {
  const fd = openSync(path, flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

function endsTorn(fd: number, size: number): boolean {
  const last = new Uint8Array(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

/** The byte before `offset`, a line feed for the start of the file, and all that follows. */
function from(fd: number, offset: number): Buffer {
  const read: Uint8Array[] = offset === 0 ? [Buffer.from("\n")] : [];
  for (let at = Math.max(offset - 1, 0); ; ) {
    const bytes = new Uint8Array(4096);
    const count = readSync(fd, bytes, 0, bytes.length, at);
    if (count === 0) return Buffer.concat(read);
    read.push(bytes.subarray(0, count));
    at += count;
  }
}

/**
 * One call of the operating system: two processes that append never mix their lines. A rest that did not fit is not tried
 * again, it would be a second write; what is there is a torn line, which every reader skips and every append isolates.
 */
function writeOnce(fd: number, bytes: Uint8Array): void {
  for (;;) {
    try {
      if (writeSync(fd, bytes, 0, bytes.length, null) === bytes.length) return;
    } catch (error) {
      if (code(error) === "EINTR") continue;
      throw error;
    }
    throw new EffectFailure("no-space", `${PATH} cannot be appended to: no storage space. Make room on its disk.`);
  }
}
