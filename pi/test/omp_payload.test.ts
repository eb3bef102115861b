// What omp sends to a provider, in each provider's form, without held tools.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutHeld } from "../src/omp/payload.ts";

const shown = (names: string[]) => names.filter((name) => name !== "bash");

for (const [form, tools, left] of [
  ["chat completions", [{ type: "function", function: { name: "bash" } }, { type: "function", function: { name: "todo" } }], [{ type: "function", function: { name: "todo" } }]],
  ["responses and messages", [{ name: "todo" }, { name: "bash" }], [{ name: "todo" }]],
  ["generateContent", [{ functionDeclarations: [{ name: "bash" }, { name: "todo" }] }], [{ functionDeclarations: [{ name: "todo" }] }]],
  ["a provider's own tools beside ours", [{ type: "web_search_20250305" }, { name: "bash" }], [{ type: "web_search_20250305" }]],
] as const) {
  test(`held tools are taken out of ${form}`, () => {
    assert.deepEqual(withoutHeld({ model: "m", tools, tool_choice: "auto" }, shown), { model: "m", tools: left, tool_choice: "auto" });
  });
}

test("with nothing left there is neither list nor choice", () => {
  assert.deepEqual(withoutHeld({ model: "m", tools: [{ name: "bash" }], tool_choice: "auto" }, shown), { model: "m" });
});

test("what holds nothing, or is not understood, is left alone", () => {
  for (const payload of [{ tools: [{ name: "todo" }] }, { tools: [] }, { tools: "bash" }, { model: "m" }, null, "text", undefined, { tools: [null, 3] }]) {
    assert.equal(withoutHeld(payload, shown), undefined, JSON.stringify(payload));
  }
});
