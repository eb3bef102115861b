// Surfaces that no built-in catalog has: a team's own, with an approval mode and a glob that is not every skill.
import assert from "node:assert/strict";
import { join } from "node:path";
import { harmless, trap } from "./src/gates.ts";
import { call, result, say, steps } from "./src/model.ts";
import { live } from "./src/scene.ts";

const TEAM = `version: 1
features:
  trust:
    title: Trust
    surfaces:
      - {kind: approvalMode, mode: yolo}
  sewing:
    title: Sewing
    surfaces:
      - {kind: skill, glob: "sew-*"}
`;

live("an approval mode is held, and in force at once when it is unlocked", "omp", { garnish: { catalog: "team.yml" } }, async ({ model, sandbox, provision, rpc }) => {
  sandbox.inAgentDir("garnish/team.yml", TEAM);
  await provision();
  const session = await rpc();
  const asked = trap(sandbox, "asked");
  const free = trap(sandbox, "free");
  model.use(steps(call("bash", { command: asked.command, i: "x" }), say("over")));
  // Nobody answers the question that omp has to ask now, so the call cannot have run.
  void session.prompt("run it").catch(() => undefined);
  await session.wait("the question", 0, (frame) => frame.type === "extension_ui_request" && /confirm|select|askDialog/.test(String(frame.method)));
  assert.equal(asked.sprung(), false);
  await session.close();

  const next = await rpc();
  const unlocking = () => {
    sandbox.unlock("feature", "trust");
    return harmless(sandbox);
  };
  model.use(steps(unlocking, call("bash", { command: free.command, i: "x" }), say("over")));
  await next.prompt("unlock, then run it");
  assert.equal(free.sprung(), true, result(model.last));
  assert.deepEqual(next.notices.map(({ text }) => text), ["Unlocked, ready now: Trust."]);
});

live("skills by a glob", "omp", { garnish: { catalog: "team.yml" } }, async ({ model, sandbox, provision, rpc }) => {
  sandbox.inAgentDir("garnish/team.yml", TEAM);
  sandbox.skill(join(sandbox.agentDir, "skills"), "sew-on-a-button", "BUTTON-MARK");
  await provision();
  const session = await rpc();
  await session.prompt("hello");
  assert.equal(model.last.text.includes("BUTTON-MARK"), false);
  sandbox.unlock("feature", "sewing");
  await session.prompt("again");
  assert.ok(model.last.text.includes("BUTTON-MARK"), "the glob is open");
  assert.deepEqual(session.notices.map(({ text }) => text), ["Unlocked, ready now: Sewing."]);
});
