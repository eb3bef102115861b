// The ways in: the built folder as a package of the harness, and `garnish init`, with everything that it puts there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { assertLocked } from "./src/gates.ts";
import { commandLine } from "./src/harness.ts";
import { EXTENSION } from "./src/sandbox.ts";
import type { HarnessName, Sandbox } from "./src/sandbox.ts";
import { live } from "./src/scene.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const GARNISH = join(ROOT, "target/release/garnish");

const LINK: Record<HarnessName, string[]> = { omp: ["plugin", "link", EXTENSION], pi: ["install", EXTENSION] };

function garnish(sandbox: Sandbox, ...args: string[]): string {
  return execFileSync(GARNISH, ["--agent-dir", sandbox.agentDir, ...args], { env: sandbox.env(), encoding: "utf8", timeout: 20_000 });
}

for (const harness of ["omp", "pi"] as const) {
  live("linked as a package it holds", harness, { garnish: "later", variable: false }, async ({ model, sandbox, print }) => {
    const [program, args] = commandLine(harness, []);
    const command = args.filter((arg) => !arg.startsWith("--") && arg !== "fake/fake-1");
    execFileSync(program, [...command, ...LINK[harness]], { env: sandbox.env(), cwd: sandbox.cwd, timeout: 60_000, stdio: "pipe" });
    sandbox.install();
    sandbox.uninstall();
    await print(["hello"]);
    assertLocked(model.last, harness);
  });

  live("garnish init sets up what a session needs; eject leaves the stock harness", harness, { garnish: "later" }, async ({ model, sandbox, print, rpc }) => {
    await print(["stock"]);
    const stock = model.last.tools;
    const init = ["init", "--harness", harness, "--extension", EXTENSION, "--demo", join(ROOT, "pi/demo")];
    garnish(sandbox, ...init);
    assert.match(garnish(sandbox, ...init), /nothing was changed/);
    const session = await rpc();
    await session.prompt("hello");
    assertLocked(model.last, harness, ["count_words", "garnish_demo"]);
    assert.deepEqual(session.notices, [], "nothing to be told of a start that init has prepared");
    await session.prompt("/unlock --all");
    await session.wait("the notice that counts", 0, (frame) => frame.method === "notify" && /\d features/.test(String(frame.message)));
    await session.close();
    await print(["demo"]);
    assert.match(model.last.text, /count_words/, "the demo server");
    assert.match(model.last.text, /garnish_demo/, "the demo extension");
    garnish(sandbox, "eject");
    for (const path of ["config.yml", "mcp.json", "extensions/garnish", "extensions/garnish-demo", "garnish/held.json"]) {
      assert.equal(existsSync(join(sandbox.agentDir, path)), false, path);
    }
    assert.ok(existsSync(join(sandbox.agentDir, "garnish/events.jsonl")), "what was earned stays");
    await print(["stock again"]);
    assert.deepEqual(model.last.tools, stock);
  });
}
