// Two starts of the same stock harness make equal requests, once what always varies is normalised. Without this,
// stock parity would assert nothing.
import assert from "node:assert/strict";
import { join } from "node:path";
import { furnish } from "./src/gates.ts";
import { live } from "./src/scene.ts";
import { asked, offer } from "./src/stock.ts";

for (const harness of ["omp", "pi"] as const) {
  live("four stock starts make one request", harness, { garnish: false }, async ({ model, sandbox, print, rpc }) => {
    furnish(sandbox);
    sandbox.mcp(join(sandbox.agentDir, "mcp.json"), { alpha: {}, beta: {}, "garnish-demo": {} });
    const servers = ["alpha", "beta", "garnish-demo"];
    const offers = [];
    for (let run = 0; run < 3; run += 1) offers.push(offer(await asked(model, harness, servers, () => print(["hello"]))));
    const session = await rpc();
    offers.push(offer(await asked(model, harness, servers, () => session.prompt("hello"))));
    const [first, ...more] = offers;
    assert.ok(first && more.length === 3);
    for (const mark of ["CONTEXT-MARK", "SKILL-MARK"]) assert.ok(first.system.includes(mark), mark);
    const text = JSON.stringify(first);
    for (const mark of ["MCP-MARK-alpha", "MCP-MARK-garnish-demo", "EXTENSION-MARK-garnish-demo"]) assert.ok(text.includes(mark), mark);
    for (const other of more) assert.deepEqual(other, first);
  });
}
