// Context files and rules that no provider id switches off: omp's own, and those of its plugins.
//
// They are kept out by taking the providers out of the lists that omp discovers with, and given back by putting them in
// again, in their order. omp's built-in rules stay: they are part of the harness.
import type { Discovery, Provider } from "./live.ts";

const LISTS = ["context-files", "rules"];
const STAYS = "builtin-defaults";

export class NativeContext {
  readonly #discovery: Discovery;
  readonly #taken = new Map<string, Provider[]>();

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  /** Whether anything changed. */
  hold(held: boolean): boolean {
    return LISTS.map((id) => (held ? this.#take(id) : this.#giveBack(id))).includes(true);
  }

  #take(id: string): boolean {
    const providers = this.#discovery.getCapability(id)?.providers;
    const taken = providers?.filter((provider) => provider.id !== STAYS) ?? [];
    if (!providers || taken.length === 0) return false;
    this.#taken.set(id, [...(this.#taken.get(id) ?? []), ...taken]);
    providers.splice(0, providers.length, ...providers.filter((provider) => provider.id === STAYS));
    return true;
  }

  #giveBack(id: string): boolean {
    const providers = this.#discovery.getCapability(id)?.providers;
    const taken = this.#taken.get(id);
    if (!providers || !taken) return false;
    this.#taken.delete(id);
    providers.push(...taken);
    // omp's own order: by priority, highest first, among equals as they registered.
    providers.sort((a, b) => b.priority - a.priority);
    return true;
  }
}
