// omp's runtime settings layer, as garnish fills it: above every file, a project's too, and never saved.
//
// It knows no key: the component says which, and what.
import type { Setting } from "../gate.ts";
import type { Settings } from "./live.ts";

export class SettingsLayer {
  readonly #settings: Settings;
  /** What garnish has set, as JSON. */
  readonly #set = new Map<string, string>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Just these are set by garnish afterwards. Answers the keys that changed, and those that omp would not take, with the
   * reason.
   */
  put(settings: readonly Setting[]): { changed: Set<string>; refused: string[] } {
    const changed = new Set<string>();
    const refused: string[] = [];
    const wanted = new Map(settings.map(({ key, json }) => [key, json]));
    for (const key of this.#set.keys()) {
      if (wanted.has(key)) continue;
      this.#settings.clearOverride(key);
      this.#set.delete(key);
      changed.add(key);
    }
    for (const [key, json] of wanted) {
      if (this.#set.get(key) === json) continue;
      try {
        this.#settings.override(key, JSON.parse(json));
      } catch (error) {
        refused.push(`${key} (${(error as Error).message})`);
        continue;
      }
      this.#set.set(key, json);
      changed.add(key);
    }
    return { changed, refused };
  }
}
