// Each v1 feature, unlocked by another process while the harness waits for the model: shown in the very next request
// where the harness can, told exactly once, and in force when the notice says so (invariant 4).
import assert from "node:assert/strict";
import { FEATURES, furnish, harmless, trap } from "./src/gates.ts";
import type { When } from "./src/gates.ts";
import { call, result, say, steps } from "./src/model.ts";
import { live } from "./src/scene.ts";
import { connected } from "./src/stock.ts";

const TOLD: Record<When, RegExp> = {
  loop: /^Unlocked, ready now: /,
  prompt: /^Unlocked, from your next message on: /,
  start: /^Unlocked, from the next start of the harness on: /,
};
/** Of a surface that this harness never has, such as `glob` on Pi. */
const PENDING = /^Unlocked, as soon as the harness has it: /;

for (const harness of ["omp", "pi"] as const) {
  for (const feature of FEATURES[harness]) {
    live(`${feature.id} unlocked inside a loop`, harness, { garnish: {} }, async (scene) => {
      const { model, sandbox } = scene;
      furnish(sandbox);
      sandbox.unlock("feature", ...feature.needs);
      await scene.provision();
      const session = await scene.rpc();
      await session.prompt("before");
      assert.equal(feature.shows(model.last), false, "shown before it was unlocked");
      assert.deepEqual(session.notices, []);

      model.forget();
      const open = harness === "pi" && feature.id === "tool:file" ? call("bash", { command: "true" }) : harmless(sandbox);
      const unlocking = () => {
        sandbox.unlock("feature", feature.id);
        return open;
      };
      model.use(steps(unlocking, open, say("over")));
      await session.prompt("unlock inside");
      assert.equal(model.main.length, 3);
      if (feature.id === "mcp") for (const request of model.main.slice(1)) connected(request, harness, ["garnish-demo"]);
      assert.deepEqual(model.main.map(feature.shows), [false, feature.when === "loop", feature.when === "loop"]);

      const told = await session.wait("its notice", 0, (frame) => frame.method === "notify" && feature.named.test(String(frame.message)));
      assert.match(String(told.message), TOLD[feature.when]);
      // What Pi reads when it loads comes with a reload after the run; the status is shown again after it.
      if (harness === "pi" && ["skills", "extensions"].includes(feature.id)) {
        const settled = session.frames.findLastIndex((frame) => frame.type === "agent_settled");
        await session.wait("the reload", settled, (frame) => frame.method === "setStatus" && frame.statusKey === "garnish");
      }

      await session.prompt("after");
      assert.equal(feature.shows(model.last), feature.when !== "start");
      await session.prompt("and later");
      assert.equal(session.notices.filter(({ text }) => !PENDING.test(text)).length, 1, JSON.stringify(session.notices));
      assert.deepEqual(session.notices.map(({ text }) => text), [...new Set(session.notices.map(({ text }) => text))], "told twice");
      assert.equal(session.stderr, "");
      await session.close();

      const next = await scene.rpc();
      await next.prompt("the next start");
      assert.equal(feature.shows(model.last), true);
      assert.deepEqual(next.notices, []);
    });
  }

  live("an unlocked tool runs in the loop that unlocked it", harness, { garnish: {} }, async ({ model, sandbox, rpc }) => {
    sandbox.unlock("feature", "tool:file");
    const { command, sprung } = trap(sandbox);
    const unlocking = () => {
      sandbox.unlock("feature", "tool:bash");
      return harmless(sandbox);
    };
    model.use(steps(unlocking, call("bash", { command, i: "run" }), say("over")));
    const session = await rpc();
    await session.prompt("go");
    assert.match(result(model.last), /sprung/);
    assert.equal(sprung(), true);
  });

  live("what one level gives is unlocked together and told once", harness, { garnish: {} }, async ({ model, sandbox, rpc }) => {
    const session = await rpc();
    await session.prompt("before");
    sandbox.complete("hello", "look");
    await session.prompt("after");
    assert.ok(model.last.tools.includes("read"), model.last.tools.join());
    assert.equal(model.last.tools.includes("bash"), false);
    await session.prompt("and later");
    assert.equal(session.notices.filter(({ text }) => text.startsWith("Unlocked") && !PENDING.test(text)).length, 1, JSON.stringify(session.notices));
    // Derived, and written to the log by the session.
    const derived = sandbox.events.filter(({ type }) => type === "unlock").map(({ target, reason }) => ({ target, reason }));
    assert.deepEqual(derived, [
      { target: { type: "feature", id: "tool:file" }, reason: "quest_completed" },
      { target: { type: "level", id: "core" }, reason: "quest_completed" },
    ]);
  });
}
