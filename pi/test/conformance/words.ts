// Texts as Rust's standard library orders, splits, decodes and quotes them: what the transcripts are made of.

/** Sorted by UTF-8 bytes, without doubles. */
export function byBytes(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** `str::lines` */
export function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "" && (text === "" || text.endsWith("\n"))) lines.pop();
  return lines;
}

/** `String::from_utf8_lossy`; a byte order mark stays. */
export function lossy(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

const NAMED: { [character: string]: string } = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" };

/** `{:?}` of a text. */
export function quoted(text: string): string {
  const hidden = /["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;
  return `"${text.replace(hidden, (one) => NAMED[one] ?? `\\u{${one.codePointAt(0)?.toString(16)}}`)}"`;
}
