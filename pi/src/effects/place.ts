// Where a path of a tool call leads, as far as it concerns garnish. It never decides whether the call is allowed.
import { lstatSync, readdirSync } from "node:fs";
import { isAbsolute, resolve as fromHere } from "node:path";
import { code, EffectFailure, io } from "./failure.ts";
import type { Files } from "./imports.ts";
import { below, follow, lexical, under } from "./links.ts";

type Resolution = ReturnType<Files["resolve"]>;
type Place = Resolution["place"];

/** What the operating system says of a path that nobody gets anywhere by. */
const UNFOLLOWED = ["EACCES", "ELOOP", "ENAMETOOLONG", "EPERM"];

/** How much a place concerns garnish. */
const CONCERN = { outside: 0, above: 1, component: 2, inside: 2 };

/**
 * The place of `path`, seen from `cwd`.
 *
 * `link/../config.yml` is one file for the operating system and another for a program that tidies the text first; if
 * either of the two concerns garnish, that one is the answer.
 */
export function resolve(root: string, codes: readonly string[], path: string, cwd: string): Resolution {
  if (!isAbsolute(cwd)) throw new EffectFailure("other", `${JSON.stringify(cwd)} is not an absolute folder`);
  if ((path + cwd).includes("\0")) throw new EffectFailure("other", `${JSON.stringify(path)} cannot be a path`);
  const asked = joined(cwd, path);
  // Whoever cannot follow a path (a loop, a name too long, a folder that may not be read) cannot write by it either, so its
  // text is the answer: one such path in a call must not keep the others from being judged.
  const real = (path: string): string => {
    try {
      return follow(path);
    } catch (error) {
      if (UNFOLLOWED.includes(code(error))) return lexical(path);
      throw io(error, path, "be followed");
    }
  };
  const reading = (found: string) => ({ place: ofGarnish(root, codes, found), found });
  const [byLinks, byText] = [reading(real(asked)), reading(real(lexical(asked)))];
  const isText = CONCERN[byText.place.tag] >= CONCERN[byLinks.place.tag] && CONCERN[byLinks.place.tag] < CONCERN.inside;
  const nearer = isText ? byText : byLinks;
  return { place: nearer.place, exists: isThere(nearer.found) };
}

/** Windows itself tidies the text of a path first, and has paths that are absolute but for the drive. */
function joined(cwd: string, path: string): string {
  if (process.platform === "win32") return fromHere(cwd, path);
  return isAbsolute(path) ? path : under(cwd, path);
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function ofGarnish(root: string, codes: readonly string[], place: string): Place {
  const inside = below(root, place);
  // Code is installed in the agent dir too, and a folder that it lies in can be taken away.
  const holdsCode = (code: string) => inside && inside.length > 0 && below(place, code);
  if (codes.some((code) => below(code, place) || holdsCode(code))) return { tag: "component" };
  if (inside) return { tag: "inside", val: inside.join("/") };
  if (below(place, root)) return { tag: "above" };
  const link = linkedFile(root, place);
  return link === undefined ? { tag: "outside" } : { tag: "inside", val: link };
}

/** A config file that is a link out of the agent dir: whoever writes to its target writes the config file. */
function linkedFile(root: string, place: string): string | undefined {
  try {
    const links = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    return links.map(({ name }) => name).find((name) => leadsTo(under(root, name), place));
  } catch {
    return undefined;
  }
}

function leadsTo(link: string, place: string): boolean {
  try {
    return follow(link) === place;
  } catch {
    return false;
  }
}
