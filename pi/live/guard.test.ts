// The guard: what an agent calls although it is held, and what it would write although it is garnish's, is refused with
// a reason; the file is as it was, and the learner is told how the feature is earned.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { assertRefused, trap } from "./src/gates.ts";
import { call, result, results, say, steps } from "./src/model.ts";
import type { Call } from "./src/model.ts";
import type { HarnessName, Sandbox } from "./src/sandbox.ts";
import { live } from "./src/scene.ts";

const OWN_STATE = /belongs to garnish/;

/** Calls that would change `file`. */
function writes(harness: HarnessName, file: string): Call[] {
  const shell: Call[] = [
    { name: "bash", args: { command: `echo '{"forged":1}' >> '${file}'`, i: "x" } },
    { name: "write", args: { path: file, content: "forged", i: "x" } },
  ];
  if (harness === "pi") return shell;
  return [...shell, { name: "eval", args: { language: "js", code: `require("fs").appendFileSync(${JSON.stringify(file)}, "forged")`, title: "x", i: "x" } }];
}

const STATE: Record<HarnessName, string[]> = { omp: ["config.yml", "extensions/garnish/index.js", "mcp.json", "garnish/events.jsonl", "garnish/setup.json"], pi: ["settings.json", "extensions/garnish/index.js", "garnish/events.jsonl", "garnish/setup.json"] };

for (const harness of ["omp", "pi"] as const) {
  for (const path of STATE[harness]) {
    live(`an agent that writes ${path} is refused, whichever tool it takes`, harness, { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
      sandbox.unlock("feature", "tool:file", "tool:bash", "tool:shell");
      await provision();
      const session = await rpc();
      await session.prompt("hello");
      const before = sandbox.read(path);
      const calls = writes(harness, join(sandbox.agentDir, path));
      model.use(steps({ calls }, say("over")));
      await session.prompt("go");
      assert.equal(results(model.last).length, calls.length);
      assertRefused(model.last, OWN_STATE);
      assert.equal(sandbox.read(path), before);
      assert.ok(session.notices.some(({ text }) => text.includes(path.split("/").at(-1) ?? path) || /garnish's own code/.test(text)), JSON.stringify(session.notices));
    });
  }

  live("a held tool that is called all the same does not run", harness, { garnish: {} }, async ({ model, sandbox, rpc }) => {
    const { command, sprung } = trap(sandbox);
    model.use(steps(call("bash", { command, i: "x" }), say("over")));
    const session = await rpc();
    await session.prompt("go");
    assertRefused(model.last);
    assert.equal(sprung(), false);
  });

  live("a learner's own file of the same name is none of garnish's business", harness, { garnish: {} }, async ({ model, sandbox, rpc }) => {
    sandbox.unlock("feature", "tool:file", "tool:bash");
    const file = join(sandbox.project, "config.yml");
    model.use(steps(call("write", { path: file, content: "mine: true\n", i: "x" }), say("over")));
    const session = await rpc();
    await session.prompt("go");
    assert.ok(existsSync(file), result(model.last));
  });
}

/** eval that runs a shell command, in each of its languages. */
const evals = (sandbox: Sandbox, command: string): Call[] => [
  { name: "eval", args: { language: "js", code: `require("child_process").execSync(${JSON.stringify(command)})`, title: "x", i: "x" } },
  { name: "eval", args: { language: "py", code: `import os\nos.system(${JSON.stringify(command)})`, title: "x", i: "x" } },
  { name: "hub", args: { op: "start", name: "x", application: "sh", args: ["-c", command], cwd: sandbox.project, i: "x" } },
];

live("no way to a shell while tool:shell is held, though bash and all else is open", "omp", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  sandbox.unlock("feature", "context", "extensions", "mcp", "skills", "subagents", "tool:bash", "tool:file");
  await provision();
  const { command, sprung } = trap(sandbox);
  const session = await rpc();
  model.use(steps({ calls: evals(sandbox, command) }, say("over")));
  await session.prompt("go");
  for (const request of model.main) assert.equal(request.tools.includes("eval"), false);
  assert.equal(results(model.last).length, 3);
  assertRefused(model.last);
  assert.equal(sprung(), false);
  assert.equal(model.last.text.includes("xd://debug"), false);
  // hub itself is open, so this one only the guard refuses: with its reason, and a note on how it is earned.
  assert.match(results(model.last)[2] ?? "", /held by garnish/);
  assert.ok(session.notices.some(({ text }) => /still held \(Shell\).*Deep Water/s.test(text)), JSON.stringify(session.notices));
});

live("a held device is refused and cannot be read about", "omp", { garnish: {} }, async ({ model, sandbox, provision, rpc }) => {
  sandbox.unlock("feature", "tool:file");
  await provision();
  model.use(
    steps(
      {
        calls: [
          { name: "write", args: { path: "xd://debug", content: '{"action":"launch","program":"/bin/true"}', i: "x" } },
          { name: "read", args: { path: "xd://debug", i: "x" } },
        ],
      },
      say("over"),
    ),
  );
  const session = await rpc();
  await session.prompt("go");
  assertRefused(model.last);
});
