// Texts that are JSON, nearly JSON or not.
import type { Random } from "./random.ts";

const TOKENS = [
  "{", "}", "[", "]", ",", ":", "{}", "[]", '"a"', '"a":', '"b": ', '"a":1', '{"a":1}', '{"a":1,"a":2}', "null", "true", "false", "nul", "True", "NaN", "Infinity", "undefined",
  "0", "-0", "-0.0", "01", "+1", "1.", ".5", "1.5", "1e5", "1E+5", "1e-5", "1e", "1e400", "-1e400", "1e-400", "0x1", "1_0", "9007199254740993", "123456789012345678901234567890",
  "2.2250738585072011e-308", "5e-324", "0.1", "--1", "-", '"', "'a'", '"\\n"', '"\\u00e9"', '"\\u00E9"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00"', '"\\ud83d\\u0041"', '"\\u12"', '"\\x41"',
  '"\\/"', '"\\b\\f\\r\\t\\\\\\""', "\\", '"\\', '"\t"', '"\n"', '"\u007f"', '"\u2028"', '"\ufeff"', '"é😀"', '"\\u0000"', '"\0"', '"__proto__":', '"constructor":', '"":', "\ufeff",
  " ", "  ", "\n", "\r\n", "\r", "\t", "\u000b", "\u000c", "\u00a0", "\u2028", "// c\n", "/* c */", "# c\n", ", ,", ",}", ",]",
];

function soup(random: Random): string {
  return `{"k": ${random.many(6, () => random.pick(TOKENS))}}`;
}

/** Any value with white space where it may stand, and with tokens that do not belong here and there. */
function nearly(random: Random, depth: number): string {
  const gap = () => (random.chance(0.7) ? "" : random.pick([" ", "\n", "\r\n", "\t", "\n  ", "\r"]));
  const odd = () => (random.chance(0.015) ? random.pick(TOKENS) : "");
  const scalar = () => random.pick(TOKENS.filter((token) => /^("[^:]*"|[-\d.eE+]+|null|true|false)$/.test(token)));
  const inner = () => (depth > 0 && random.chance(0.4) ? nearly(random, depth - 1) : scalar()) + odd();
  const key = (at: number) => (random.chance(0.1) ? random.pick(['"__proto__"', '"a"', '"\\u0061"', '""', '"1"']) : `"${random.pick(["a", "b", "mcpServers", "é", "x.y"])}${at}"`);
  const isMap = random.chance(0.6);
  const entry = (_: unknown, at: number) => gap() + (isMap ? key(at) + gap() + ":" + gap() : "") + inner() + gap();
  const entries = Array.from({ length: random.below(4) }, entry).join("," + odd());
  return (isMap ? "{" : "[") + (entries || gap()) + odd() + (isMap ? "}" : "]");
}

export function jsonTexts(random: Random, count: number): string[] {
  const whole = () => (random.chance(0.03) ? "\ufeff" : "") + random.pick(["", "", " ", "\n"]) + nearly(random, 3) + random.pick(["", "\n", "\n\n", " \t"]);
  const cut = () => {
    const text = whole();
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(["", ...TOKENS]) + text.slice(at + random.below(3));
  };
  const texts = Array.from({ length: count }, () => random.pick([() => soup(random), whole, whole, cut])().toWellFormed());
  // A key that ends with a backslash: see `someKey`.
  return texts.filter((text) => !/(\\\\|\\u005c)"\s*:/i.test(text));
}
