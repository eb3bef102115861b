// Texts that are YAML, nearly YAML or not: what a reader may meet, and what readers disagree on.
import type { Random } from "./random.ts";

const NUMBERS = [
  "0", "-0", "+1", "0123", "08", "0x1F", "0xg", "0o17", "0b11", "1_000", ".5", "1.", "-.5e-2", "1e3", "1E+3", "1e", "1.e3", ".inf",
  "-.INF", "+.inf", ".nan", "-.NaN", "0e6836", "1e400", "-1e400", "9007199254740993", "0xFFFFFFFFFFFFFFFFFF", "12:30", "1:2:3",
  "2026-01-01", "2026-01-01T00:00:00Z", "1.2.3", "-", "+", ".", "-0x0", "+0o7", "0.1e-5", "1e21", "1e-7",
];
const WORDS = [
  "a", "b", "a b", "null", "Null", "~", "true", "TRUE", "False", "yes", "No", "on", "off", "y", "<<", "=", "x:y", "http://x", "a#b",
  "é", "日本", "😀", "\u00a0", "\u0085", "\u2028", "a\u2028b", "__proto__", "constructor", "1a", "${X}", "-a", "?a", ":a", "@a", "`a", "%a", "!",
  "!!", "&", "*", "a,b", "a]b", "a{b", "a'b", 'a"b', "a\\b", ",a", "...", "---", "key", "tools", "x".repeat(300),
];
const QUOTED = [
  '"a"', "'a'", '""', "''", '"a b"', "'it''s'", '"\\n"', '"\\u0041"', '"\\x41"', '"\\U0001F600"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\q"',
  '"\\/\\_\\N\\L\\P\\e\\0\\a"', '"\\u12"', '"a\n  b"', "'a\n\n  b'", '"a\\\n  b"', '"a', "'a", '"a\nb"', '"\t"', '"a: b"', "'# c'", '"<<"',
  '"a\r\n  b"', '"\\\t"', '"\\U00110000"', '"é\u2028"', '"a" "b"', '"a"b', "''''", '"\\  \n  b"',
];
const MARKS = ["&a ", "&b ", "*a", "*b", "!t ", "!!str ", "!!int ", "!!float ", "!!bool ", "!!null ", "! ", "!<tag:x> ", "&a\n", "!!map ", "!!seq ", "&a !t "];
const BLOCKS = ["|", ">", "|-", ">-", "|+", ">+", "|2", ">1-", "|+3", "|-2", "| # c", "|0", "|x", ">2 ", "|\t", "|1", "|9"];
const SPACES = ["", " ", " ", "  ", "  ", "   ", "    ", "\t", " \t"];
const BREAKS = ["\n", "\n", "\n", "\n", "\n", "\n\n", "\r\n", "\r", "\n \n", "\n\t\n"];
const SIGNS = ["- ", "-\n", "-", "? ", "?\n", ": ", ":\n", ":", ", ", ",", "[", "]", "{", "}", "[]", "{}", "# c\n", " # c\n", "#", "<<: ", "<<: *a\n"];
const ODD = ["\ufeff", "\0", "\u0001", "\u007f", "\u000b", "\u000c", "\ufffe", "\u0080", "\u3000", "\u200b"];
const LINES = ["---\n", "--- ", "...\n", "%YAML 1.2\n---\n", "%YAML 1.1\n", "%TAG ! x\n", "--- # c\n", "... # c\n", "---\t", "--- |\n", "--- !t\n"];

const scalar = (random: Random): string =>
  random.pick([() => random.pick(WORDS), () => random.pick(WORDS), () => random.pick(NUMBERS), () => random.pick(QUOTED)])();

const space = (random: Random): string => (random.chance(0.8) ? " " : random.pick(SPACES));

/** Pieces one behind another. */
function soup(random: Random): string {
  const piece = () => {
    const kinds = [
      () => random.pick(["a", "b", "c", "d"]) + random.pick([": ", ":\n", ":", ": "]),
      () => scalar(random),
      () => random.pick(MARKS),
      () => random.pick(BLOCKS) + "\n",
      () => random.pick(SPACES),
      () => random.pick(BREAKS),
      () => random.pick(BREAKS) + random.pick(SPACES),
      () => random.pick(SIGNS),
      () => random.pick(SIGNS),
    ];
    if (random.chance(0.02)) return random.pick(ODD);
    return random.chance(0.03) ? random.pick(LINES) : random.pick(kinds)();
  };
  return random.many(16, piece);
}

function flow(random: Random, depth: number): string {
  const gap = () => (random.chance(0.75) ? "" : random.pick([" ", "  ", "\n  ", "\n", "\n    ", " # c\n   ", "\t", "\n\n  "]));
  const node = (): string => (depth > 0 && random.chance(0.25) ? flow(random, depth - 1) : scalar(random));
  const marked = () => (random.chance(0.08) ? random.pick(MARKS) : "") + node();
  const pair = () => (random.chance(0.05) ? "? " : "") + marked() + random.pick(["", " "]) + random.pick([": ", ": ", ":", ":\n  ", ""]) + (random.chance(0.85) ? marked() : "");
  const isMap = random.chance(0.5);
  const entry = () => gap() + (random.chance(isMap ? 0.85 : 0.15) ? pair() : marked()) + gap();
  const entries = Array.from({ length: random.below(4) }, entry).join(random.chance(0.95) ? "," : ", ,");
  const [open, close] = random.chance(0.97) === isMap ? ["{", "}"] : ["[", "]"];
  return open + entries + random.pick(["", "", "", ","]) + gap() + (random.chance(0.98) ? close : random.pick(["", "]", "}"]));
}

