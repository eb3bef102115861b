// APPEND_SYSTEM.md in omp's system prompt: found by its text, and cut out.
//
// omp reads the file once, before it loads extensions, and no setting keeps it out. So the text is read then, too, and
// stays what it was over later edits. Text that the learner gives on the command line is theirs, and stays.
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** What omp puts before the learner's text where something generated precedes it. */
const HEADING = /\n+## User Instructions\n\n[^\n]*\n+$/;

/** The text that omp has taken when it starts in a folder: the first file that is there; none if a flag gives another. */
export function appendedText(cwd: string, flags: readonly string[] = process.argv): string | undefined {
  if (flags.some((flag) => flag.startsWith("--append-system-prompt"))) return undefined;
  const bases = [".omp", ".claude", ".codex", ".gemini"];
  const home = homedir();
  const folders = [...bases.map((base) => join(cwd, base)), ...bases.map((base) => join(home, base === ".omp" ? ".omp/agent" : base))];
  const path = folders.map((folder) => join(folder, "APPEND_SYSTEM.md")).find((path) => existsSync(path));
  try {
    return (path && readFileSync(path, "utf8").trim()) || undefined;
  } catch {
    return undefined;
  }
}

/** The blocks of a system prompt without that text, which is the last one of its kind in them. */
export function withoutAppended(blocks: readonly string[], text: string): string[] {
  const cut = [...blocks];
  for (let index = cut.length - 1; index >= 0; index -= 1) {
    const before = cut[index] ?? "";
    const after = without(before, text);
    if (after === before) continue;
    cut[index] = after;
    break;
  }
  return cut;
}

function without(block: string, text: string): string {
  const [inBlock, inText] = [bare(block), bare(text)];
  if (inText.text === "") return block;
  // What omp itself says of how to work ends with this; the text comes behind it.
  const own = block.lastIndexOf("</critical>");
  for (let at = inBlock.text.lastIndexOf(inText.text); at >= 0; at = inBlock.text.lastIndexOf(inText.text, at - 1)) {
    const start = inBlock.places[at] ?? 0;
    const line = block.lastIndexOf("\n", start - 1) + 1;
    if (start < own) return block;
    if (block.slice(line, start).trim() === "" && line > 0) {
      const end = (inBlock.places[at + inText.text.length - 1] ?? block.length) + 1;
      const dashes = /^-*/.exec(block.slice(end))?.[0].length ?? 0;
      const rest = block.slice(end + dashes);
      return block.slice(0, line).replace(HEADING, "").trimEnd() + (rest.trim() === "" ? "" : rest);
    }
    if (at === 0) break;
  }
  return block;
}

/**
 * A text without blanks, and with runs of dashes as one, since omp tidies both away in what it puts into its prompt;
 * and where each character stands.
 */
function bare(text: string): { text: string; places: number[] } {
  let kept = "";
  const places: number[] = [];
  for (let place = 0; place < text.length; place += 1) {
    const character = text.charAt(place);
    if (/\s/.test(character) || (character === "-" && kept.endsWith("-"))) continue;
    kept += character;
    places.push(place);
  }
  return { text: kept, places };
}
