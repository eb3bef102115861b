// The extension: what omp and Pi load. Ties a harness's events to a session; nothing else.
import { homedir } from "node:os";
import { compileAhead, INSTALLED, newInstance, WIT_VERSION } from "./component.ts";
import { agentDirImports } from "./effects/index.ts";
import { Fallback } from "./fallback.ts";
import { Gate, type Verdict } from "./gate.ts";
import type { Harness } from "./harness.ts";
import { takeInventory } from "./inventory.ts";
import { completions, parse, selector, told, UNLOCK_USAGE } from "./learner.ts";
import { isOmp, OmpHarness, OmpProcess } from "./omp/harness.ts";
import { PiHarness } from "./pi/harness.ts";
import { refreshOverlay } from "./omp/overlay.ts";
import { withoutHeld } from "./omp/payload.ts";
import type { Message } from "./pi/request.ts";
import { self } from "./pi/self.ts";
import type { CommandContext, ExtensionApi } from "./api.ts";
import { Session, type Wanted } from "./session.ts";

const ofProcess = new OmpProcess();

export default async function garnish(api: ExtensionApi): Promise<void> {
  if (isOmp(api)) await omp(api);
  else pi(api);
}

async function omp(api: ExtensionApi): Promise<void> {
  const compiling = compileAhead();
  const harness = await OmpHarness.of(api, ofProcess);
  const session = gated(harness, () => "queued");
  // Handlers first: whatever goes wrong behind this, calls are judged and tools are held.
  common(api, harness, session);
  // Not waited for: omp has other things to do until its first request, and that waits, in `before_agent_start`.
  api.on("session_start", (_, context) => {
    harness.entered(context);
    void session.start();
  });
  for (const event of ["session_switch", "session_branch", "session_tree"]) {
    api.on(event, async (_, context) => {
      harness.entered(context);
      await session.start();
    });
  }
  api.on("before_provider_request", (event: { payload: unknown }) =>
    withoutHeld(event.payload, (names) => session.shown(names.map((name) => harness.tool(name)))),
  );
  harness.beforeModelCall = () => session.reached("before-request");
  await compiling;
  await session.prepare();
}

function pi(api: ExtensionApi): void {
  const harness = new PiHarness(api, self());
  const session = gated(harness, (capability) => harness.afterReload(capability));
  common(api, harness, session);
  api.on("session_start", async (_, context) => {
    harness.entered(context);
    await session.start();
  });
  // Pi's own MCP extension adds the tools of its servers behind our `before_agent_start`: the request itself is looked at.
  api.on("context_with_system", (event: { messages: Message[] }) => ({
    messages: harness.filtered(event.messages, (tools) => session.shown(tools)),
  }));
  api.on("agent_start", async (_, context) => {
    harness.entered(context);
    await session.reached("before-request");
  });
  api.on("agent_settled", async (_, context) => {
    harness.entered(context);
    await harness.reloadWhenWanted();
  });
}

/** What both harnesses have. */
function common(api: ExtensionApi, harness: Harness, session: Session): void {
  for (const [event, trigger] of [
    ["before_agent_start", "before-request"],
    ["tool_result", "before-request"],
    ["turn_end", "turn-end"],
    ["agent_end", "agent-end"],
  ] as const) {
    api.on(event, async (_, context) => {
      harness.entered(context);
      await session.reached(trigger);
    });
  }
  api.on("tool_call", (event, context) => {
    harness.entered(context);
    const verdict: Verdict = session.check(event.toolName, event.input, context.cwd, homedir());
    if (verdict.tag === "allow") return undefined;
    session.note(verdict.val.forLearner);
    return { block: true, reason: verdict.val.forAgent };
  });
  api.registerCommand("unlock", {
    description: "Unlock features without earning them: --all, or --level LEVEL",
    getArgumentCompletions: (prefix) => completions(prefix, quietly(() => parse(session.status()))),
    handler: async (args, context) => unlock(args, context, harness, session),
  });
  api.registerCommand("garnish", {
    description: "Where you stand: level, what is held and how it is earned, what comes next",
    handler: async (_, context) => {
      harness.entered(context);
      try {
        harness.notify("info", told(parse(session.status())));
      } catch (error) {
        harness.notify("error", `Garnish cannot tell: ${(error as Error).message}`);
      }
    },
  });
}

async function unlock(args: string, context: CommandContext, harness: Harness, session: Session): Promise<void> {
  harness.entered(context);
  const what = selector(args);
  if (!what) return harness.notify("error", UNLOCK_USAGE);
  try {
    const { exitCode, message } = await session.unlock(what);
    harness.notify(exitCode === 0 ? "info" : "error", message);
    await harness.reloadWhenWanted?.(context);
  } catch (error) {
    const words = what.tag === "all" ? "--all" : `--level ${what.val}`;
    harness.notify("error", `${(error as Error).message}\nIn a shell: garnish unlock ${words} --agent-dir '${harness.agentDir}'`);
  }
}

/** A session under the gate; `reloaded` answers for a capability whose reload the component asks for. */
function gated(harness: Harness, reloaded: (capability: string) => "queued" | "next-turn"): Session {
  const wanted: Wanted = { reload: [] };
  const answer = <T>(ask: () => T): T => {
    try {
      return ask();
    } catch (error) {
      throw { reason: "other", message: error instanceof Error ? error.message : String(error) };
    }
  };
  const effects = () => {
    const imports = agentDirImports(harness.agentDir, INSTALLED);
    const log = imports["garnish:gating/event-log@0.1.0"];
    const stat = () => {
      const found = log.stat();
      wanted.logLength = found.length;
      return found;
    };
    return { ...imports, "garnish:gating/event-log@0.1.0": { ...log, stat } };
  };
  const gate = new Gate(
    () =>
      newInstance({
        ...effects(),
        "garnish:gating/session@0.1.0": {
          getRole: () => harness.role(),
          getActiveTools: () => answer(() => harness.activeTools()),
          getAllTools: () => answer(() => harness.allTools()),
          setActiveTools(names) {
            wanted.tools = names;
            return { tag: "queued" };
          },
          reload(capabilities) {
            const answers = capabilities.map((capability) => ({ tag: reloaded(capability) }));
            wanted.reload.push(...capabilities.filter((_, index) => answers[index]?.tag === "queued"));
            return answers;
          },
          // What escapes from an import ends the instance, and a notice is not worth that.
          notify: (level, text) => void quietly(() => harness.notify(level, text)),
        },
      }).unlocks,
  );
  const files = () => agentDirImports(harness.agentDir, INSTALLED)["garnish:gating/files@0.1.0"];
  const { YAML } = (globalThis as { Bun?: { YAML?: { parse(text: string): unknown } } }).Bun ?? {};
  return new Session(harness, gate, new Fallback(harness.agentDir), wanted, {
    // What could not be written down is missed by nobody in a session.
    begun: () => void quietly(() => harness.role() === "main" && takeInventory(harness, WIT_VERSION, files())),
    // Only omp has overlays, and it runs on Bun.
    changed: () => void (YAML && refreshOverlay(files(), (text) => YAML.parse(text))),
  });
}

function quietly<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
