// Every folder of fixtures/scenarios through the component as jco has it, on the runtime that runs this file, over the
// effects of this host: what happens is, byte for byte, what the Rust host's snapshot in the folder says. A new scenario is a
// new folder.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run, SCENARIOS } from "./conformance/scenario.ts";

const folders = readdirSync(SCENARIOS).sort();
const same = new Set<string>();

for (const name of folders) {
  test(`scenario: ${name}`, () => {
    const snapshot = readFileSync(join(SCENARIOS, name, "expected.snap"), "utf8");
    // Behind the header of insta, which compares without the white space at the end.
    const expected = snapshot.slice(snapshot.indexOf("\n---\n") + 5).trimEnd();
    const found = run(join(SCENARIOS, name)).trimEnd();
    assert.ok(found === expected, firstDifference(expected, found));
    same.add(name);
  });
}

test("every scenario has run and ended as its snapshot says", () => {
  assert.ok(folders.length > 0);
  assert.deepEqual(folders.filter((name) => !same.has(name)), []);
});

function firstDifference(expected: string, found: string): string {
  const [wanted, got] = [expected.split("\n"), found.split("\n")];
  const at = wanted.findIndex((line, index) => line !== got[index]);
  const line = at < 0 ? wanted.length : at;
  return `line ${line + 1} behind the header of expected.snap:\n- ${wanted[line] ?? "(the end)"}\n+ ${got[line] ?? "(the end)"}`;
}
