// Files as scenarios have them: copied, listed, compared. host-test/src/tree.rs for this host.
//
// It judges nothing, and writes only where it is told to.
import { chmodSync, cpSync, existsSync, linkSync, lstatSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { hunks } from "./diff.ts";
import { byBytes, lossy } from "./words.ts";

export const LOG = "garnish/events.jsonl";

/** What only garnish reads: named where it changes, never shown. */
const PRIVATE = ["garnish/displaced.json", "garnish/held.json"];

/** A folder's content, with the mode that a checkout has on most machines. */
export function copy(from: string, to: string): void {
  if (!existsSync(from)) return;
  cpSync(from, to, { recursive: true });
  for (const name of names(to)) chmodSync(join(to, name), 0o644);
}

/** Makes a link in the place of whatever is there; `hard`: another name for the same file. */
export function link(target: string, path: string, hard: boolean): void {
  rmSync(path, { force: true });
  if (hard) linkSync(join(dirname(path), target), path);
  else symlinkSync(target, path);
}

/** Every file below a folder that can be read, by its path there. */
export function tree(folder: string): Map<string, Buffer> {
  const there = names(folder).filter((name) => existsSync(join(folder, name)));
  return new Map(there.map((name) => [name, readFileSync(join(folder, name))]));
}

/** Every file below a folder, sorted: its mode, its name, and where it leads if it is a link. */
export function listed(folder: string): string[] {
  return byBytes(names(folder)).map((name) => {
    const path = join(folder, name);
    const mode = existsSync(path) ? (statSync(path).mode & 0o7777).toString(8) : "none";
    return `${mode} ${name}${lstatSync(path).isSymbolicLink() ? ` -> ${readlinkSync(path)}` : ""}`;
  });
}

/** Where the files of `agent` are not those that a case expects. */
export function differences(expected: string, agent: string): string[] {
  const [wanted, found] = [expectable(expected), expectable(agent)];
  const said = (bytes?: Buffer) => (bytes ? JSON.stringify(lossy(bytes)) : "nothing");
  return byBytes([...wanted.keys(), ...found.keys()])
    .filter((name) => !(wanted.get(name) && found.get(name)?.equals(wanted.get(name)!)))
    .map((name) => `${name}: ${said(found.get(name))}, not ${said(wanted.get(name))}`);
}

/** What changed in each file but the log, whose lines are written down as they are appended. Of files that only garnish
 * reads, the name. */
export function changes(before: Map<string, Buffer>, after: Map<string, Buffer>, brief: boolean): string {
  let text = "";
  for (const name of byBytes([...before.keys(), ...after.keys()])) {
    const [old, fresh] = [before.get(name), after.get(name)];
    if (name === LOG || (old && fresh && old.equals(fresh))) continue;
    text += `-- ${name}\n`;
    if (brief || PRIVATE.includes(name)) continue;
    for (const hunk of hunks(old ? lossy(old) : "", fresh ? lossy(fresh) : "")) {
      const shown = hunk.replaceAll("\u{feff}", "<BOM>").replaceAll("\r", "<CR>");
      text += shown.endsWith("\n") ? shown : `${shown}\n`;
    }
  }
  return text;
}

/** The files that a case says something about. */
function expectable(folder: string): Map<string, Buffer> {
  const files = existsSync(folder) ? tree(folder) : new Map<string, Buffer>();
  for (const name of [...PRIVATE, "garnish/graph.json"]) files.delete(name);
  return files;
}

function names(folder: string): string[] {
  const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory();
  return (readdirSync(folder, { recursive: true }) as string[]).filter((name) => !isFolder(join(folder, name))).map((name) => name.replaceAll("\\", "/"));
}
