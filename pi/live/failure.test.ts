// Fails closed, and never ends the chat: whatever of garnish is missing or broken, the first request shows nothing that
// is held, a held call is refused, the model's answer arrives, and a warning says what is wrong and what mends it.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assertLocked, assertRefused, LEFT, STOCK, trap } from "./src/gates.ts";
import { call, say, steps, textOf } from "./src/model.ts";
import type { HarnessName, Sandbox } from "./src/sandbox.ts";
import { live } from "./src/scene.ts";

interface Damage {
  name: string;
  harm(sandbox: Sandbox): void;
  /** What the warning is about. */
  told: RegExp;
  /** What the log had unlocked before stays unlocked. */
  keeps?: boolean;
}

const core = (sandbox: Sandbox) => join(sandbox.agentDir, "extensions/garnish/garnish.core.wasm");

const DAMAGES: Damage[] = [
  { name: "garnish.core.wasm is missing", harm: (sandbox) => rmSync(core(sandbox)), told: /garnish/i },
  {
    name: "garnish.core.wasm and held.json are missing, and the project opens what it can",
    harm: (sandbox) => {
      rmSync(core(sandbox));
      rmSync(join(sandbox.agentDir, "garnish/held.json"));
      sandbox.skill(join(sandbox.agentDir, "skills"), "sewing", "SKILL-MARK");
      if (sandbox.harness === "omp") sandbox.inProject(".omp/config.yml", 'bash: {enabled: true}\nskills: {enabled: true, includeSkills: ["*"]}\n');
    },
    told: /garnish/i,
  },
  { name: "garnish.core.wasm is cut in half", harm: (sandbox) => writeFileSync(core(sandbox), readFileSync(core(sandbox)).subarray(0, 50_000)), told: /garnish/i },
  { name: "garnish.core.wasm is another program", harm: (sandbox) => cpSync(join(sandbox.agentDir, "extensions/garnish/garnish.core3.wasm"), core(sandbox)), told: /garnish/i },
  { name: "graph.json is missing", harm: (sandbox) => rmSync(join(sandbox.agentDir, "garnish/graph.json")), told: /graph\.json/, keeps: true },
  {
    name: "the log is a folder",
    harm: (sandbox) => {
      rmSync(join(sandbox.agentDir, "garnish/events.jsonl"), { force: true });
      mkdirSync(join(sandbox.agentDir, "garnish/events.jsonl"));
    },
    told: /events\.jsonl/,
  },
  { name: "setup.json is broken", harm: (sandbox) => sandbox.inAgentDir("garnish/setup.json", '{"catalog": '), told: /setup\.json/ },
  { name: "setup.json names a catalog that is not there", harm: (sandbox) => sandbox.inAgentDir("garnish/setup.json", '{"catalog": "team.yml"}'), told: /team\.yml/ },
  { name: "setup.json is a folder", harm: asFolder("garnish/setup.json"), told: /setup\.json/ },
];

function asFolder(path: string): (sandbox: Sandbox) => void {
  return (sandbox) => {
    rmSync(join(sandbox.agentDir, path), { force: true });
    mkdirSync(join(sandbox.agentDir, path));
  };
}

for (const harness of ["omp", "pi"] as const) {
  for (const { name, harm, told, keeps } of DAMAGES) {
    live(`closed, and the chat goes on, though ${name}`, harness, { garnish: {} }, async ({ model, sandbox, provision, rpc, print }) => {
      await provision();
      harm(sandbox);
      const { command, sprung } = trap(sandbox);
      model.use(steps(call("bash", { command, i: "x" }), say("the answer")));
      const session = await rpc();
      await session.prompt("hello");
      assert.deepEqual(model.main.map((request) => request.tools), [LEFT[harness], LEFT[harness]]);
      for (const request of model.main) assertLocked(request, harness);
      assertRefused(model.last);
      assert.equal(sprung(), false);
      const warnings = session.notices.filter(({ level }) => level !== "info");
      assert.ok(warnings.some(({ text }) => told.test(text)), JSON.stringify(session.notices));
      // Told once, and the session takes more.
      await session.prompt("more");
      assert.match(textOf(model.last.messages.at(-1)), /more/);
      assert.equal(session.notices.filter(({ level }) => level !== "info").length, warnings.length);
      await session.close();
      const printed = await print(["and in print mode"]);
      assert.equal(printed.code, 0, printed.stderr);
      assertLocked(model.last, harness);
    });

    if (keeps) {
      live(`what was unlocked stays so, though ${name}`, harness, { garnish: {} }, async ({ model, sandbox, provision, print }) => {
        sandbox.unlock("feature", "tool:bash");
        await provision();
        harm(sandbox);
        await print(["hello"]);
        assert.ok(model.last.tools.includes("bash"));
      });
    }
  }

  live("a log that breaks in a running session closes nothing that was open", harness, { garnish: {} }, async ({ model, sandbox, rpc }) => {
    sandbox.unlock("feature", "tool:bash");
    const session = await rpc();
    const open = harness === "omp" ? ["bash", ...LEFT.omp] : ["bash"];
    await session.prompt("before");
    assert.deepEqual(model.last.tools, open);
    asFolder("garnish/events.jsonl")(sandbox);
    await session.prompt("after");
    assert.deepEqual(model.last.tools, open);
  });

  live("mended while the session runs, the log counts again", harness, { garnish: {} }, async ({ model, sandbox, rpc }) => {
    asFolder("garnish/events.jsonl")(sandbox);
    const session = await rpc();
    await session.prompt("before");
    assertLocked(model.last, harness);
    rmSync(join(sandbox.agentDir, "garnish/events.jsonl"), { recursive: true });
    sandbox.unlock("feature", "tool:bash");
    await session.prompt("after");
    await session.prompt("and once more");
    assert.ok(model.last.tools.includes("bash"), JSON.stringify(session.notices));
  });
}

/** What the config on disk cannot hold (docs/harnesses.md). */
const OPEN_WITHOUT_EXTENSION: Record<HarnessName, string[]> = { omp: ["read", "edit", "todo", "web_search", "write"], pi: [] };

for (const harness of ["omp", "pi"] as const) {
  live("with the extension deleted the config still holds what a config can hold", harness, { garnish: {} }, async ({ model, sandbox, provision, print }) => {
    sandbox.skill(join(sandbox.agentDir, "skills"), "sewing", "SKILL-MARK");
    await provision();
    sandbox.uninstall();
    await print(["hello"]);
    assert.deepEqual(model.last.tools, STOCK[harness].filter((tool) => OPEN_WITHOUT_EXTENSION[harness].includes(tool)));
    assert.equal(model.last.text.includes("SKILL-MARK"), false);
    assert.equal(model.last.text.includes("xd://lsp"), false);
  });
}
