// What garnish makes of files, asked of `host-test files` in one batch; and values as both sides write them down. The form of
// a question, an answer and a value is said in host-test/src/files.rs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export type Format = "yaml" | "json";

/** A value as JSON, with a mark for what JSON lacks. */
export type Marked = null | boolean | number | string | Marked[] | { [key: string]: Marked };

/** One edit; without `set` the key goes. */
export interface Change {
  path: string[];
  set?: Marked;
}

export type Question =
  | { format: Format; bytes: string; edits?: Change[] }
  | { format: Format; render: Marked };

/** What a file says, its bytes after edits, or why garnish leaves it alone. */
export interface Answer {
  value?: Marked;
  bytes?: string;
  refused?: { code: string; line: number | null; column: number | null; message: string };
}

const HOST_TEST = fileURLToPath(new URL("../../../target/release/host-test", import.meta.url));

export function ask(questions: Question[]): Answer[] {
  const input = questions.map((question) => JSON.stringify(question)).join("\n");
  const { status, stdout, stderr, error } = spawnSync(HOST_TEST, ["files"], { input, encoding: "utf8", maxBuffer: 1 << 30 });
  assert.ok(error === undefined && status === 0, `host-test files (\`make build\` makes it): ${error ?? stderr}`);
  const answers = stdout.trimEnd().split("\n").map((line) => JSON.parse(line) as Answer);
  assert.equal(answers.length, questions.length);
  return answers;
}

/** A text as bytes, in the form of a question. */
export function bytes(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** The text of bytes in that form. */
export function text(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** What a text says to garnish; undefined where it refuses. */
export function read(format: Format, texts: string[]): Answer[] {
  return ask(texts.map((text) => ({ format, bytes: bytes(text) })));
}

/** A list or mapping inside itself, which only an alias can make, ends as `#itself`: JSON has no word for it either. */
export function mark(value: unknown, around: readonly unknown[] = []): Marked {
  if (around.includes(value)) return "#itself";
  switch (typeof value) {
    case "number":
      // Any other reader of JSON reads whole numbers alike; fractions are for whoever reads the mark.
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : `#${Object.is(value, -0) ? "-0" : value}`;
    case "string":
      return value.startsWith("#") ? `#${value}` : value;
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      around = [...around, value];
      if (Array.isArray(value)) return value.map((item) => mark(item, around));
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mark(item, around)]));
    default:
      return assert.fail(`no reader of YAML or JSON answers ${typeof value}`);
  }
}

export function unmark(marked: Marked): unknown {
  if (typeof marked === "string") {
    if (marked.startsWith("##")) return marked.slice(1);
    return marked.startsWith("#") ? Number(marked.slice(1)) : marked;
  }
  if (Array.isArray(marked)) return marked.map(unmark);
  if (typeof marked === "object" && marked !== null) {
    return Object.fromEntries(Object.entries(marked).map(([key, value]) => [key, unmark(value)]));
  }
  return marked;
}

/**
 * A value as one text: equal texts, equal values, types and the order of keys included, unless `unordered`. (JavaScript
 * itself moves keys that are whole numbers to the front.)
 */
export function said(value: unknown, unordered = false): string {
  const sort = (_: string, value: unknown) => {
    const isMap = unordered && typeof value === "object" && value !== null && !Array.isArray(value);
    return isMap ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  };
  return JSON.stringify(mark(value), sort);
}
