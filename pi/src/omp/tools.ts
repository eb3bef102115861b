// Which tools one session of omp offers, and how: as tools of their own, or as `xd://` devices.
//
// The stock is remembered in omp's order and partition, so that with nothing held the session is exactly what it was.
import type { Tool } from "../gate.ts";
import type { LiveSession } from "./live.ts";

export class Presentation {
  readonly #session: LiveSession;
  /** Every tool that was ever enabled, in the order in which omp had them. */
  readonly #order: string[] = [];
  readonly #devices = new Set<string>();
  /** Tools that are not offered because of garnish alone. */
  #hidden = new Set<string>();
  #hidesDevices = false;

  constructor(session: LiveSession) {
    this.#session = session;
  }

  /** What omp offers now, and what garnish has hidden of it: a mode of omp's that offers less is left at that. */
  stock(): Tool[] {
    for (const name of this.#session.getMountedXdevToolNames()) this.#devices.add(name);
    const enabled = new Set(this.#session.getEnabledToolNames());
    const known = new Set(this.#order);
    for (const name of enabled) if (!known.has(name)) this.#order.push(name);
    const all = this.#session.getAllToolNames();
    this.#orderServers(all);
    const there = new Set(all);
    return this.#order.filter((name) => enabled.has(name) || (this.#hidden.has(name) && there.has(name))).map((name) => this.tool(name));
  }

  /** omp sorts the tools of MCP servers anew whenever one connects; all other tools stay where they were. */
  #orderServers(all: readonly string[]): void {
    const isServers = (name: string) => this.tool(name).server !== undefined;
    const known = new Set(this.#order);
    const sorted = all.filter((name) => isServers(name) && known.has(name));
    for (const [index, name] of this.#order.entries()) if (isServers(name)) this.#order[index] = sorted.shift() ?? name;
  }

  tool(name: string): Tool {
    const server = this.#session.getToolByName(name)?.mcpServerName;
    return server === undefined ? { name } : { name, server };
  }

  /** Devices are offered as nothing at all, or as they were. */
  hideDevices(hidden: boolean): void {
    this.#hidesDevices = hidden;
  }

  /** Offers exactly these, in the stock's order. */
  async show(names: readonly string[]): Promise<void> {
    const wanted = new Set(names);
    const stock = this.stock().map(({ name }) => name);
    const isShown = (name: string) => wanted.has(name) && !(this.#hidesDevices && this.#devices.has(name));
    const shown = this.#order.filter(isShown);
    this.#hidden = new Set(stock.filter((name) => !isShown(name)));
    const devices = shown.filter((name) => this.#devices.has(name));
    const before = { names: this.#session.getEnabledToolNames(), devices: this.#session.getMountedXdevToolNames() };
    const hasDevices = same([...before.devices].sort(), [...devices].sort());
    if (hasDevices && same(before.names, shown)) return;
    // By itself omp makes its prompt anew when tools change, and not for devices alone.
    const isOnlyDevices = same(without(before.names, before.devices), without(shown, devices));
    await this.#session.setActiveToolPresentation(shown, devices, isOnlyDevices);
  }
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

function without(names: readonly string[], others: readonly string[]): string[] {
  const out = new Set(others);
  return names.filter((name) => !out.has(name));
}
