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

/** The blocks of a system prompt without those texts at a block's end, where omp puts them. */
export function withoutAppended(blocks: readonly string[], texts: readonly string[]): string[] {
  return blocks.map((block) => {
    const end = block.trimEnd();
    const text = texts.find((text) => end.endsWith(`\n${text}`));
    return text === undefined ? block : end.slice(0, -text.length).replace(HEADING, "").trimEnd();
  });
}
