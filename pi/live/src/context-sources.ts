// Every place from which omp 18.2.3 puts the learner's own text into a request, each with a marker of its own.
//
// omp keeps one context file of the user and one for each depth of the project, and one APPEND_SYSTEM.md: sources that
// push each other out are in one slot, and `rounds` spreads them so that each is seen in one round. sources.test.ts
// shows that stock omp shows each. This only names and writes files; it holds and asserts nothing.
//
// Left out, with the reason:
// - SYSTEM.md and PERSONALITY.md: nothing holds them (docs/harnesses.md).
// - .cursorrules: omp's own description names it, but nothing reads it. .omp/instructions and agent-dir instructions:
//   a capability that no prompt is built from.
// - .opencode/AGENTS.md, .codex/AGENTS.md, .windsurfrules in a project: not read.
// - COPILOT_CUSTOM_INSTRUCTIONS_DIRS: an environment variable, through the same provider as .github.
// - rules of plugins (omp-plugins, claude-plugins): only with a plugin installed, and its rules are part of it.
import { join } from "node:path";
import type { Sandbox } from "./sandbox.ts";

export interface Source {
  /** Also its marker's text. */
  id: string;
  /** The feature of the catalog omp-18 that holds it. */
  feature: "context" | "skills";
  base: "cwd" | "home" | "agentDir";
  path: string;
  form: "text" | "rule" | "instructions" | "skill";
  /** Sources of one slot push each other out. */
  slot?: string;
}

/** Where omp starts: below the repository's root, so that each depth above it has a place for one context file. */
const CWD = "one/two/three/four";

const text = (id: string, base: Source["base"], path: string, slot: string): Source => ({ id, feature: "context", base, path, form: "text", slot });
const rule = (id: string, base: Source["base"], path: string, more: Partial<Source> = {}): Source => ({ id, feature: "context", base, path, form: "rule", ...more });
const skill = (id: string, base: Source["base"], path: string): Source => ({ id, feature: "skills", base, path, form: "skill" });

