// The stock harnesses under the tests' own tools: what every other live test relies on.
import assert from "node:assert/strict";
import { STOCK } from "./src/gates.ts";
import { call, result, results, say, steps, textOf } from "./src/model.ts";
import type { Model } from "./src/model.ts";
import type { HarnessName } from "./src/sandbox.ts";
import { live } from "./src/scene.ts";

/** omp asks public model catalogs for their lists at each start, PI_OFFLINE or not, and nothing turns it off: all refused. */
const outbound = (harness: HarnessName, model: Model) => model.outbound.filter((what) => harness === "pi" || !what.startsWith("CONNECT "));

for (const harness of ["omp", "pi"] as const) {
  live("print mode takes its prompts in order and reaches nothing but the model", harness, { garnish: false }, async ({ model, print }) => {
    model.use(steps(say("one"), say("two")));
    const printed = await print(["first prompt", "second prompt"]);
    assert.equal(printed.code, 0, printed.stderr);
    assert.deepEqual(model.main.map((request) => request.tools), [STOCK[harness], STOCK[harness]]);
    assert.match(textOf(model.last.messages.at(-1)), /second prompt/);
    assert.match(printed.stdout, /two/);
    assert.deepEqual(outbound(harness, model), []);
  });

  live("one loop over RPC: two calls at once, one more, then the text", harness, { garnish: false }, async ({ model, sandbox, rpc }) => {
    const file = sandbox.inProject("note.txt", "what the note says\n");
    model.use(
      steps(
        { calls: [{ name: "read", args: { path: file } }, { name: "bash", args: { command: "echo from-$((40+2))" } }] },
        call("bash", { command: "echo again" }),
        say("over"),
      ),
    );
    const session = await rpc();
    await session.prompt("go");
    assert.equal(model.main.length, 3);
    const [read = "", ran = ""] = results(model.main[1] as never);
    assert.match(read, /what the note says/);
    assert.match(ran, /from-42/);
    assert.match(result(model.last), /again/);
    assert.deepEqual(outbound(harness, model), []);
    assert.equal(await session.close(), 0, session.stderr);
  });

  live("a new session forgets, and switching back remembers", harness, { garnish: false }, async ({ model, rpc }) => {
    const session = await rpc();
    await session.prompt("the first word");
    const file = await session.sessionFile();
    await session.newSession();
    await session.prompt("the second word");
    assert.doesNotMatch(model.last.text, /the first word/);
    await session.switchSession(file);
    await session.prompt("the third word");
    assert.match(model.last.text, /the first word/);
    assert.doesNotMatch(model.last.text, /the second word/);
  });

  live("the screen takes a prompt and shows the answer", harness, { garnish: false }, async ({ model, tui }) => {
    model.use(steps(say("the-answer-on-screen")));
    const screen = await tui();
    await screen.enter("hello there");
    await screen.wait("the-answer-on-screen");
    assert.deepEqual(outbound(harness, model), []);
  });
}