function block(random: Random, column: number): string {
  const header = random.pick(BLOCKS);
  const digit = Number(/[1-9]/.exec(header)?.[0] ?? random.pick([1, 2, 2, 4]));
  const line = () => {
    if (random.chance(0.2)) return random.pick(SPACES) + "\n";
    const off = random.chance(0.85) ? 0 : random.pick([-1, 1, 2]);
    return " ".repeat(Math.max(0, column + digit + off)) + random.pick(["a", "b: c", "# c", "- a", "\tx", "a ", "a\t", "---", "é", "'", "%a"]) + random.pick(BREAKS);
  };
  return header + "\n" + random.many(4, line);
}

/** What stands behind a `:` or `-`, with the break at its end. `column`: that of the key or dash. */
function value(random: Random, column: number, depth: number): string {
  const end = () => (random.chance(0.85) ? "" : random.pick([" # c", "  #c", "#c", " ", "\t", " x"])) + (random.chance(0.9) ? "\n" : random.pick(BREAKS));
  const mark = () => (random.chance(0.1) ? random.pick(MARKS) : "");
  const kinds = [
    () => space(random) + mark() + scalar(random) + end(),
    () => space(random) + mark() + scalar(random) + end(),
    () => space(random) + mark() + flow(random, 2) + end(),
    () => space(random) + mark() + block(random, column),
    () => mark() + end(),
    () => space(random) + mark() + scalar(random) + "\n" + " ".repeat(column + random.below(4)) + scalar(random) + end(),
    () => mark() + end() + " ".repeat(column + random.below(3)) + scalar(random) + end(),
  ];
  if (depth > 0 && random.chance(0.45)) {
    const step = random.pick([2, 2, 2, 1, 4, 0]);
    return space(random).trimStart() + mark() + end() + lines(random, column + step, depth - 1);
  }
  return random.pick(kinds)();
}

/** The lines of a block, most of them in its column. */
function lines(random: Random, column: number, depth: number): string {
  const isList = random.chance(0.3);
  const line = () => {
    if (random.chance(0.08)) return random.pick(SPACES) + random.pick(["# c", "", "#"]) + random.pick(BREAKS);
    const off = random.chance(0.95) ? 0 : random.pick([-1, 1, 2]);
    const start = " ".repeat(Math.max(0, column + off)) + (random.chance(0.01) ? "\t" : "");
    if (random.chance(0.97) === isList) {
      if (depth > 0 && random.chance(0.3)) return start + "- " + lines(random, column + 2, depth - 1).slice(column + 2);
      return start + "-" + value(random, column + random.pick([0, 2]), depth);
    }
    if (random.chance(0.03)) return start + "? " + scalar(random) + "\n" + (random.chance(0.7) ? start + ":" + value(random, column, depth) : "");
    if (random.chance(0.05)) return start + "<<:" + random.pick([" *a\n", " [*a, *b]\n", " {a: 1}\n", "\n" + start + "  a: 1\n"]);
    const key = random.chance(0.7) ? random.pick(["a", "b", "c", "d", "e", "f", "g", "h"]) + random.pick(["", "1", "2", "3"]) : scalar(random);
    const mark = random.chance(0.05) ? random.pick(MARKS) : "";
    return start + mark + key + (random.chance(0.05) ? " " : "") + ":" + value(random, column, depth);
  };
  return Array.from({ length: 1 + random.below(4) }, line).join("");
}

function document(random: Random): string {
  const before = random.chance(0.1) ? random.pick(LINES) : random.chance(0.03) ? "\ufeff" : "";
  const text = before + lines(random, random.chance(0.95) ? 0 : 2, 3) + (random.chance(0.05) ? random.pick(LINES) : "");
  const broken = random.chance(0.08) ? text.replaceAll("\n", random.pick(["\r\n", "\r"])) : text;
  return random.chance(0.1) ? broken.slice(0, -1) : broken;
}

/** A text of `texts` with pieces put in, taken out or said twice. */
function mutation(random: Random, texts: readonly string[]): string {
  const lone = [...ODD, ...SIGNS, ...MARKS, ...BREAKS, ...SPACES, ...LINES, " ", "  ", "\n  ", '"', "'"];
  let text = random.pick(texts);
  // A large file is cut, so that a change meets the pieces that matter.
  if (text.length > 600) {
    const start = text.indexOf("\n", random.below(text.length - 500)) + 1;
    text = text.slice(start, start + 500);
  }
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const at = random.below(text.length + 1);
    const length = random.chance(0.6) ? 0 : random.below(4);
    const piece = random.pick([() => "", () => random.pick(lone), () => random.pick(lone), () => scalar(random), () => text.slice(at, at + random.below(12))])();
    text = text.slice(0, at) + piece + text.slice(at + length);
  }
  return text.toWellFormed();
}

/** `count` texts; `seeds` are texts to start from. */
export function yamlTexts(random: Random, count: number, seeds: readonly string[]): string[] {
  const kinds = [() => soup(random), () => document(random), () => document(random), () => mutation(random, seeds), () => mutation(random, seeds)];
  return Array.from({ length: count }, () => random.pick(kinds)());
}