export const SOURCES: Source[] = [
  // Context files. Only the last four are looked for in the folders above the one omp starts in.
  text("agent-dir-agents-md", "agentDir", "AGENTS.md", "user"),
  text("home-claude-md", "home", ".claude/CLAUDE.md", "user"),
  text("home-codex-agents-md", "home", ".codex/AGENTS.md", "user"),
  text("home-gemini-md", "home", ".gemini/GEMINI.md", "user"),
  text("home-opencode-agents-md", "home", ".config/opencode/AGENTS.md", "user"),
  text("home-copilot-instructions", "home", ".copilot/copilot-instructions.md", "user"),
  text("home-agent-agents-md", "home", ".agent/AGENTS.md", "user"),
  text("home-agents-agents-md", "home", ".agents/AGENTS.md", "user"),
  text("omp-agents-md", "cwd", ".omp/AGENTS.md", "depth 0"),
  text("claude-claude-md", "cwd", ".claude/CLAUDE.md", "depth 0"),
  text("gemini-gemini-md", "cwd", ".gemini/GEMINI.md", "depth 0"),
  text("github-copilot-instructions", "cwd", ".github/copilot-instructions.md", "depth 0"),
  text("claude-md", "cwd", "../CLAUDE.md", "depth 1"),
  text("agents-md", "cwd", "../../AGENTS.md", "depth 2"),
  text("agent-agents-md", "cwd", "../../../.agent/AGENTS.md", "depth 3"),
  text("agents-agents-md", "cwd", "../../../../.agents/AGENTS.md", "depth 4"),
  // Rules, each under a name of its own.
  rule("clinerules-file", "cwd", ".clinerules", { slot: "clinerules" }),
  rule("clinerules-folder", "cwd", ".clinerules/cline.md", { slot: "clinerules" }),
  rule("cursor-rule", "cwd", ".cursor/rules/cursor.mdc"),
  rule("home-cursor-rule", "home", ".cursor/rules/home-cursor.mdc"),
  rule("windsurf-rule", "cwd", ".windsurf/rules/windsurf.md"),
  rule("home-windsurf-rules", "home", ".codeium/windsurf/memories/global_rules.md"),
  rule("github-instructions", "cwd", ".github/instructions/github.instructions.md", { form: "instructions" }),
  rule("agent-rule", "cwd", ".agent/rules/agent.md"),
  rule("agents-rule", "cwd", ".agents/rules/agents.md"),
  rule("home-agent-rule", "home", ".agent/rules/home-agent.md"),
  rule("home-agents-rule", "home", ".agents/rules/home-agents.md"),
  rule("omp-rule", "cwd", ".omp/rules/omp.md"),
  rule("omp-rules-md", "cwd", ".omp/RULES.md"),
  rule("agent-dir-rule", "agentDir", "rules/agent-dir.md"),
  rule("agent-dir-rules-md", "agentDir", "RULES.md"),
  // Of these omp takes one. The agent dir's is looked for below HOME, whatever PI_CODING_AGENT_DIR says.
  text("omp-append-system", "cwd", ".omp/APPEND_SYSTEM.md", "append"),
  text("claude-append-system", "cwd", ".claude/APPEND_SYSTEM.md", "append"),
  text("codex-append-system", "cwd", ".codex/APPEND_SYSTEM.md", "append"),
  text("gemini-append-system", "cwd", ".gemini/APPEND_SYSTEM.md", "append"),
  text("home-omp-append-system", "home", ".omp/agent/APPEND_SYSTEM.md", "append"),
  text("home-claude-append-system", "home", ".claude/APPEND_SYSTEM.md", "append"),
  text("home-codex-append-system", "home", ".codex/APPEND_SYSTEM.md", "append"),
  text("home-gemini-append-system", "home", ".gemini/APPEND_SYSTEM.md", "append"),
  // Skills, each under a name of its own.
  skill("agent-dir-skill", "agentDir", "skills"),
  skill("managed-skill", "agentDir", "managed-skills"),
  skill("omp-skill", "cwd", ".omp/skills"),
  skill("claude-skill", "cwd", ".claude/skills"),
  skill("home-claude-skill", "home", ".claude/skills"),
  skill("codex-skill", "cwd", ".codex/skills"),
  skill("home-codex-skill", "home", ".codex/skills"),
  skill("agent-skill", "cwd", ".agent/skills"),
  skill("agents-skill", "cwd", ".agents/skills"),
  skill("home-agents-skill", "home", ".agents/skills"),
  skill("github-skill", "cwd", ".github/skills"),
  skill("opencode-skill", "cwd", ".opencode/skills"),
  skill("home-opencode-skill", "home", ".config/opencode/skills"),
];

export const marker = (source: Source): string => `MARK(${source.id})`;

/** The sources in as few rounds as they fit into without pushing each other out. */
export function rounds(sources: Source[] = SOURCES): Source[][] {
  const spread: Source[][] = [];
  const taken = new Map<string, number>();
  for (const source of sources) {
    const round = source.slot === undefined ? 0 : (taken.get(source.slot) ?? 0);
    if (source.slot !== undefined) taken.set(source.slot, round + 1);
    (spread[round] ??= []).push(source);
  }
  return spread;
}

/** Writes the sources, and lets omp start where it sees them. What other tools keep in HOME, omp reads when asked to. */
export function create(sandbox: Sandbox, sources: Source[]): void {
  sandbox.cwd = join(sandbox.project, CWD);
  sandbox.inProject(`${CWD}/here.txt`, "");
  sandbox.inAgentDir("config.yml", 'enabledProviders:\n  - "*"\n');
  for (const source of sources) {
    const mark = marker(source);
    const write = { cwd: (path: string, content: string) => sandbox.inProject(join(CWD, path), content), home: sandbox.inHome, agentDir: sandbox.inAgentDir }[source.base];
    const front = { text: "", rule: "---\nalwaysApply: true\n---\n", instructions: '---\napplyTo: "**"\n---\n', skill: `---\nname: ${source.id}\ndescription: ${mark}\n---\n` }[source.form];
    const path = source.form === "skill" ? join(source.path, source.id, "SKILL.md") : source.path;
    write.call(sandbox, path, `${front}${mark} stands here.\n`);
  }
}

/** The ids of those whose marker is in the text. */
export const seen = (sources: Source[], requestText: string): string[] => sources.filter((source) => requestText.includes(marker(source))).map(({ id }) => id);
export const ids = (sources: Source[]): string[] => sources.map(({ id }) => id);
