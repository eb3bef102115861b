// Garnish reads mcp.json and settings.json as `JSON.parse` does, the reader of both harnesses, or refuses; and what it writes
// there is what `JSON.parse` reads. A byte order mark is the one thing more: omp and Pi take it off before (case B10).
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ask, bytes, mark, type Marked, type Question, read, said, text, unmark } from "./files/garnish.ts";
import { jsonTexts } from "./files/json_texts.ts";
import { LONG, Random } from "./files/random.ts";
import { shrunk } from "./files/shrink.ts";
import { edited, someEdits, someMap, valueAt, withoutEmpty } from "./files/values.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));

/** What a harness reads; undefined where it refuses. */
function harness(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text) };
  } catch {
    return undefined;
  }
}

function differences(texts: string[]): (string | undefined)[] {
  return read("json", texts).map(({ value, refused }, at) => {
    if (refused) return undefined;
    const theirs = harness(texts[at]!);
    const ours = said(unmark(value!));
    if (theirs === undefined) return `JSON.parse refuses, garnish reads ${ours}`;
    return said(theirs.value) === ours ? undefined : `JSON.parse reads ${said(theirs.value)}, garnish ${ours}`;
  });
}

function assertAlike(texts: string[], hint = ""): void {
  const at = differences(texts).findIndex((found) => found !== undefined);
  if (at < 0) return;
  const small = shrunk(texts[at]!, (texts) => differences(texts).map((found) => found !== undefined));
  assert.fail(`${JSON.stringify(small)}: ${differences([small])[0]}${hint}`);
}

