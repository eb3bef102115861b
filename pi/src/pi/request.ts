// What of a request of Pi's is a surface: the tools that it declares, and in its prompt context files, skills,
// APPEND_SYSTEM.md and the list of MCP servers. Taken out of one request; Pi's own record of the conversation stays whole, so
// that what is unlocked is in the next request, and where it always was.

/** A message of a request, as far as it is looked at here. */
export interface Message {
  role: string;
  toolsAdded?: { name: string }[];
  /** Parts of the prompt by their names; null takes one away. */
  sections?: Record<string, string | null>;
}

/** The messages without what is held: tools that are not shown, and parts of the prompt. */
export function withoutHeld(messages: Message[], isShown: (tool: string) => boolean, held: ReadonlySet<string>): Message[] {
  return messages.map((message) => {
    if (message.role !== "system") return message;
    const { toolsAdded, sections } = message;
    return {
      ...message,
      ...(toolsAdded && { toolsAdded: toolsAdded.filter(({ name }) => isShown(name)) }),
      ...(sections && { sections: without(sections, held) }),
    };
  });
}

/** How Pi calls a server in the names of its tools. */
export function namespaceOf(server: string): string {
  return `mcp__${server.replace(/[^A-Za-z0-9_]/g, "_")}`;
}

/** By the section's name: its text without what is held; undefined when nothing is left. */
const SECTIONS: Record<string, (text: string, held: ReadonlySet<string>) => string | undefined> = {
  addendum: (text, held) => (held.has("session:append-system") ? undefined : text),
  project_context: (text, held) => blocks(text, /(?=<project_instructions path=")/, /^<project_instructions path="([^"]*)"/, (path) => sourcesOf(path).some((source) => held.has(source))),
  skills: (text, held) => {
    const globs = named("skill:", held).map(matcher);
    return blocks(text, /(?=^ *<skill>\n)/m, /^ *<skill>\s*<name>([^<]*)<\/name>/, (name) => globs.some((glob) => glob.test(unescaped(name))));
  },
  mcp_servers: (text, held) => {
    const namespaces = named("mcp:", held).map(namespaceOf);
    return blocks(text, /(?=^- mcp__)/m, /^- (mcp__\S+) \(/, (namespace) => namespaces.includes(namespace));
  },
};

function without(sections: Record<string, string | null>, held: ReadonlySet<string>): Record<string, string | null> {
  const kept = Object.entries(sections).map(([name, text]) => {
    const cut = Object.hasOwn(SECTIONS, name) ? SECTIONS[name] : undefined;
    return [name, cut && typeof text === "string" ? cut(text, held) : text] as const;
  });
  return Object.fromEntries(kept.filter((entry): entry is [string, string | null] => entry[1] !== undefined));
}

/** A section of items without those that are held, each begun by what `item` finds; what stands around them stays. */
function blocks(text: string, start: RegExp, item: RegExp, isHeld: (name: string) => boolean): string | undefined {
  const parts = text.split(start);
  const last = parts.at(-1) ?? "";
  // What closes the section stands behind the last item.
  const end = /(\n- … [^\n]*)?\n*(<\/(available_skills|skills|project_context|mcp_servers)>\s*)+$/.exec(last)?.[0] ?? "";
  parts[parts.length - 1] = last.slice(0, last.length - end.length);
  const kept = parts.filter((part) => {
    const name = item.exec(part)?.[1];
    return name === undefined || !isHeld(name);
  });
  if (kept.length === parts.length) return text;
  const isEmpty = !kept.some((part) => item.test(part));
  return isEmpty ? undefined : kept.join("").trimEnd() + end;
}

/** The surfaces that stand for a context file, whatever the harness calls the one that finds it. */
function sourcesOf(path: string): string[] {
  return /(^|[\\/])CLAUDE[^\\/]*$/i.test(path) ? ["provider:claude", "provider:claude-md"] : ["provider:agents-md", "session:native-context"];
}

function named(kind: string, held: ReadonlySet<string>): string[] {
  return [...held].filter((capability) => capability.startsWith(kind)).map((capability) => capability.slice(kind.length));
}

/** A name as it is, not as XML spells it. */
function unescaped(name: string): string {
  const signs: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return name.replace(/&(lt|gt|quot|apos|amp);/g, (_, sign: string) => signs[sign] ?? "");
}

function matcher(glob: string): RegExp {
  const pattern = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
  return new RegExp(`^${pattern}$`);
}
