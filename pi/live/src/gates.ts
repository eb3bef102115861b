// What the tests know of the gates: which tools the harnesses offer, what each feature shows in a request, and how to
// tell a refused call. From docs/harnesses.md and the catalogs; nothing here is asked of garnish.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { call, results } from "./model.ts";
import type { ModelRequest, Reply } from "./model.ts";
import type { HarnessName, Sandbox } from "./sandbox.ts";

/** What the stock harness offers outside its screen, in its order. */
export const STOCK: Record<HarnessName, string[]> = {
  omp: ["read", "bash", "edit", "eval", "glob", "grep", "task", "hub", "todo", "web_search", "write"],
  pi: ["read", "bash", "edit", "write"],
};

/** What of it stays when everything is held. */
export const LEFT: Record<HarnessName, string[]> = { omp: ["todo", "web_search"], pi: [] };

/** Everything that the setups of the tests hold of tools: catalog omp-18 on omp, v1 on Pi. */
export const HELD: Record<HarnessName, string[]> = {
  omp: ["ast_edit", "bash", "debug", "edit", "eval", "glob", "grep", "hub", "launch", "lsp", "read", "task", "write"],
  pi: ["bash", "edit", "glob", "grep", "read", "task", "write"],
};

/** How soon the harness can show a feature, at best: in the running loop, in the next prompt, in the next start. */
export type When = "loop" | "prompt" | "start";

export interface Feature {
  id: string;
  /** As notices name it: by its title, or by what of it was still held. */
  named: RegExp;
  when: When;
  /** Features without which this one could not be seen. */
  needs: string[];
  shows(request: ModelRequest): boolean;
}

const tools = (...names: string[]) => (request: ModelRequest) => names.every((name) => request.tools.includes(name));
const text = (...marks: string[]) => (request: ModelRequest) => marks.every((mark) => request.text.includes(mark));

/** The v1 features. */
export const FEATURES: Record<HarnessName, Feature[]> = {
  omp: [
    { id: "context", named: /Context files/, when: "loop", needs: [], shows: text("CONTEXT-MARK", "RULE-MARK", "APPEND-MARK") },
    // What extensions and servers offer is reached through read and write: see `xd://` in the prompt.
    { id: "extensions", named: /Extensions/, when: "start", needs: ["tool:file"], shows: text("EXTENSION-MARK-garnish-demo") },
    { id: "mcp", named: /MCP servers/, when: "loop", needs: ["tool:file"], shows: text("MCP-MARK-garnish-demo") },
    // omp lists skills only while there is a tool to read them with.
    { id: "skills", named: /Skills/, when: "loop", needs: ["tool:file"], shows: text("SKILL-MARK") },
    { id: "subagents", named: /Subagents/, when: "loop", needs: [], shows: tools("task", "hub") },
    { id: "tool:bash", named: /Bash/, when: "loop", needs: [], shows: tools("bash") },
    { id: "tool:file", named: /Files|\bwrite\b/, when: "loop", needs: [], shows: (request: ModelRequest) => tools("read", "edit", "glob", "grep", "write")(request) && text("xd://lsp", "xd://ast_edit")(request) },
    { id: "tool:shell", named: /Shell|Bash|\beval\b/, when: "loop", needs: [], shows: tools("bash", "eval") },
  ],
  pi: [
    { id: "context", named: /Context files/, when: "loop", needs: ["tool:file"], shows: text("CONTEXT-MARK") },
    { id: "extensions", named: /Extensions/, when: "prompt", needs: ["tool:file"], shows: tools("garnish_demo") },
    { id: "mcp", named: /MCP servers/, when: "loop", needs: ["tool:file"], shows: tools("mcp__garnish_demo__echo") },
    // So does Pi.
    { id: "skills", named: /Skills/, when: "prompt", needs: ["tool:file"], shows: text("SKILL-MARK") },
    { id: "tool:bash", named: /Bash/, when: "loop", needs: ["tool:file"], shows: tools("bash") },
    { id: "tool:file", named: /Files|\bwrite\b/, when: "loop", needs: ["tool:bash"], shows: tools("read", "edit", "write") },
    { id: "tool:shell", named: /Shell|Bash|\beval\b/, when: "loop", needs: ["tool:file"], shows: tools("bash") },
  ],
};

/** Puts something of everything there that a request can show, so that its absence means something. */
export function furnish(sandbox: Sandbox, { extension = true } = {}): void {
  sandbox.inProject("AGENTS.md", "CONTEXT-MARK\n");
  if (sandbox.harness === "omp") {
    sandbox.inProject(".omp/RULES.md", "RULE-MARK\n");
    sandbox.inProject(".omp/APPEND_SYSTEM.md", "APPEND-MARK\n");
  }
  sandbox.skill(join(sandbox.agentDir, "skills"), "sewing", "SKILL-MARK");
  sandbox.mcp(join(sandbox.agentDir, "mcp.json"), { "garnish-demo": {} });
  if (extension) sandbox.demoExtension();
}

/** The marks of what `furnish` puts there. */
export const FURNISHED: Record<HarnessName, string[]> = {
  omp: ["CONTEXT-MARK", "RULE-MARK", "APPEND-MARK", "SKILL-MARK", "MCP-MARK-", "EXTENSION-MARK-"],
  pi: ["CONTEXT-MARK", "SKILL-MARK", "MCP-MARK-", "EXTENSION-MARK-"],
};

/** Nothing in the request that is held: no tool, and none of the marks. */
export function assertLocked(request: ModelRequest, harness: HarnessName, marks: string[] = []): void {
  assert.deepEqual(request.tools.filter((tool) => HELD[harness].includes(tool)), [], `held tools offered in request ${request.n}`);
  assert.deepEqual(marks.filter((mark) => request.text.includes(mark)), [], `held text in request ${request.n}`);
  assert.doesNotMatch(request.system, /^# xd:\/\/ Tool Devices/m);
}

/** A shell command that leaves a trace, and the look whether it did. */
export function trap(sandbox: Sandbox, name = "trap"): { command: string; sprung(): boolean } {
  const file = join(sandbox.root, name);
  return { command: `touch '${file}'; echo sp''rung`, sprung: () => existsSync(file) };
}

/** Every call of the model's last reply was refused by garnish, or is unknown to the harness. */
export function assertRefused(request: ModelRequest, how: RegExp = /held by garnish|not found|not available|unknown tool/i): void {
  const all = results(request);
  assert.notEqual(all.length, 0);
  for (const one of all) {
    assert.match(one, how);
    assert.doesNotMatch(one, /sprung/);
  }
}

/** A call that is open and changes nothing, so that a loop goes on. */
export function harmless(sandbox: Sandbox): Reply {
  if (sandbox.harness === "omp") return call("todo", { op: "view", i: "look" });
  return call("read", { path: join(sandbox.agentDir, "models.json") });
}
