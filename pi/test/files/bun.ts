// `Bun.YAML`, where this runs on Bun.

const { Bun } = globalThis as { Bun?: { YAML: { parse(text: string): unknown } } };

/** Why a test that asks Bun cannot run; false where it can. */
export const withoutBun = Bun ? false : "only Bun has Bun.YAML";

/** What Bun reads; undefined where it refuses. */
export function bun(text: string): { value: unknown } | undefined {
  try {
    return { value: Bun!.YAML.parse(text) };
  } catch (error) {
    // Whatever else goes wrong is no answer.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
