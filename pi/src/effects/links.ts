// Where a path really leads. It follows every link, one hop after the other, and goes on where nothing exists yet; it
// never opens or changes anything.
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, parse, sep } from "node:path";
import { code } from "./failure.ts";

/** As many hops as Linux takes before it calls a path a loop. */
const MOST_HOPS = 40;
const isWindows = process.platform === "win32";

/**
 * The place that `path` names, without links, `.` and `..`. What does not exist (the end of the path, the referent of a
 * dangling link) is kept as it is written. `path` is absolute, or relative to `base`, which is free of links.
 *
 * @throws when links lead in a circle, or the operating system refuses to look.
 */
export function follow(path: string, base = ""): string {
  let done = isAbsolute(path) ? parse(path).root : base;
  const ahead = parts(path).reverse();
  let hops = 0;
  for (let part = ahead.pop(); part !== undefined; part = ahead.pop()) {
    if (part === "..") {
      // `done` is free of links, so this is the parent that the operating system means.
      done = dirname(done);
      continue;
    }
    const here = under(done, part);
    const target = referent(here);
    if (target === undefined) {
      done = here;
      continue;
    }
    if (++hops > MOST_HOPS) throw Object.assign(new Error("its links lead in a circle"), { code: "ELOOP" });
    if (isAbsolute(target)) done = parse(target).root;
    ahead.push(...parts(target).reverse());
  }
  return spelled(done);
}

/** What a link says; undefined for what is no link, or is not there. */
function referent(path: string): string | undefined {
  try {
    if (!lstatSync(path).isSymbolicLink()) return undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(code(error))) return undefined;
    throw error;
  }
  const bytes = readlinkSync(path, { encoding: "buffer" });
  const text = bytes.toString();
  // As text it would be another path, one that leads nowhere.
  if (!Buffer.from(text).equals(bytes)) throw new Error(`the link ${path} is not UTF-8`);
  return text;
}

/** The names in a path, without its root and without `.`. */
function parts(path: string): string[] {
  const names = path.slice(parse(path).root.length).split(isWindows ? /[\\/]/ : "/");
  return names.filter((name) => name !== "" && name !== ".");
}

/** As the file system spells it, where it takes `CONFIG.YML` for `config.yml`. */
function spelled(path: string): string {
  if (process.platform === "linux") return path;
  for (let existing = path; ; existing = dirname(existing)) {
    try {
      const real = realpathSync.native(existing);
      const rest = path.slice(existing.length).split(sep).filter((name) => name !== "");
      return rest.reduce(under, real);
    } catch {
      if (dirname(existing) === existing) return path;
    }
  }
}

/** An absolute path with `.` and `..` taken away by its text alone, as many programs do before they open it. */
export function lexical(path: string): string {
  const { root } = parse(path);
  const done: string[] = [];
  for (const part of parts(path)) {
    if (part === "..") done.pop();
    else done.push(part);
  }
  return root + done.join(sep);
}

/** `name` in `folder`; unlike `join` of node:path, it takes no `..` away. */
export function under(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

/** What is left of `path` below `folder`, part by part; undefined when it is not in there. */
export function below(folder: string, path: string): string[] | undefined {
  if (path === folder) return [];
  const start = under(folder, "");
  return path.startsWith(start) ? path.slice(start.length).split(sep) : undefined;
}
