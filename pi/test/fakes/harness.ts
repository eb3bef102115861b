// A harness of which a session can be made, that writes down what it is asked, and a session on the real component behind it.
// The imports are wired as in src/index.ts, which only the build can load.
import { agentDirImports } from "../../src/effects/index.ts";
import { Fallback } from "../../src/fallback.ts";
import { type Activation, Gate } from "../../src/gate.ts";
import type { Harness, Held, NoticeLevel, Role, Tool } from "../../src/harness.ts";
import { Session, type Wanted } from "../../src/session.ts";
import { instance } from "../conformance/component.ts";
import { TOOLS, watched, type Made } from "./gated.ts";

export class FakeHarness implements Harness {
  readonly name = "omp";
  version = "18.2.3";
  readonly agentDir: string;
  acts: Role = "main";
  tools: string[] = [...TOOLS];
  active: string[] = [...TOOLS];
  /** What `open` answers for a capability; `live` where nothing is said. */
  readonly becomes = new Map<string, Activation>();
  /** What throws, and what it says. */
  readonly throws = new Map<keyof Harness, string>();
  readonly calls: string[] = [];
  readonly notices: string[] = [];
  status: string | undefined;
  held: Held | undefined;
  /** Pieces of work that ran while another did. */
  overlaps = 0;
  #isBusy = false;

  constructor(agentDir: string) {
    this.agentDir = agentDir;
  }

  async #work(name: keyof Harness, detail: string): Promise<void> {
    this.calls.push(`${name} ${detail}`.trimEnd());
    if (this.#isBusy) this.overlaps += 1;
    this.#isBusy = true;
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.#isBusy = false;
    this.#fail(name);
  }

  #fail(name: keyof Harness): void {
    const said = this.throws.get(name);
    if (said !== undefined) throw new Error(said);
  }

  role = (): Role => this.acts;
  stock = (): Tool[] => this.tools.map((name) => ({ name }));
  activeTools = (): string[] => this.active;
  allTools = (): string[] => this.tools;
  tool = (name: string): Tool => ({ name });

  async show(names: readonly string[]): Promise<void> {
    await this.#work("show", names.join(" "));
    this.active = this.tools.filter((name) => names.includes(name));
  }

  reread = (): Promise<void> => this.#work("reread", "");

  async hold(held: Held): Promise<void> {
    await this.#work("hold", "");
    this.held = held;
  }

  async open(capabilities: readonly string[]): Promise<Activation[]> {
    await this.#work("open", capabilities.join(" "));
    return capabilities.map((capability) => this.becomes.get(capability) ?? { tag: "live" });
  }

  entered(): void {}

  isWatched(): boolean {
    return true;
  }

  notify(level: NoticeLevel, text: string): void {
    this.calls.push("notify");
    this.#fail("notify");
    this.notices.push(`${level}: ${text}`);
  }

  showStatus(line: string | undefined): void {
    this.calls.push("showStatus");
    this.#fail("showStatus");
    this.status = line;
  }
}

export interface Run {
  harness: FakeHarness;
  gate: Gate;
  session: Session;
  made: Made[];
}

export function begun(agentDir: string, spoil: (made: Made, number: number) => void = () => {}): Run {
  const harness = new FakeHarness(agentDir);
  const wanted: Wanted = { reload: [] };
  const made: Made[] = [];
  const gate = new Gate(() => {
    const effects = agentDirImports(agentDir, "/nowhere");
    const log = effects["garnish:gating/event-log@0.1.0"];
    const stat = () => {
      const found = log.stat();
      wanted.logLength = found.length;
      return found;
    };
    const imports = {
      ...effects,
      "garnish:gating/event-log@0.1.0": { ...log, stat },
      "garnish:gating/session@0.1.0": {
        getRole: () => harness.role(),
        getActiveTools: () => harness.activeTools(),
        getAllTools: () => harness.allTools(),
        setActiveTools(names: string[]): Activation {
          wanted.tools = names;
          return { tag: "queued" };
        },
        reload(capabilities: string[]): Activation[] {
          wanted.reload.push(...capabilities);
          return capabilities.map(() => ({ tag: "queued" }));
        },
        notify(level: NoticeLevel, text: string) {
          try {
            harness.notify(level, text);
          } catch {
            // As src/index.ts has it.
          }
        },
      },
    };
    const it: Made = { asked: [], traps: new Set(), imports };
    spoil(it, made.length);
    made.push(it);
    return watched(instance(imports).unlocks, it);
  });
  return { harness, gate, made, session: new Session(harness, gate, new Fallback(agentDir, { version: 1, capabilities: [], tools: [], mcpServers: [] }), wanted) };
}
