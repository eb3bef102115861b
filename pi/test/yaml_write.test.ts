// What garnish writes as YAML says the same to every reader: to `Bun.YAML`, and to the `yaml` package by the rules of YAML 1.1
// and of 1.2 (cases B01, B02, B13). `guest/tests/edit_write.rs` has another reader of 1.2.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { bun, withoutBun } from "./files/bun.ts";
import { type Answer, ask, bytes, mark, type Marked, type Question, read, said, text, unmark } from "./files/garnish.ts";
import { plainText } from "./files/plain_texts.ts";
import { LONG, Random } from "./files/random.ts";
import { edited, LONG_TEXTS, someEdits, someText, someValue, TEXTS, valueAt, withoutEmpty } from "./files/values.ts";
import { yamlTexts } from "./files/yaml_texts.ts";

/** Behind this key a mapping or list is taken in by the harness, however the key is spelled. */
const MERGE = "<<";

/** Every reader there is here, by name. */
const READERS: [string, (file: string) => unknown][] = [
  ["YAML 1.1", (file) => parse(file, { version: "1.1", uniqueKeys: true })],
  ["YAML 1.2", (file) => parse(file, { version: "1.2", uniqueKeys: true })],
  ...(withoutBun ? [] : [["Bun", (file: string) => bun(file)?.value] as [string, (file: string) => unknown]]),
];

function assertSays(file: string, value: unknown, hint: string): void {
  for (const [name, reader] of READERS) {
    let found: string;
    try {
      found = said(reader(file), true);
    } catch (error) {
      assert.fail(`${name} does not read ${JSON.stringify(file)}: ${error}${hint}`);
    }
    assert.equal(found, said(value, true), `${name} on ${JSON.stringify(file)}${hint}`);
  }
}

interface Place {
  question: Question;
  value: unknown;
}

const edit = (file: string, path: string[], set: unknown, value: unknown): Place => ({
  question: { format: "yaml", bytes: bytes(file), edits: [{ path, set: mark(set) }] },
  value,
});

/** A text at each place where a value may stand: in a file that garnish makes, in blocks and between brackets. */
function asValue(text: string): Place[] {
  const deep = { k: text, l: [text, [text, [text]], { k: text, l: [text] }], m: { n: text } };
  const items = [1, text, { z: 2 }, { k: text }, text];
  return [
    { question: { format: "yaml", render: mark(deep) }, value: deep },
    edit("", ["k"], deep, { k: deep }),
    edit("x: [1, {z: 2}]\n", ["x"], items, { x: items }),
    edit("x: {z: 'it''s'} # c\n", ["x", "z"], text, { x: { z: text } }),
    edit("x:\n- 1 # c\n- 2\n", ["x"], [1, text, 2, text], { x: [1, text, 2, text] }),
    edit("x: |\n  lines\r\n\n", ["x"], text, { x: text }),
  ];
}

/** The same for a key. */
function asKey(text: string): Place[] {
  const deep = { [text]: { [text]: 1, l: [{ [text]: [1], l: 2 }] } };
  return [
    { question: { format: "yaml", render: mark(deep) }, value: deep },
    edit("", ["k"], deep, { k: deep }),
    edit("", ["k", text], 1, { k: { [text]: 1 } }),
    edit("q: 1\n", [text], text, { q: 1, [text]: text }),
    edit("q: {z: 1}\n", ["q", text], [1], { q: { z: 1, [text]: [1] } }),
  ];
}

function assertWritten(places: Place[], hint = ""): void {
  ask(places.map(({ question }) => question)).forEach((answer, at) => {
    const { question, value } = places[at]!;
    assert.ok(answer.bytes !== undefined, `${JSON.stringify(question)}: ${answer.refused?.message}${hint}`);
    assertSays(text(answer.bytes), value, hint);
  });
}

test("a text that could be taken for something else is read back as that text, wherever it stands", LONG, () => {
  assertWritten([...TEXTS, ...LONG_TEXTS].flatMap(asValue));
  assertWritten(TEXTS.filter((text) => text !== MERGE).flatMap(asKey));
});

test("any text is read back as that text, wherever it stands", LONG, () => {
  const random = new Random();
  const texts = Array.from({ length: 1_500 }, () => someText(random));
  assertWritten([...texts.flatMap(asValue), ...texts.filter((text) => text !== MERGE).flatMap(asKey)], ` (again: GARNISH_SEED=${random.seed})`);
});

test("a mapping or list under a key that the harness takes for a merge is refused", LONG, () => {
  const written = ask([asKey(MERGE)[1]!.question, edit("", [MERGE], [], null).question, edit("", ["k", MERGE], 1, null).question]);
  assert.deepEqual(written.map(({ refused }) => refused?.code), ["garnish::file::verify", "garnish::file::verify", undefined]);
  assertSays(text(written[2]!.bytes!), { k: { [MERGE]: 1 } }, "");
});

test("numbers and nested values are read back as they are", LONG, () => {
  const random = new Random();
  const values = Array.from({ length: 2_000 }, () => ({ k: someValue(random, 3, false) }));
  const questions: Question[] = values.map((value) => ({ format: "yaml", render: mark(value) }));
  ask(questions).forEach(({ bytes }, at) => {
    if (JSON.stringify(values[at]).includes(`"${MERGE}":`)) return;
    assertSays(text(bytes!), values[at], ` (again: GARNISH_SEED=${random.seed})`);
  });
});

const record = readFileSync(new URL("../../fixtures/yaml/bun.jsonl", import.meta.url), "utf8").trimEnd().split("\n");
const recorded = record.map((line) => (JSON.parse(line) as { text: string }).text);

/** Garnish, like a harness, does not tell 0 from -0: where one stands, the other is not put. */
const saidInFile = (value: unknown): string => said(value, true).replaceAll('"#-0"', "0");

test("an edited file says to Bun what was intended", { ...LONG, skip: withoutBun }, () => {
  const random = new Random();
  const hint = ` (again: GARNISH_SEED=${random.seed})`;
  const generated = [...yamlTexts(random, 12_000, recorded), ...Array.from({ length: 3_000 }, () => plainText(random)), ...recorded];
  const files = read("yaml", generated).flatMap(({ value }, at) => (value === undefined ? [] : [{ file: generated[at]!, value: unmark(value) }]));
  const all = files.map(({ file, value }) => ({ file, value, edits: someEdits(random, value, false) }));
  let made = 0;
  ask(all.map(({ file, edits }): Question => ({ format: "yaml", bytes: bytes(file), edits }))).forEach((answer: Answer, at) => {
    if (answer.refused) return;
    made += 1;
    const { file, value, edits } = all[at]!;
    const after = text(answer.bytes!);
    const story = `${JSON.stringify(file)} + ${JSON.stringify(edits)} = ${JSON.stringify(after)}${hint}`;
    const found = bun(after);
    assert.ok(found, `Bun does not read ${story}`);
    let intended = value;
    for (const { path, set } of edits) intended = edited(intended, path, set === undefined ? undefined : { value: unmark(set as Marked) });
    assert.equal(saidInFile(withoutEmpty(found.value ?? {})), saidInFile(withoutEmpty(intended)), story);
    const last = edits.at(-1)!;
    const there = valueAt(found.value, last.path);
    if (last.set === undefined) assert.equal(there, undefined, story);
    else assert.equal(saidInFile(there), saidInFile(unmark(last.set)), story);
  });
  assert.ok(made > all.length / 2, `${made} of ${all.length} edits were made`);
});
