// The session of two_writers.test.ts: `two_writers_child.ts AGENT_DIR FROM ROUNDS`. A quest, then a turn's end; it says what
// is in the log.
import { writeSync } from "node:fs";
import { instance } from "./conformance/component.ts";
import { Calls, HARNESS, recorded } from "./conformance/recorder.ts";

const [agent, from, rounds] = process.argv.slice(2);
const tools = Array.from({ length: 85 }, (_, index) => `x${String(index).padStart(2, "0")}`);
const { unlocks } = instance(recorded(agent!, { ...HARNESS, tools }, new Calls()));
unlocks.applyUnlocks("session-start");
for (let round = Number(from); round < Number(rounds); round++) {
  const quest = `session-${String(round).padStart(3, "0")}`;
  unlocks.complete(quest);
  writeSync(1, `recorded ${quest}\n`);
  unlocks.applyUnlocks("turn-end");
}
