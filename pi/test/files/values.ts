// Values that a writer may have to spell, and what edits make of a value.
import type { Change, Marked } from "./garnish.ts";
import { mark } from "./garnish.ts";
import type { Random } from "./random.ts";

/** Texts that some reader of YAML 1.1, YAML 1.2 or JSON takes for something else when they are not quoted (cases B01, B02). */
export const TEXTS = [
  "no", "No", "NO", "on", "off", "yes", "y", "n", "Y", "true", "True", "FALSE", "null", "Null", "~", "", " ", "  ", " a", "a ", "a  b", "\t", "a\tb",
  "0e6836", "+1", "-1", "011", "0123", "08", "0o17", "0x1F", "0b11", "1_000", "1e3", "1E3", ".5", "5.", "1.", ".", "-", "+", "--", "- x", "-x", "?", "? x", "?x", ":", ": ",
  ": x", ":x", "foo:", "foo: ", "foo: bar", "foo:bar", "foo :bar", "12:30", "12:30:45", "1:2", "190:20:30.15", "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01 00:00:00",
  "<<", "=", ".inf", "-.inf", "+.INF", ".nan", "inf", "NaN", "Infinity", "#", "# c", "a #b", "a#b", "&a", "*a", "!a", "!!str a", "|", ">", "|-", "%a", "@a", "`a", "'", '"',
  "it's", 'say "hi"', "\\", "a\\b", "\\n", "[", "]", "[]", "{", "}", "{}", "[a]", "{a: 1}", ",", "a,b", "a, b", "---", "...", "--- a", "%YAML 1.2", "\n", "a\n", "\na", "a\nb",
  "a\n\nb", "a\r\nb", "\r", "\u0085", "a\u0085b", "\u2028", "a\u2029b", "\ufeff", "a\ufeffb", "\ufeffa", "\0", "a\0b", "\u0001", "\u001b[0m", "\u007f", "\u0080", "\u009f", "\u00a0", "a\u00a0",
  "\ufffe", "\uffff", "\ufffd", "é", "日本語", "😀", "\u{10ffff}", "a\u0301", "\u200b", "\u200e", "\u3000", "${X}", "{env:X}", "*", "* *", "git push --force*", "https://x.y/z?a=b#c", "user@host",
  "~/x", "/x/y", "./x", "../x", "C:\\x", "__proto__", "constructor", "toString", "hasOwnProperty", "0", "-0", "0.1", "9007199254740993", "null:", "a:", "::", "a::",
  "1,000", "1 000", "+12e03", "-2E+05", "0.", "1e", "0x", "0o8", "! a", "- - a", "a: - b", "key: |", "<<: *a", "#Infinity", "e5", "E+3", "e",
];

/** Texts that YAML has no key for: one that stands on a line ends before its 1,024th character. */
export const LONG_TEXTS = ["x".repeat(5000), "a ".repeat(600), "# ".repeat(3000), `${"é".repeat(2000)}: x`];

const PIECES = [..."abzAZ019_-./@*+()#:,[]{}&!|>'\"%`?=<~^$; \t\n\r\\", ": ", " #", "- ", "é", "😀", "\u0085", "\u00a0", "\u2028", "\ufeff", "\0", "\u0007", "no", "1", "e5", "0x", "\u2029"];

export function someText(random: Random): string {
  if (random.chance(0.5)) return random.pick(TEXTS);
  return random.many(8, () => (random.chance(0.05) ? String.fromCodePoint(random.below(0xd800)) : random.pick(PIECES)));
}

/**
 * A key. None that ends with a backslash: `JSON.parse` of Node 24 that has read `{"k": 1, "\\": 2}` reads
 * `{"k": 1, "\n": 2}` as the same, in the answers of garnish too.
 */
function someKey(random: Random): string {
  return someText(random).replace(/\\+$/, "");
}

const NUMBERS = [0, -0, 1, -1, 30, 0.1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 123456789012345680000, 9007199254740992, -2.5, 1e100, 0.000001];

/** A value; `finite`: one that JSON can spell. */
export function someValue(random: Random, depth: number, finite: boolean): unknown {
  const kind = random.next();
  if (depth > 0 && kind < 0.2) return Array.from({ length: random.below(4) }, () => someValue(random, depth - 1, finite));
  if (depth > 0 && kind < 0.4) return someMap(random, depth - 1, finite);
  if (kind < 0.5) return random.pick([null, true, false]);
  if (kind < 0.6) return finite || random.chance(0.8) ? random.pick(NUMBERS) : random.pick([Infinity, -Infinity, NaN]);
  return someText(random);
}

export function someMap(random: Random, depth: number, finite: boolean): Record<string, unknown> {
  const entry = (): [string, unknown] => [random.chance(0.5) ? random.pick(["a", "b", "c", "d"]) : someKey(random), someValue(random, depth, finite)];
  return Object.fromEntries(Array.from({ length: random.below(4) }, entry));
}

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** A few edits, of keys that a value has and of others. */
export function someEdits(random: Random, value: unknown, finite: boolean): Change[] {
  return Array.from({ length: 1 + random.below(3) }, () => {
    const path: string[] = [];
    let at = value;
    do {
      const keys = isMap(at) ? Object.keys(at) : [];
      const key = keys.length > 0 && random.chance(0.75) ? random.pick(keys) : random.chance(0.6) ? random.pick(["a", "b", "new"]) : someKey(random);
      path.push(key);
      at = isMap(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    } while (path.length < 4 && random.chance(at === undefined ? 0.2 : 0.5));
    if (random.chance(0.25)) return { path };
    // A list that is there is edited item by item.
    if (Array.isArray(at) && random.chance(0.7)) {
      const items = at.filter(() => random.chance(0.8));
      items.splice(random.below(items.length + 1), 0, ...(random.chance(0.6) ? [someValue(random, 1, finite)] : []));
      return { path, set: mark(items) };
    }
    return { path, set: mark(someValue(random, 2, finite)) };
  });
}

/** What a value is after an edit; what is no mapping on the way becomes one. */
export function edited(value: unknown, [key, ...rest]: string[], set: { value: unknown } | undefined): Record<string, unknown> {
  const map = isMap(value) ? value : {};
  const others = Object.entries(map).filter(([other]) => other !== key);
  const old = Object.hasOwn(map, key!) ? map[key!] : undefined;
  if (set === undefined && (old === undefined || (rest.length > 0 && !isMap(old)))) return map;
  if (rest.length === 0) return Object.fromEntries(set ? [...others, [key!, set.value]] : others);
  return Object.fromEntries([...others, [key!, edited(old, rest, set)]]);
}

/** Without keys that hold nothing: a mapping that loses its last key goes too, unless a comment of the learner's stands in it. */
export function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, value]): [string, unknown] => [key, withoutEmpty(value)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== null && !(isMap(value) && Object.keys(value).length === 0)));
}

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined), value);
}

export type { Marked };
