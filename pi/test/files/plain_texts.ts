// Configuration files as people write them: nothing in them that any reader could take amiss. Garnish refuses none of them.
import type { Random } from "./random.ts";

const KEYS = ["tools", "enabled", "approvalMode", "mcp", "skills", "include-skills", "max_depth", "timeout", "model", "provider", "theme", "bash", "env", "2fa", "scope/pkg", "a.b", "gpt-5", "naïve", "日本"];
const QUOTED_KEYS = ['"@scope/pkg"', '"quoted key"', "'single'", '"with: colon"', '"#hash"', "'it''s'", '"yes"', '"1"'];
const VALUES = [
  "true", "false", "null", "~", "0", "1", "-3", "30", "30.0", "0.5", "1e3", "0123", "0x1F", "yes", "no", "on", "off", "write", "always ask", "gpt-5.2-codex",
  "claude-sonnet-4:high", "http://localhost:8080/v1", "~/.omp/agent", "/usr/bin/env", "./run.sh --flag=1", "${GITHUB_TOKEN}", "$HOME/x", "12:30", "2026-01-01",
  "1.2.3", "a, b and c", "it's", 'say "hi"', "50%", "x=y", "a#b", "C:\\temp", "naïve café", "日本語", "🎉 done", "user@example.com", "-v", "(x)", "^1.2",
  "a - b", "key=value; other", "x?", "50 % of it",
  '""', "''", '"text"', "'text'", '"a: b"', "'# no comment'", '"line\\nbreak"', '"tab\\t"', '"\\u00e9"', "'it''s'", '"say \\"hi\\""', '"no"', "'0123'", '"git push --force*"', '"C:\\\\temp"',
  "[]", "{}", "[a, b]", '["a", "b"]', "[1, 2, 3]", "[a, [b, c], {d: 1}]", "{a: 1, b: two}", '{"a": 1, "b": [true, null]}', "[ a, b ]", "{ a: 1 }", '["*"]',
];
const COMMENTS = ["# mine", "# a: 1", "#", "# - x", "#no space", "# [x", '# "', "# ünï", "# don't touch: see https://x.y/#z"];
const TEXTS = ["Be brief.", "- not a list", "# not a comment", "key: no key", "    deeper", "", "She said \"hi\".", "日本", "a\tb", "x".repeat(200)];

const pad = (column: number): string => " ".repeat(column);

function line(random: Random): string {
  return random.chance(0.12) ? ` ${random.pick(COMMENTS)}` : random.chance(0.03) ? random.pick([" ", "   "]) : "";
}

function between(random: Random, column: number): string {
  if (random.chance(0.85)) return "";
  return random.pick(["\n", "\n\n", `${pad(random.pick([0, column]))}${random.pick(COMMENTS)}\n`, "  \n"]);
}

function block(random: Random, column: number): string {
  // A first line that is blank or indented further needs a digit in the header; people do not write that.
  const lines = [random.pick(TEXTS.slice(0, 4)), ...Array.from({ length: random.below(4) }, () => random.pick(TEXTS))];
  return `${random.pick(["|", ">", "|-", ">-", "|+"])}${line(random).trimEnd()}\n${lines.map((text) => (text === "" ? "" : pad(column) + text)).join("\n")}\n`;
}

/** What stands behind the `:` or `-` at `column`, with the break. */
function value(random: Random, column: number, step: number, depth: number): string {
  const kind = random.next();
  if (depth > 0 && kind < 0.25) return `${line(random)}\n${map(random, column + step, step, depth - 1)}`;
  if (depth > 0 && kind < 0.4) return `${line(random)}\n${list(random, column + random.pick([0, step]), step, depth - 1)}`;
  if (kind < 0.46) return ` ${block(random, column + step)}`;
  if (kind < 0.49) return `${line(random)}\n`;
  if (kind < 0.52) return ` [\n${["a", '"b"', "1"].map((item) => `${pad(column + step)}${item},${line(random)}\n`).join("")}${pad(column + step)}]\n`;
  if (kind < 0.54) return ` some words that\n${pad(column + step)}go on${line(random)}\n`;
  return ` ${random.pick(VALUES)}${line(random)}\n`;
}

function entries(random: Random, column: number, step: number, depth: number): string[] {
  return Array.from({ length: 1 + random.below(4) }, (_, at) => {
    const key = random.chance(0.1) ? random.pick(QUOTED_KEYS) : random.pick(KEYS);
    // Each key once.
    const single = key.endsWith('"') || key.endsWith("'") ? `${key.slice(0, -1)} ${at}${key.slice(-1)}` : `${key}${at}`;
    return `${single}:${value(random, column, step, depth)}`;
  });
}

function map(random: Random, column: number, step: number, depth: number): string {
  return entries(random, column, step, depth).map((entry) => between(random, column) + pad(column) + entry).join("");
}

function list(random: Random, column: number, step: number, depth: number): string {
  const item = () => {
    if (depth > 0 && random.chance(0.3)) return entries(random, column + 2, step, depth - 1).join(pad(column + 2));
    const text = random.pick(VALUES);
    return `${text}${line(random)}\n`;
  };
  return Array.from({ length: 1 + random.below(4) }, () => `${between(random, column)}${pad(column)}- ${item()}`).join("");
}

/** A config file, in one of the ways that editors end lines and files. */
export function plainText(random: Random): string {
  const text = `${random.pick(["", "", "", "---\n", "# My settings.\n", "\n", "\ufeff"])}${map(random, 0, random.pick([2, 2, 2, 4]), 3)}`;
  const cut = random.chance(0.1) ? text.trimEnd() : text;
  return random.chance(0.1) ? cut.replaceAll("\n", "\r\n") : cut;
}