/** A file, and the code it is refused with; none: it is read. Line and column where they matter. */
const CASES: [string, string?, number?, number?][] = [
  ['{"a": 1}'],
  ['\ufeff{"a": 1}'],
  ['{"__proto__": {"a": 1}, "constructor": 2}'],
  ['{"a": -0, "b": 1e400, "c": 123456789012345678901234567890, "d": 5e-324, "e": 30.0, "f": 1e3, "g": 9007199254740993}'],
  ['{"<<": {"a": 1}, "b": {"<<": [{"a": 1}]}, "a": 2}'],
  ['{"a": "\\ud83d\\ude00 \\u0000 \u2028 \u007f é"}'],
  [`{"a": ${"[".repeat(127)}${"]".repeat(127)}}`],
  ['{"a": 1, "a": 2}', "duplicate-key", 1, 10],
  ['{"a": 1, "\\u0061": 2}', "duplicate-key"],
  ['{"x": {"__proto__": 1, "__proto__": 2}}', "duplicate-key"],
  ['{"a": "\\ud83d"}', "syntax"],
  ['{"a": "\\ude00\\ud83d"}', "syntax"],
  ['{"\\udc00": 1}', "syntax"],
  [`{"a": ${"[".repeat(128)}${"]".repeat(128)}}`, "too-deep"],
  [`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, "too-deep"],
  ["[]", "not-a-mapping"],
  ['"a"', "not-a-mapping"],
  ["null", "not-a-mapping"],
  ["", "syntax"],
  [" \n", "syntax"],
  ["\ufeff", "syntax"],
  ["\ufeff\ufeff{}", "syntax"],
  ['{"a": 1,}', "syntax"],
  ['{"a": 1} {}', "syntax"],
  ["{'a': 1}", "syntax"],
  ["{a: 1}", "syntax"],
  ['{"a": "\t"}', "syntax"],
  ['{"a": 01}', "syntax"],
  ['{"a": \u00a01}', "syntax"],
  ['{"a": NaN}', "syntax"],
  ['{"a": 1 "b": 2}', "syntax", 1, 9],
  // A harness does not read it either: said aloud, never taken for empty (case A08).
  ['{\n  // "b": {}\n  "a": 1\n}', "comment", 2, 3],
  ['{"a": 1} /* c */', "comment"],
  ['# c\n{"a": 1}', "comment"],
  ['{"a": "// no comment"}'],
];

test("what is at the edge of JSON is read as JSON.parse does, or refused by its name", LONG, () => {
  assertAlike(CASES.map(([text]) => text));
  read("json", CASES.map(([text]) => text)).forEach(({ refused }, at) => {
    const [text, code, line, column] = CASES[at]!;
    const shown = JSON.stringify(text.slice(0, 60));
    assert.equal(refused?.code, code && `garnish::file::${code}`, `${shown}: ${refused?.message}`);
    if (line) assert.deepEqual([refused?.line, refused?.column], [line, column], shown);
  });
});

test("what is not UTF-8 is refused, where a harness would read other letters", LONG, () => {
  const files = ['{"a": "\xff"}', '{"a": "\xc3"}', '{"a": "\xed\xa0\xbd"}', '{"a": "\xc0\x80"}', '\xff\xfe{\0}\0'];
  for (const format of ["json", "yaml"] as const) {
    const answers = ask(files.map((bytes) => ({ format, bytes })));
    assert.deepEqual(answers.map(({ refused }) => refused?.code), files.map(() => "garnish::file::not-utf8"));
  }
});

test("every JSON file of the fixtures is read as JSON.parse does, or refused", LONG, () => {
  const names = (readdirSync(FIXTURES, { recursive: true }) as string[]).filter((name) => name.endsWith(".json"));
  assert.ok(names.length > 20);
  assertAlike(names.map((name) => readFileSync(join(FIXTURES, name), "utf8")));
});

test("generated texts are read as JSON.parse does, or refused", LONG, () => {
  const random = new Random();
  const texts = jsonTexts(random, Number(process.env["GARNISH_TEXTS"] ?? 30_000));
  assertAlike(texts, ` (again: GARNISH_SEED=${random.seed})`);
  const count = read("json", texts).filter(({ refused }) => !refused).length;
  assert.ok(count > texts.length / 10, `${count} of ${texts.length} are read`);
});

test("what JSON.stringify writes is never refused", LONG, () => {
  const random = new Random();
  const hint = ` (again: GARNISH_SEED=${random.seed})`;
  const texts = Array.from({ length: 3_000 }, () => JSON.stringify(someMap(random, 3, true), null, random.pick([0, 2, 4, "\t"])));
  const refused = read("json", texts).findIndex(({ refused }) => refused !== undefined);
  assert.equal(texts[refused], undefined, hint);
  assertAlike(texts, hint);
});

test("what garnish writes is what JSON.parse reads", LONG, () => {
  const random = new Random();
  const values = Array.from({ length: 3_000 }, () => someMap(random, 3, true));
  ask(values.map((value): Question => ({ format: "json", render: mark(value) }))).forEach((answer, at) => {
    const file = text(answer.bytes!);
    assert.equal(said(JSON.parse(file), true), said(values[at], true), `${file} (again: GARNISH_SEED=${random.seed})`);
  });
});

test("an edited file says to JSON.parse what was intended", LONG, () => {
  const random = new Random();
  const files = Array.from({ length: 6_000 }, () => {
    const value = someMap(random, 3, true);
    const file = (random.chance(0.1) ? "\ufeff" : "") + JSON.stringify(value, null, random.pick([0, 2, 4, "\t"]));
    return { value, file: random.chance(0.1) ? file.replaceAll("\n", "\r\n") : file, edits: someEdits(random, value, true) };
  });
  let made = 0;
  ask(files.map(({ file, edits }): Question => ({ format: "json", bytes: bytes(file), edits }))).forEach((answer, at) => {
    if (answer.refused) return;
    made += 1;
    const { file, value, edits } = files[at]!;
    const after = text(answer.bytes!);
    const story = `${JSON.stringify(file)} + ${JSON.stringify(edits)} = ${JSON.stringify(after)} (again: GARNISH_SEED=${random.seed})`;
    assert.equal(after.startsWith("\ufeff"), file.startsWith("\ufeff"), story);
    const found = harness(after);
    assert.ok(found, story);
    let intended: unknown = value;
    for (const { path, set } of edits) intended = edited(intended, path, set === undefined ? undefined : { value: unmark(set as Marked) });
    const same = (value: unknown) => said(withoutEmpty(value), true).replaceAll('"#-0"', "0");
    assert.equal(same(found.value), same(intended), story);
    const last = edits.at(-1)!;
    if (last.set === undefined) assert.equal(valueAt(found.value, last.path), undefined, story);
  });
  assert.ok(made > files.length / 2, `${made} of ${files.length} edits were made`);
});
