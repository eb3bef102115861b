// What changed in a text, line by line, as hunks of a unified diff: the very ones of the Rust crate `similar` 3.2.1, which
// wrote the snapshots. A port of its Myers search and its compaction; other diffs would be as right, and not the same.
//
// It leaves out what that crate does for long texts only, and refuses those.

/** Lines around a change. */
const CONTEXT = 2;

interface Op {
  tag: "equal" | "delete" | "insert" | "replace";
  old: number;
  oldLen: number;
  new: number;
  newLen: number;
}

const equal = (old: number, fresh: number, len: number): Op => ({ tag: "equal", old, oldLen: len, new: fresh, newLen: len });
const removed = (old: number, oldLen: number, fresh: number): Op => ({ tag: "delete", old, oldLen, new: fresh, newLen: 0 });
const added = (old: number, fresh: number, newLen: number): Op => ({ tag: "insert", old, oldLen: 0, new: fresh, newLen });

/** The hunks, each with its header and its line ends. */
export function hunks(old: string, fresh: string): string[] {
  const [before, after] = [lines(old), lines(fresh)];
  return grouped(replaced(compacted(before, after, search(before, after)))).map((ops) => shown(before, after, ops));
}

function lines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+/g) ?? [];
}

// --- the search

/** Two ranges of lines, ends excluded. */
interface Ranges {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

function prefix(a: string[], b: string[], { oldStart, oldEnd, newStart, newEnd }: Ranges): number {
  let length = 0;
  while (oldStart + length < oldEnd && newStart + length < newEnd && a[oldStart + length] === b[newStart + length]) length++;
  return length;
}

function suffix(a: string[], b: string[], { oldStart, oldEnd, newStart, newEnd }: Ranges): number {
  let length = 0;
  while (oldEnd - length > oldStart && newEnd - length > newStart && a[oldEnd - length - 1] === b[newEnd - length - 1]) length++;
  return length;
}

function search(a: string[], b: string[]): Op[] {
  const ops: Op[] = [];
  conquer(a, b, { oldStart: 0, oldEnd: a.length, newStart: 0, newEnd: b.length }, ops);
  return ops;
}

/** Whether `similar` would peel, reduce or guess. */
function isLong(n: number, m: number): boolean {
  return n + m > 500 || (Math.min(n, m) > 96 && Math.max(n, m) >= 2 * Math.min(n, m));
}

function conquer(a: string[], b: string[], within: Ranges, ops: Op[]): void {
  const range = { ...within };
  const start = prefix(a, b, range);
  if (start > 0) ops.push(equal(range.oldStart, range.newStart, start));
  range.oldStart += start;
  range.newStart += start;
  const end = suffix(a, b, range);
  range.oldEnd -= end;
  range.newEnd -= end;
  const [n, m] = [range.oldEnd - range.oldStart, range.newEnd - range.newStart];
  if (isLong(n, m)) throw new Error(`diff.ts is no port for ${n} lines that became ${m}`);

  if (m === 0 && n > 0) ops.push(removed(range.oldStart, n, range.newStart));
  else if (n === 0 && m > 0) ops.push(added(range.oldStart, range.newStart, m));
  else if (n > 0) {
    const [oldAt, newAt] = middle(a, b, range);
    conquer(a, b, { ...range, oldEnd: oldAt, newEnd: newAt }, ops);
    conquer(a, b, { ...range, oldStart: oldAt, newStart: newAt }, ops);
  }
  if (end > 0) ops.push(equal(range.oldEnd, range.newEnd, end));
}

/** Where the middle snake begins: the furthest reaching paths from both ends meet there. */
function middle(a: string[], b: string[], { oldStart, oldEnd, newStart, newEnd }: Ranges): [number, number] {
  const [n, m] = [oldEnd - oldStart, newEnd - newStart];
  const delta = n - m;
  const isOdd = (delta & 1) !== 0;
  const most = Math.ceil((n + m) / 2) + 1;
  const [forward, backward] = [new Map<number, number>([[1, 0]]), new Map<number, number>([[1, 0]])];
  const reached = (way: Map<number, number>, k: number) => way.get(k) ?? 0;
  const next = (way: Map<number, number>, k: number, d: number) =>
    k === -d || (k !== d && reached(way, k - 1) < reached(way, k + 1)) ? reached(way, k + 1) : reached(way, k - 1) + 1;
  for (let d = 0; d < most; d++) {
    for (let k = d; k >= -d; k -= 2) {
      let x = next(forward, k, d);
      const [x0, y0] = [x, x - k];
      if (x < n && y0 < m) x += prefix(a, b, { oldStart: oldStart + x, oldEnd, newStart: newStart + y0, newEnd });
      forward.set(k, x);
      if (isOdd && Math.abs(k - delta) <= d - 1 && x + reached(backward, delta - k) >= n) return [oldStart + x0, newStart + y0];
    }
    for (let k = d; k >= -d; k -= 2) {
      let x = next(backward, k, d);
      const y = x - k;
      let snake = 0;
      if (x < n && y < m) snake = suffix(a, b, { oldStart, oldEnd: oldEnd - x, newStart, newEnd: newEnd - y });
      x += snake;
      backward.set(k, x);
      if (!isOdd && Math.abs(k - delta) <= d && x + reached(forward, delta - k) >= n) return [oldEnd - x, newEnd - y - snake];
    }
  }
  throw new Error("the two searches must meet");
}

// --- the compaction: moves what was removed or added up and down, to join it with its like

function compacted(a: string[], b: string[], ops: Op[]): Op[] {
  for (const tag of ["delete", "insert"] as const) {
    for (let at = 0; at < ops.length; at++) {
      if (ops[at]!.tag === tag) at = down(a, b, ops, up(a, b, ops, at));
    }
  }
  let [old, fresh] = [ops[0]?.old ?? 0, ops[0]?.new ?? 0];
  for (const op of ops) {
    if (op.tag === "delete") op.new = fresh;
    if (op.tag === "insert") op.old = old;
    [old, fresh] = [op.old + op.oldLen, op.new + op.newLen];
  }
  return ops;
}

function moved(op: Op, by: number): void {
  op.old += by;
  op.new += by;
}

function longer(op: Op, by: number): void {
  if (op.tag !== "insert") op.oldLen += by;
  if (op.tag !== "delete") op.newLen += by;
}

const length = (op: Op): number => Math.max(op.oldLen, op.newLen);
const inOld = (op: Op) => ({ oldStart: op.old, oldEnd: op.old + op.oldLen });
const inNew = (op: Op) => ({ newStart: op.new, newEnd: op.new + op.newLen });

/** How far an op could slide over its equal neighbour. */
function slide(a: string[], b: string[], op: Op, neighbour: Op, common: typeof prefix): number {
  return common(a, b, op.tag === "insert" ? { ...inOld(neighbour), ...inNew(op) } : { ...inOld(op), ...inNew(neighbour) });
}

function up(a: string[], b: string[], ops: Op[], from: number): number {
  let at = from;
  for (let before = ops[at - 1]; before; before = ops[at - 1]) {
    const op = ops[at]!;
    if (before.tag === "equal") {
      if (op.tag === "delete" && ops[at - 2]?.tag !== "delete") break;
      const by = slide(a, b, op, before, suffix);
      if (by > 0) {
        const after = ops[at + 1];
        if (after?.tag === "equal") {
          moved(after, -by);
          longer(after, by);
        } else {
          const [old, fresh] = op.tag === "insert" ? [before.old + before.oldLen, op.new + op.newLen] : [op.old + op.oldLen, before.new + before.newLen];
          ops.splice(at + 1, 0, equal(old - by, fresh - by, by));
        }
        moved(op, -by);
        longer(before, -by);
      } else if (length(before) > 0) break;
      if (length(before) === 0) ops.splice(--at, 1);
    } else if (before.tag === op.tag) {
      longer(before, length(op));
      ops.splice(at--, 1);
    } else swap(ops, --at);
  }
  return at;
}

function down(a: string[], b: string[], ops: Op[], from: number): number {
  let at = from;
  for (let after = ops[at + 1]; after; after = ops[at + 1]) {
    const op = ops[at]!;
    if (after.tag === "equal") {
      if (op.tag === "delete" && ops[at + 2]?.tag !== "delete") break;
      const by = slide(a, b, op, after, prefix);
      if (by > 0) {
        const before = ops[at - 1];
        if (before?.tag === "equal") longer(before, by);
        else ops.splice(at++, 0, op.tag === "insert" ? equal(after.old, op.new, by) : equal(op.old, after.new, by));
        moved(op, by);
        moved(after, by);
        longer(after, -by);
      } else if (length(after) > 0) break;
      if (length(after) === 0) ops.splice(at + 1, 1);
    } else if (after.tag === op.tag) {
      longer(op, length(after));
      ops.splice(at + 1, 1);
    } else swap(ops, at++);
  }
  return at;
}

/** One removes and one adds: they take from different sides, so each takes the other's place. */
function swap(ops: Op[], at: number): void {
  const [first, second] = [ops[at]!, ops[at + 1]!];
  const [oldStart, newStart] = [first.old, first.new];
  const [oldEnd, newEnd] = [second.old + second.oldLen, second.new + second.newLen];
  [ops[at], ops[at + 1]] = [second, first];
  if (second.tag === "insert") second.old = oldStart;
  else second.new = newStart;
  if (first.tag === "insert") first.old = oldEnd;
  else first.new = newEnd;
}

/** Joins neighbours of one kind, and what is removed with what is added in its place. */
function replaced(ops: Op[]): Op[] {
  const done: Op[] = [];
  for (const op of ops) {
    const last = done.at(-1);
    if (!last || (last.tag === "equal") !== (op.tag === "equal")) {
      done.push({ ...op });
      continue;
    }
    if (last.tag !== op.tag) {
      // Where the first of each side begins; a replacement keeps growing.
      if (last.tag === "insert") last.old = op.old;
      if (last.tag === "delete") last.new = op.new;
      last.tag = "replace";
    }
    last.oldLen += op.oldLen;
    last.newLen += op.newLen;
  }
  return done;
}

// --- hunks

function grouped(ops: Op[]): Op[][] {
  const [first, last] = [ops[0], ops.at(-1)];
  if (first?.tag === "equal") {
    const cut = Math.max(first.oldLen - CONTEXT, 0);
    moved(first, cut);
    longer(first, -cut);
  }
  if (last?.tag === "equal") longer(last, -Math.max(last.oldLen - CONTEXT, 0));
  const groups: Op[][] = [];
  let group: Op[] = [];
  for (const op of ops) {
    if (op.tag === "equal" && op.oldLen > CONTEXT * 2) {
      groups.push([...group, equal(op.old, op.new, CONTEXT)]);
      const skipped = op.oldLen - CONTEXT;
      group = [equal(op.old + skipped, op.new + skipped, CONTEXT)];
    } else group.push(op);
  }
  if (group.some(({ tag }) => tag !== "equal")) groups.push(group);
  return groups;
}

function shown(a: string[], b: string[], ops: Op[]): string {
  const [first, last] = [ops[0]!, ops.at(-1)!];
  const range = (start: number, end: number) => (end - start === 1 ? `${start + 1}` : `${end === start ? start : start + 1},${end - start}`);
  let text = `@@ -${range(first.old, last.old + last.oldLen)} +${range(first.new, last.new + last.newLen)} @@\n`;
  const put = (mark: string, line: string) => {
    text += mark + line + (/[\r\n]$/.test(line) ? "" : "\n\\ No newline at end of file\n");
  };
  for (const op of ops) {
    if (op.tag === "equal") a.slice(op.old, op.old + op.oldLen).forEach((line) => put(" ", line));
    else {
      a.slice(op.old, op.old + op.oldLen).forEach((line) => put("-", line));
      b.slice(op.new, op.new + op.newLen).forEach((line) => put("+", line));
    }
  }
  return text;
}
