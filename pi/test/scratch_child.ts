// What the tests of the effects have another process do: `scratch_child.ts JOB AGENT_DIR`.
import { agentDirImports, EffectFailure } from "../src/effects/index.ts";
import { bytes, fails, rewrite } from "./scratch.ts";

const [job, agent] = process.argv.slice(2);
const imports = agentDirImports(agent!, "/nowhere");
const files = imports["garnish:gating/files@0.1.0"];
const log = imports["garnish:gating/event-log@0.1.0"];

const jobs: Record<string, () => void> = {
  append() {
    for (let round = 0; round < 200; round++) {
      log.append(bytes(`${JSON.stringify({ by: process.pid, round, pad: "x".repeat(500) })}\n`));
    }
  },
  "append-for-ever"() {
    for (;;) log.append(bytes('{"by":"the one that is killed"}\n'));
  },
  create() {
    let made = 0;
    for (let file = 0; file < 200; file++) {
      try {
        files.write(`file-${file}`, undefined, bytes(`${process.pid}`));
        made += 1;
      } catch (error) {
        if (!(error instanceof EffectFailure) || error.payload.reason !== "conflict") throw error;
      }
    }
    log.append(bytes(`${made}\n`));
  },
  rewrite() {
    for (let round = 0; round < 100; round++) rewrite(files, "config.yml", (round % 2 ? "a" : "b").repeat(60_000));
  },
  closed() {
    // Root may do everything: somebody else must try.
    if (process.getuid?.() === 0) process.setuid?.(65534);
    fails(() => rewrite(files, "config.yml", "a: 2\n"), "denied", "config.yml");
    fails(() => files.write("closed/held.json", undefined, bytes("{}")), "denied", "closed/held.json");
    for (const path of ["garnish/displaced.json", "garnish/held.json"]) fails(() => rewrite(files, path, "{}"), "denied", path);
    fails(() => files.read("mcp.json"), "denied", "mcp.json");
    fails(() => log.append(bytes("{}\n")), "denied", "garnish/events.jsonl");
  },
  limited() {
    // Without a handler the first write over the limit ends the process.
    process.on("SIGXFSZ", () => {});
    fails(() => rewrite(files, "config.yml", "x".repeat(200_000)), "too-large", "config.yml");
  },
};
jobs[job!]!();
console.log("done");
// A handler of a signal keeps Bun running.
process.exit(0);
