// Every folder of fixtures/scenarios and fixtures/cases through the component as jco has it, on the runtime that runs this
// file, over the effects of this host: what happens is, byte for byte, what the Rust host's snapshot in the folder says, and
// of a case the files end as the folder says, too. A new one is a new folder.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { CASES, run, SCENARIOS } from "./conformance/scenario.ts";

const folders = [SCENARIOS, CASES].flatMap((parent) => {
  const found = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return found.map((entry) => join(parent, entry.name)).sort();
});
const same = new Set<string>();

for (const folder of folders) {
  test(`${basename(dirname(folder))}: ${basename(folder)}`, () => {
    const snapshot = readFileSync(join(folder, "expected.snap"), "utf8");
    // Behind the header of insta, which compares without the white space at the end.
    const expected = snapshot.slice(snapshot.indexOf("\n---\n") + 5).trimEnd();
    const { text, differences } = run(folder);
    const found = text.trimEnd();
    assert.ok(found === expected, firstDifference(expected, found));
    if (dirname(folder) === CASES) assert.deepEqual(differences, []);
    same.add(folder);
  });
}

test("every scenario has run and ended as its snapshot says", () => {
  assert.ok(folders.length > 0);
  assert.deepEqual(folders.filter((folder) => !same.has(folder)), []);
});

function firstDifference(expected: string, found: string): string {
  const [wanted, got] = [expected.split("\n"), found.split("\n")];
  const at = wanted.findIndex((line, index) => line !== got[index]);
  const line = at < 0 ? wanted.length : at;
  return `line ${line + 1} behind the header of expected.snap:\n- ${wanted[line] ?? "(the end)"}\n+ ${got[line] ?? "(the end)"}`;
}
