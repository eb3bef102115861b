// Reading a file whole, and replacing it whole: the old bytes or the new ones, never anything between, and no other file
// left behind. A process that was killed while it wrote leaves one; the next write there takes it away. It never edits in
// place.
import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
  type Stats,
} from "node:fs";
import { digest } from "./digest.ts";
import { EffectFailure, code, io, isMissing } from "./failure.ts";
import type { Files } from "./imports.ts";
import { under } from "./links.ts";
import { metadata, syncFolder, type Target } from "./target.ts";

/** As wit/files.wit says; far over every file that garnish reads. */
const MOST_BYTES = 4 << 20;

/**
 * So many milliseconds after the last byte no write is still on its way to its rename, on no disk: whoever began it is
 * gone. Were it not, its rename would fail, and the old bytes stand.
 */
const ABANDONED = 600_000;

/** The file's bytes and version; none when there is no such file. */
export function read(target: Target): ReturnType<Files["read"]> {
  const found = metadata(target);
  if (!found) return undefined;
  if (found.size > MOST_BYTES) throw tooLarge(target.shown, found.size);
  let bytes: Uint8Array;
  try {
    bytes = upTo(MOST_BYTES + 1, target.path, found.size);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw io(error, target.shown, "be read");
  }
  if (bytes.length > MOST_BYTES) throw tooLarge(target.shown, bytes.length);
  return { bytes, version: digest(bytes) };
}

function tooLarge(shown: string, length: number): EffectFailure {
  return new EffectFailure("too-large", `${shown} is ${length} bytes long; ${MOST_BYTES} is the most`);
}

/** At most `most` bytes of a file that was regular and `length` bytes long a moment ago. */
function upTo(most: number, path: string, length: number): Uint8Array {
  // Windows has neither flag. Without them a pipe put in its place would hang us, and a link would be followed.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    // One more byte than expected: a full buffer says that the file has grown.
    let buffer = new Uint8Array(length + 1);
    for (let end = 0; ; ) {
      const count = readSync(fd, buffer, end, Math.min(buffer.length, most) - end, null);
      end += count;
      if (count === 0 || end === most) return buffer.subarray(0, end);
      if (end < buffer.length) continue;
      const larger = new Uint8Array(buffer.length * 2);
      larger.set(buffer);
      buffer = larger;
    }
  } finally {
    closeSync(fd);
  }
}

/** Replaces the file, if it is at `expected`. Answers the version written. */
export function write(target: Target, expected: bigint | undefined, bytes: Uint8Array): bigint {
  const { path, folder, shown } = target;
  const before = metadata(target);
  checkVersion(target, expected);
  try {
    // A rename would replace a write-protected file too, against its owner's word.
    if (before) accessSync(path, constants.W_OK);
    const temporary = temporaryIn(folder);
    try {
      try {
        sweep(folder, fstatSync(temporary.fd).mtimeMs);
        writeAll(temporary.fd, bytes);
        if (before) keepOwnerAndMode(temporary.fd, before);
        fsyncSync(temporary.fd);
      } finally {
        closeSync(temporary.fd);
      }
      // Once more, as late as it can be: what was written since is somebody's work.
      checkVersion(target, expected);
      if (expected === undefined) putNew(temporary.path, path, shown);
      else renameSync(temporary.path, path);
    } catch (error) {
      remove(temporary.path);
      throw error;
    }
  } catch (error) {
    throw io(error, shown, "be written");
  }
  try {
    syncFolder(folder);
  } catch (error) {
    const message = `${shown} is written, but may not survive a power cut: ${(error as Error).message}`;
    throw new EffectFailure("other", message);
  }
  return digest(bytes);
}

function conflict(shown: string): EffectFailure {
  return new EffectFailure("conflict", `${shown} was changed by somebody else in the meantime`);
}

function checkVersion(target: Target, expected: bigint | undefined): void {
  if (read(target)?.version !== expected) throw conflict(target.shown);
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done);
}

function keepOwnerAndMode(fd: number, before: Stats): void {
  const now = fstatSync(fd);
  // Owner first: a change of owner takes bits of the mode away.
  if (now.uid !== before.uid || now.gid !== before.gid) fchownSync(fd, before.uid, before.gid);
  fchmodSync(fd, before.mode & 0o7777);
}

/** A new file in a folder, open for writing. Its name is short, since that of the target may be as long as names can be. */
function temporaryIn(folder: string): { path: string; fd: number } {
  for (let tries = 0; ; tries++) {
    const path = under(folder, `.garnish-${randomBytes(8).toString("hex")}.tmp`);
    try {
      return { path, fd: openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600) };
    } catch (error) {
      if (code(error) !== "EEXIST" || tries === 16) throw error;
    }
  }
}

/** What `temporaryIn` calls its files. */
const TEMPORARY = /^\.garnish-[0-9a-f]{16}\.tmp$/i;

/**
 * Takes away what writers before this one left in a folder. `now` is the time of a file made there just now: a clock
 * elsewhere on the network cannot make a writer look gone that is not.
 */
function sweep(folder: string, now: number): void {
  try {
    for (const name of readdirSync(folder).filter((name) => TEMPORARY.test(name))) {
      const path = under(folder, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found && now - found.mtimeMs >= ABANDONED) remove(path);
    }
  } catch {
    // A folder may be closed to looks and open to writes.
  }
}

/** Gives a file its name without replacing anything, where the file system can promise that. */
function putNew(temporary: string, path: string, shown: string): void {
  try {
    // A rename cannot be told to replace nothing; a second name for the same file can.
    linkSync(temporary, path);
  } catch (error) {
    if (code(error) === "EEXIST") throw conflict(shown);
    return renameSync(temporary, path);
  }
  remove(temporary);
}

/** What caused this is reported already; there is nobody left to tell about a leftover. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // As said.
  }
}
