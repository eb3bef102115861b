// Garnish reads YAML as `Bun.YAML` does, the reader of the harness, or refuses (case B03): every file of fixtures/, every text
// that was ever found to be read in two ways, and generated ones. A file that garnish read as something else than the harness
// would be edited into something else, so a difference is the worst that can be wrong here.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { bun, withoutBun } from "./files/bun.ts";
import { type Answer, ask, mark, read, said, unmark } from "./files/garnish.ts";
import { plainText } from "./files/plain_texts.ts";
import { LONG, Random } from "./files/random.ts";
import { shrunk } from "./files/shrink.ts";
import { yamlTexts } from "./files/yaml_texts.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));
const RECORD = join(FIXTURES, "yaml/bun.jsonl");

/** One line of the record; see fixtures/yaml/README.md. */
interface Row {
  text: string;
  bun?: ReturnType<typeof mark>;
  garnish?: "refuses";
}

const rows = readFileSync(RECORD, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Row);
const texts = rows.map(({ text }) => text);

/** How garnish and Bun read a text differently, if they do. */
function difference(text: string, { value, refused }: Answer): string | undefined {
  if (refused) return undefined;
  const theirs = bun(text);
  // Which keys `<<` adds is compared, not where: nobody can tell.
  const merges = text.includes("<<");
  const ours = said(unmark(value!), merges);
  if (theirs === undefined) return `Bun refuses, garnish reads ${ours}`;
  // The harness starts from nothing where garnish starts from an empty mapping.
  const bunReads = said(theirs.value ?? {}, merges);
  return ours === bunReads ? undefined : `Bun reads ${bunReads}, garnish ${ours}`;
}

function assertAlike(texts: string[], hint = ""): void {
  const answers = read("yaml", texts);
  const at = answers.findIndex((answer, at) => difference(texts[at]!, answer) !== undefined);
  if (at < 0) return;
  const small = shrunk(texts[at]!, (texts) => read("yaml", texts).map((answer, at) => difference(texts[at]!, answer) !== undefined));
  assert.fail(`${JSON.stringify(small)}: ${difference(small, read("yaml", [small])[0]!)}${hint}`);
}

/** A line of JSON in which every character can be seen. */
const line = (row: Row): string =>
  JSON.stringify(row).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

test("what is recorded of Bun is what this Bun says", { ...LONG, skip: withoutBun }, () => {
  if (process.env["GARNISH_BLESS"]) {
    const answers = read("yaml", texts);
    const blessed = texts.map((text, at): Row => {
      const theirs = bun(text);
      if (theirs === undefined) return { text };
      return { text, bun: mark(theirs.value), ...(answers[at]!.refused && { garnish: "refuses" as const }) };
    });
    writeFileSync(RECORD, blessed.map((row) => `${line(row)}\n`).join(""));
    return;
  }
  for (const row of rows) {
    const theirs = bun(row.text);
    assert.deepEqual(theirs && said(theirs.value), row.bun === undefined ? undefined : JSON.stringify(row.bun), JSON.stringify(row.text));
  }
});

test("garnish reads what is recorded as Bun does, or refuses where that is recorded", LONG, () => {
  assert.equal(new Set(texts).size, texts.length, "each text once");
  read("yaml", texts).forEach(({ value, refused }, at) => {
    const { text, bun, garnish } = rows[at]!;
    const expected = garnish || bun === undefined ? undefined : said(unmark(bun ?? {}), true);
    assert.equal(refused ? undefined : said(unmark(value!), true), expected, JSON.stringify(text));
  });
});

test("every YAML file of the fixtures is read as Bun does, or refused", { ...LONG, skip: withoutBun }, () => {
  const names = (readdirSync(FIXTURES, { recursive: true }) as string[]).filter((name) => /\.ya?ml$/.test(name));
  assert.ok(names.length > 50);
  const files = names.map((name) => readFileSync(join(FIXTURES, name)));
  const answers = ask(files.map((file) => ({ format: "yaml", bytes: file.toString("latin1") })));
  answers.forEach((answer, at) => {
    const found = difference(files[at]!.toString("utf8"), answer);
    assert.ok(found === undefined, `${names[at]}: ${found}`);
  });
});

test("generated texts are read as Bun does, or refused", { ...LONG, skip: withoutBun }, () => {
  const random = new Random();
  const count = Number(process.env["GARNISH_TEXTS"] ?? 30_000);
  assertAlike(yamlTexts(random, count, texts), ` (again: GARNISH_SEED=${random.seed})`);
});

test("of the generated texts many are read, so that there is something to compare", LONG, () => {
  const answers = read("yaml", yamlTexts(new Random(1), 5_000, texts));
  const share = answers.filter(({ refused }) => !refused).length / answers.length;
  assert.ok(share > 0.15, `${share} of the generated texts are read`);
});

test("a config as people write them is never refused", LONG, () => {
  const random = new Random();
  const plain = Array.from({ length: 5_000 }, () => plainText(random));
  const hint = ` (again: GARNISH_SEED=${random.seed})`;
  read("yaml", plain).forEach(({ refused }, at) => {
    assert.ok(!refused, `${refused?.message} ${refused?.line}:${refused?.column}${hint}\n${plain[at]}`);
  });
  if (!withoutBun) assertAlike(plain, hint);
});
