// Every context source of context-sources.ts reaches a request of stock omp; held by garnish it does not, and is back
// in the running session once its feature is unlocked.
import assert from "node:assert/strict";
import { create, ids, rounds, seen } from "./src/context-sources.ts";
import { live } from "./src/scene.ts";

for (const [at, sources] of rounds().entries()) {
  live(`stock shows each context source, round ${at + 1}: ${sources.length} sources`, "omp", { garnish: false }, async ({ model, sandbox, print }) => {
    create(sandbox, sources);
    await print(["hello"]);
    assert.deepEqual(seen(sources, model.last.text), ids(sources));
  });

  live(`no context source while held, each back in the next request after its unlock, round ${at + 1}`, "omp", { garnish: {} }, async ({ model, sandbox, rpc }) => {
    create(sandbox, sources);
    // Skills are listed only while there is a tool to read them with.
    sandbox.unlock("feature", "tool:file");
    const session = await rpc();
    await session.prompt("hello");
    assert.deepEqual(seen(sources, model.last.text), []);
    sandbox.unlock("feature", "context");
    await session.prompt("hello again");
    assert.deepEqual(seen(sources, model.last.text), ids(sources.filter(({ feature }) => feature === "context")));
    sandbox.unlock("feature", "skills");
    await session.prompt("and again");
    assert.deepEqual(seen(sources, model.last.text), ids(sources));
    assert.equal(session.stderr, "");
  });
}
