// The session of two_writers.test.ts: `two_writers_child.ts AGENT_DIR FROM ROUNDS`. A quest, then a turn's end; it says what
// is in the log, and waits to be told to go on.
import { readSync, writeSync } from "node:fs";
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
  goOn();
  unlocks.applyUnlocks("turn-end");
}

function goOn(): void {
  for (;;) {
    try {
      readSync(0, new Uint8Array(1));
      return;
    } catch (error) {
      // The pipe does not block.
      if ((error as { code?: unknown }).code !== "EAGAIN") throw error;
    }
  }
}
