// The real effects: the agent dir of a harness, its event log, and the clock, as jco wants imports. What wit/files.wit and
// wit/event-log.wit promise is kept here, by the rules of the native host (host/src/agent_dir). It never leaves the agent
// dir, save for a config file that the learner has linked out of it.
import { realpathSync, statSync } from "node:fs";
import { EffectFailure, isMissing } from "./failure.ts";
import type { AgentDirImports } from "./imports.ts";
import * as log from "./log.ts";
import { resolve } from "./place.ts";
import { read, write } from "./replace.ts";
import { find, findOrMakeFolders } from "./target.ts";

export { EffectFailure };
export type { AgentDirImports };

/**
 * The effects on an agent dir that exists; it may be a link itself. In `componentDir`, where the extension is installed,
 * `resolve` answers `component`.
 *
 * @throws when the agent dir is not there, or is no folder.
 */
export function agentDirImports(root: string, componentDir: string): AgentDirImports {
  const agent = opened(root);
  const code = installed(componentDir);
  return {
    "garnish:gating/files@0.1.0": {
      read: (path) =>
        answer(() => {
          const target = find(agent, path);
          return target && read(target);
        }),
      write: (path, expected, bytes) => answer(() => write(findOrMakeFolders(agent, path), expected, bytes)),
      resolve: (path, cwd) => answer(() => resolve(agent, code, path, cwd)),
    },
    "garnish:gating/event-log@0.1.0": {
      stat: () => answer(() => log.stat(agent)),
      read: (offset, limit) => answer(() => log.read(agent, offset, limit)),
      append: (lines) => answer(() => log.append(agent, lines)),
    },
    "garnish:gating/clock@0.1.0": {
      // To the second, as the native host has it.
      now: () => `${new Date().toISOString().slice(0, 19)}Z`,
    },
  };
}

function opened(root: string): string {
  try {
    const real = realpathSync.native(root);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    if (isMissing(error)) throw new Error(`the agent dir ${root} does not exist`);
    throw new Error(`the agent dir ${root} cannot be opened: ${(error as Error).message}`);
  }
  throw new Error(`the agent dir ${root} is not a folder`);
}

/** A path that does not exist is ignored. */
function installed(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}

/** A failure that nobody foresaw is an answer too; anything else that is thrown would end the component's instance. */
function answer<T>(ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (error instanceof EffectFailure) throw error;
    throw new EffectFailure("other", error instanceof Error ? error.message : String(error));
  }
}
