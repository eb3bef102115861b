// The declarations of tools in what omp sends to a provider: the last place where another extension, or a mode of omp,
// can have shown a held tool. Understands the providers' forms; what it does not understand it leaves alone.

interface Declaration {
  name?: unknown;
  function?: { name?: unknown };
  functionDeclarations?: Declaration[];
}

/** The payload without the tools that may not be shown; undefined where there is none in it. */
export function withoutHeld(payload: unknown, shown: (names: string[]) => string[]): unknown {
  if (typeof payload !== "object" || payload === null || !("tools" in payload) || !Array.isArray(payload.tools)) return undefined;
  const tools = payload.tools as Declaration[];
  const names = tools.flatMap(namesOf);
  const open = new Set(shown(names));
  if (names.every((name) => open.has(name))) return undefined;
  const kept = tools.flatMap((tool) => without(tool, open));
  const { tools: _, tool_choice: choice, ...rest } = payload as { tools: unknown; tool_choice?: unknown };
  // Providers refuse an empty list, and a choice without one.
  if (kept.length === 0) return rest;
  return { ...rest, tools: kept, ...(choice === undefined ? {} : { tool_choice: choice }) };
}

function namesOf(tool: Declaration): string[] {
  if (Array.isArray(tool?.functionDeclarations)) return tool.functionDeclarations.flatMap(namesOf);
  const name = tool?.function?.name ?? tool?.name;
  return typeof name === "string" ? [name] : [];
}

function without(tool: Declaration, open: ReadonlySet<string>): Declaration[] {
  if (Array.isArray(tool?.functionDeclarations)) {
    const functionDeclarations = tool.functionDeclarations.flatMap((one) => without(one, open));
    return functionDeclarations.length > 0 ? [{ ...tool, functionDeclarations }] : [];
  }
  return namesOf(tool).every((name) => open.has(name)) ? [tool] : [];
}
