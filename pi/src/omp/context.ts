// Context files and rules, taken out of the lists that omp discovers with: what no setting may close. For omp's own and
// those of its plugins there is no setting, and the setting of a provider may close more than its context (`cursor` is a
// provider of models, too).
//
// They are given back by putting them in again, in their order. omp's built-in rules stay: they are part of the harness.
import type { Discovery, Provider } from "./live.ts";

const LISTS = ["context-files", "rules"];
const STAYS = "builtin-defaults";

export class ContextProviders {
  readonly #discovery: Discovery;
  /** By list: the providers in omp's own order, those that are taken out among them. */
  readonly #all = new Map<string, Provider[]>();
  readonly #taken = new Set<Provider>();

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  /** Holds the providers whose ids are held, and no others. Answers whether anything changed. */
  hold(isHeld: (id: string) => boolean): boolean {
    return LISTS.map((list) => this.#hold(list, ({ id }) => id !== STAYS && isHeld(id))).includes(true);
  }

  #hold(list: string, isHeld: (provider: Provider) => boolean): boolean {
    const providers = this.#discovery.getCapability(list)?.providers;
    if (!providers) return false;
    const all = (this.#all.get(list) ?? []).filter((provider) => this.#taken.has(provider) || providers.includes(provider));
    all.push(...providers.filter((provider) => !all.includes(provider)));
    // omp's own order: by priority, highest first, among equals as they registered.
    all.sort((a, b) => b.priority - a.priority);
    this.#all.set(list, all);
    let changed = false;
    for (const provider of all) {
      const held = isHeld(provider);
      changed ||= held !== this.#taken.has(provider);
      if (held) this.#taken.add(provider);
      else this.#taken.delete(provider);
    }
    if (changed) providers.splice(0, providers.length, ...all.filter((provider) => !this.#taken.has(provider)));
    return changed;
  }
}
