// Stock parity: after `/unlock --all` the tools with their schemas and the system prompt are those of the same harness
// in the same sandbox without garnish; in the same session, and from the start of the next.
import assert from "node:assert/strict";
import { join } from "node:path";
import { furnish } from "./src/gates.ts";
import type { Tui } from "./src/harness.ts";
import { say } from "./src/model.ts";
import type { HarnessName } from "./src/sandbox.ts";
import { live } from "./src/scene.ts";
import { asked, connected, offer, unordered } from "./src/stock.ts";

/** An extension is unlocked by a restart on omp, so in its session there is none to miss. */
const EXTENSION: Record<HarnessName, boolean> = { omp: false, pi: true };

for (const harness of ["omp", "pi"] as const) {
  live("over RPC after /unlock --all, and after a restart", harness, { garnish: "later" }, async ({ model, sandbox, print, provision, rpc }) => {
    furnish(sandbox, { extension: EXTENSION[harness] });
    const servers = ["garnish-demo", "other"];
    sandbox.addServers(Object.fromEntries(servers.map((name) => [name, {}])));
    const stock = offer(await asked(model, harness, servers, () => print(["stock"])));
    sandbox.install();
    await provision();
    const session = await rpc();
    await session.prompt("locked");
    assert.notDeepEqual(offer(model.last), stock);
    await session.prompt("/unlock --all");
    // On Pi the reload that follows shows the status once more.
    const counted = await session.wait("the notice that counts", 0, (frame) => frame.method === "notify" && /8 features/.test(String(frame.message)));
    if (harness === "pi") await session.wait("the reload", session.frames.indexOf(counted), (frame) => frame.method === "setStatus" && frame.statusKey === "garnish");
    const unlocked = offer(await asked(model, harness, servers, () => session.prompt("unlocked")));
    // Pi keeps the order in which a conversation came by the parts of its prompt and its tools, as after any reload.
    if (harness === "pi") assert.deepEqual(unordered(unlocked), unordered(stock));
    else assert.deepEqual(unlocked, stock);
    await session.newSession();
    await session.prompt("in a new session");
    assert.deepEqual(offer(model.last), stock);
    await session.close();
    assert.deepEqual(offer(await asked(model, harness, servers, () => print(["in another process"]))), stock);
  });

  live("in one run of print mode", harness, { garnish: "later" }, async ({ model, sandbox, print, provision }) => {
    // On Pi what is loaded at the start comes back by a reload, which print mode has no place for.
    if (harness === "omp") furnish(sandbox, { extension: false });
    const servers = harness === "omp" ? ["garnish-demo"] : [];
    const stock = offer(await asked(model, harness, servers, () => print(["stock"])));
    sandbox.install();
    await provision();
    const printed = await print(["/unlock --all", "hello"]);
    assert.equal(printed.code, 0, printed.stderr);
    assert.deepEqual(offer(connected(model.last, harness, servers)), stock);
  });

  live("on the screen", harness, { garnish: "later" }, async ({ model, sandbox, provision, tui }) => {
    furnish(sandbox, { extension: false });
    model.use((request) => say(`answer-${request.n}-ends`));
    const ask = (screen: Tui) => async () => {
      const n = model.requests.length + 1;
      await screen.enter(`words-${n}-come`);
      await screen.wait(`answer-${n}-ends`);
    };
    const bare = await tui();
    const stock = offer(await asked(model, harness, ["garnish-demo"], ask(bare)));
    await bare.close();
    sandbox.install();
    await provision();
    const screen = await tui();
    await screen.enter("/unlock --all");
    // What is typed while Pi reloads is lost.
    await screen.wait(harness === "pi" ? "Reloaded" : "8 features");
    assert.deepEqual(offer(await asked(model, harness, ["garnish-demo"], ask(screen))), stock);
  });

  live("a learner's own settings are in force again, and their file has them", harness, { garnish: "later" }, async ({ model, sandbox, print, provision }) => {
    const file = harness === "omp" ? "config.yml" : "settings.json";
    const own = harness === "omp" ? "# mine\nbash: {enabled: false} # not for me\ngrep:\n  enabled: true\ntask:\n  maxRecursionDepth: 1\n" : '{\n  "defaultTools": ["read", "grep", "bash"],\n  "quietStartup": true\n}\n';
    sandbox.inAgentDir(file, own);
    await print(["stock"]);
    const stock = offer(model.last);
    sandbox.install();
    await provision();
    await print(["/unlock --all"]);
    await print(["the next start"]);
    assert.deepEqual(offer(model.last), stock);
    for (const line of own.split("\n").filter((one) => /mine|not for me|quietStartup|maxRecursionDepth/.test(one))) assert.ok(sandbox.read(file)?.includes(line), sandbox.read(file));
  });

  live("with the demo extension from the next start on", harness, { garnish: "later" }, async ({ model, sandbox, print, provision }) => {
    furnish(sandbox);
    sandbox.skill(join(sandbox.agentDir, "skills"), "knitting", "ANOTHER-MARK");
    const stock = offer(await asked(model, harness, ["garnish-demo"], () => print(["stock"])));
    assert.ok(JSON.stringify(stock).includes("EXTENSION-MARK-garnish-demo"));
    sandbox.install();
    await provision();
    await print(["/unlock --all"]);
    assert.deepEqual(offer(await asked(model, harness, ["garnish-demo"], () => print(["the next start"]))), stock);
  });
}
