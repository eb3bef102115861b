// Random numbers that come again with their seed, and pieces of text chosen by them.

/** For a test that asks about many texts: a busy machine is no fault, and Bun gives a test 5 s. */
export const LONG = { timeout: 300_000 };

export class Random {
  readonly seed: number;
  #state: number;

  /** Without a seed: GARNISH_SEED, or another one each time. */
  constructor(seed = Number(process.env["GARNISH_SEED"] ?? Math.floor(Math.random() * 2 ** 32))) {
    this.seed = seed;
    this.#state = seed;
  }

  /** From 0 to below 1: mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number below `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(part: number): boolean {
    return this.next() < part;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Up to `most` of what `make` makes, in one text. */
  many(most: number, make: () => string): string {
    return Array.from({ length: this.below(most + 1) }, make).join("");
  }
}
