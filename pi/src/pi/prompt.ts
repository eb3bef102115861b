// What of Pi's system prompt is a surface: context files, skills, APPEND_SYSTEM.md. Taken out of the sections of one
// prompt; Pi makes them anew for the next.

/** The parts of `before_agent_start`'s mutable sections that are used here. */
export interface PromptSections {
  contextFiles?: { path: string }[];
  skills?: { name: string }[];
  appendSystemPrompt?: string;
}

/** Takes out of the sections what is held. */
export function cut(sections: PromptSections, held: ReadonlySet<string>): void {
  const files = sections.contextFiles;
  if (files) sections.contextFiles = files.filter(({ path }) => !sourcesOf(path).some((source) => held.has(source)));
  const globs = [...held].filter((capability) => capability.startsWith("skill:")).map((capability) => matcher(capability.slice("skill:".length)));
  if (sections.skills) sections.skills = sections.skills.filter(({ name }) => !globs.some((glob) => glob.test(name)));
  if (sections.appendSystemPrompt && held.has("session:append-system")) sections.appendSystemPrompt = "";
}

/** The surfaces that stand for a context file, whatever the harness calls the one that finds it. */
function sourcesOf(path: string): string[] {
  return /(^|[\\/])CLAUDE[^\\/]*$/i.test(path) ? ["provider:claude", "provider:claude-md"] : ["provider:agents-md", "session:native-context"];
}

function matcher(glob: string): RegExp {
  const pattern = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
  return new RegExp(`^${pattern}$`);
}
