// From a path that the component names to the file that is meant: checked, all links followed, and inside the agent dir,
// or allowed to be outside. It never reads or writes the file.
//
// Node has no way to hold a folder open and work in it, so a folder that is swapped for a link between two calls here is
// followed. Whoever can do that can write in the agent dir anyway.
import { closeSync, constants, fsyncSync, lstatSync, mkdirSync, openSync, statSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { EffectFailure, code, io, isMissing } from "./failure.ts";
import { below, follow, under } from "./links.ts";

/** A file; no part of its path is a link. */
export interface Target {
  readonly folder: string;
  readonly path: string;
  /** For messages: the path asked for, and where it leads if that is elsewhere. */
  readonly shown: string;
}

/**
 * What is there, if anything is.
 *
 * @throws {EffectFailure} `other` for anything that is no regular file.
 */
export function metadata({ path, shown }: Target): Stats | undefined {
  let found: Stats;
  try {
    found = lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw io(error, shown, "be looked at");
  }
  if (found.isFile()) return found;
  throw new EffectFailure("other", `${shown} is ${found.isDirectory() ? "a folder" : "not a regular file"}. Move it away.`);
}

/** `path` as wit/files.wit allows it, part by part: relative, `/`-separated, without `.`, `..`, drive letter or NUL. */
function checked(path: string): string[] {
  const parts = path.split("/");
  const isBad = (part: string) => part === "" || part === "." || part === ".." || /[\\\0]/.test(part);
  if (/^[^]:/.test(path) || parts.some(isBad)) {
    throw new EffectFailure("denied", `${JSON.stringify(path)} is not a path inside the agent dir`);
  }
  return parts;
}

/** The file that `path` means; none when a folder on the way does not exist, or a link out of `root` leads to no file. */
export function find(root: string, path: string): Target | undefined {
  return locate(root, path, false);
}

/** The file that `path` means, for writing it: missing folders inside the agent dir are made. */
export function findOrMakeFolders(root: string, path: string): Target {
  const found = locate(root, path, true);
  if (!found) throw new EffectFailure("not-found", `a folder on the way to ${path} does not exist`);
  return found;
}

function locate(root: string, path: string, toWrite: boolean): Target | undefined {
  const parts = checked(path);
  const name = parts.at(-1) ?? "";
  const followed = (way: string, from: string): string => {
    try {
      return follow(way, from);
    } catch (error) {
      throw io(error, path, "be found");
    }
  };
  const parent = followed(parts.slice(0, -1).join("/"), root);
  if (!below(root, parent)) {
    throw new EffectFailure("denied", `${path} is in a folder that is a link to ${parent}, out of the agent dir`);
  }
  const place = followed(name, parent);
  const shown = place === parts.reduce(under, root) ? path : `${path} (a link to ${place})`;
  const folder = dirname(place);
  if (folder === place) throw new EffectFailure("denied", `${shown} is not a file`);

  const target = { folder, path: under(folder, basename(place)), shown };
  const inside = below(root, folder);
  if (inside) return reach(root, inside, target, toWrite) ? target : undefined;
  if (parts[0] === "garnish") {
    throw new EffectFailure("denied", `${shown} is out of the agent dir; garnish's own files stay inside it`);
  }
  return outside(root, target, toWrite) ? target : undefined;
}

/** Whether the folder of a file inside the agent dir is there, or could be made. */
function reach(root: string, inside: string[], { folder, shown }: Target, make: boolean): boolean {
  try {
    if (make) makeFolders(root, inside);
    if (statSync(folder).isDirectory()) return true;
  } catch (error) {
    if (isMissing(error) && !make) return false;
    throw io(error, shown, "be reached");
  }
  throw new EffectFailure("other", `${shown} cannot be reached: ${folder} is not a folder`);
}

/** Makes the missing folders of a path, each on disk before the next. */
export function makeFolders(root: string, parts: string[]): void {
  let folder = root;
  for (const part of parts) {
    const above = folder;
    folder = under(folder, part);
    try {
      mkdirSync(folder, 0o700);
    } catch (error) {
      if (code(error) === "EEXIST") continue;
      throw error;
    }
    syncFolder(above);
  }
}

/** Makes what happened to a folder's names durable. Windows has no such call. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Whether there is a config file that is itself a link out of the agent dir, into a dotfiles repository for example. */
function outside(root: string, { path, shown }: Target, toWrite: boolean): boolean {
  let found: Stats;
  try {
    found = lstatSync(path);
  } catch (error) {
    if (!isMissing(error)) throw io(error, shown, "be looked at");
    if (!toWrite) return false;
    throw new EffectFailure(
      "denied",
      `${shown} leads out of the agent dir to a file that does not exist. Create that file, or remove the link`,
    );
  }
  if (!found.isFile()) {
    throw new EffectFailure("denied", `${shown} leads out of the agent dir to something that is not a regular file`);
  }
  if (found.uid !== statSync(root).uid) {
    throw new EffectFailure("denied", `${shown} leads out of the agent dir to a file of another user`);
  }
  return true;
}
