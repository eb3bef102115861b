// APPEND_SYSTEM.md in omp's system prompt: found by its text, and cut out.
//
// omp reads the file before it loads extensions, and no setting keeps it out. Text that the learner gives on the command
// line is theirs, and stays.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** What omp puts before the learner's text where something generated precedes it. */
const HEADING = /\n+## User Instructions\n\n[^\n]*\n+$/;

/** The texts that omp may have taken, for a project's folder. */
export function appendedTexts(cwd: string, agentDir: string): string[] {
  const home = homedir();
  const folders = [agentDir, join(home, ".omp/agent"), ...[".omp", ".claude", ".codex", ".gemini"].flatMap((base) => [join(home, base), join(cwd, base)])];
  return folders.flatMap((folder) => {
    try {
      const text = readFileSync(join(folder, "APPEND_SYSTEM.md"), "utf8").trim();
      return text ? [text] : [];
    } catch {
      return [];
    }
  });
}

/** The blocks of a system prompt without those texts, wherever they stand on lines of their own. */
export function withoutAppended(blocks: readonly string[], texts: readonly string[]): string[] {
  // One text may end in another: the longest goes first.
  const longest = [...texts].sort((a, b) => b.length - a.length);
  return blocks.map((block) => longest.reduce(without, block));
}

function without(block: string, text: string): string {
  const [inBlock, inText] = [bare(block), bare(text)];
  if (inText.text === "") return block;
  for (let at = inBlock.text.lastIndexOf(inText.text); at >= 0; at = inBlock.text.lastIndexOf(inText.text, at - 1)) {
    const start = inBlock.places[at] ?? 0;
    const line = block.lastIndexOf("\n", start - 1) + 1;
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
