// Starts a real harness in a sandbox: `print` for one run, `Rpc` for a conversation by records, `Tui` for its screen.
//
// Everything that is waited for is an event or a text on the screen, with a time limit whose message holds what the
// harness said so far. Only processes that were started here are ended, by their id (and their group, for the servers
// that they started). Nothing here knows garnish.
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Late } from "./model.ts";
import { BUN, MODULES, NODE } from "./sandbox.ts";
import type { HarnessName, Sandbox } from "./sandbox.ts";

const LIMIT = 30_000;

const COMMANDS: Record<HarnessName, string[]> = {
  omp: [BUN, join(MODULES, "@oh-my-pi/pi-coding-agent/dist/cli.js"), "--model", "fake/fake-1", "--no-title"],
  pi: [NODE, join(MODULES, "@earendil-works/pi-coding-agent/dist/bundle/cli.js"), "--model", "fake/fake-1"],
};

export function commandLine(harness: HarnessName, args: string[]): [string, string[]] {
  const [program = "", ...rest] = COMMANDS[harness];
  return [program, [...rest, ...args]];
}

export interface Printed {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `omp -p PROMPT…`: one process that takes the prompts in order and ends. */
export async function print(sandbox: Sandbox, prompts: string[], args: string[] = [], limit = LIMIT): Promise<Printed> {
  const [program, rest] = commandLine(sandbox.harness, [...args, "-p", ...prompts]);
  const child = start(sandbox, program, rest);
  child.stdin.end();
  const printed: Printed = { code: null, stdout: "", stderr: "" };
  child.stdout.on("data", (part) => (printed.stdout += part));
  child.stderr.on("data", (part) => (printed.stderr += part));
  const ended = new Promise<boolean>((resolve) => child.once("close", () => resolve(true)));
  if (!(await Promise.race([ended, after(limit)]))) {
    stop(child);
    throw new Late(`${sandbox.harness} -p did not end in ${limit} ms.\nstdout: ${printed.stdout}\nstderr: ${printed.stderr}`);
  }
  printed.code = child.exitCode;
  return printed;
}

/** One record of the harness's output. */
export interface Frame {
  type: string;
  id?: string;
  [field: string]: unknown;
}

export interface Notice {
  text: string;
  level: string;
}

/** A conversation over stdin and stdout. */
export class Rpc {
  readonly frames: Frame[] = [];
  stderr = "";
  private rest = "";
  private sent = 0;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly sandbox: Sandbox;
  private readonly exited: Promise<boolean>;
  private wakers: (() => void)[] = [];

  private constructor(sandbox: Sandbox, args: string[]) {
    this.sandbox = sandbox;
    const [program, rest] = commandLine(sandbox.harness, ["--mode", "rpc", ...args]);
    this.child = start(sandbox, program, rest);
    this.child.stdout.setEncoding("utf8").on("data", (part: string) => this.take(part));
    this.child.stderr.setEncoding("utf8").on("data", (part: string) => (this.stderr += part));
    this.exited = new Promise((resolve) =>
      this.child.once("close", () => {
        resolve(true);
        this.wake();
      }),
    );
  }

  /** Returns when the harness takes commands. */
  static async start(sandbox: Sandbox, args: string[] = []): Promise<Rpc> {
    const rpc = new Rpc(sandbox, args);
    // Pi says nothing when it is ready, but it answers when it is.
    if (sandbox.harness === "omp") await rpc.wait("that it is ready", 0, (frame) => frame.type === "ready");
    await rpc.command({ type: "get_state" });
    return rpc;
  }

  /** Sends a command and returns its response; throws when it is refused. */
  async command(command: { type: string; [field: string]: unknown }, limit = LIMIT): Promise<Frame> {
    this.sent += 1;
    const id = `c${this.sent}`;
    const from = this.frames.length;
    this.child.stdin.write(`${JSON.stringify({ ...command, id })}\n`);
    const response = await this.wait(`the response to ${JSON.stringify(command)}`, from, (frame) => frame.type === "response" && frame.id === id, limit);
    if (response.success !== true) throw new Error(`${JSON.stringify(command)} was refused: ${JSON.stringify(response)}`);
    return response;
  }

  /** A prompt, or a slash command: returns when all that it set off is done. */
  async prompt(text: string, limit = LIMIT): Promise<void> {
    const from = this.frames.length;
    const response = await this.command({ type: "prompt", message: text }, limit);
    const data = response.data as { agentInvoked?: boolean; disposition?: string } | undefined;
    if (data?.disposition === "handled" || data?.agentInvoked === false) return;
    if (this.sandbox.harness === "pi") {
      await this.wait(`the end of ${JSON.stringify(text)}`, from, (frame) => frame.type === "agent_settled", limit);
      return;
    }
    const ended = (frame: Frame) => frame.type === "agent_end" || (frame.type === "prompt_result" && frame.id === response.id);
    await this.wait(`the end of ${JSON.stringify(text)}`, from, ended, limit);
    // omp ends a run before it is ready for the next prompt.
    for (;;) {
      const state = (await this.command({ type: "get_state" })).data as { isStreaming: boolean };
      if (!state.isStreaming) return;
      await sleep(20);
    }
  }

  async newSession(): Promise<void> {
    await this.command({ type: "new_session" });
  }

  async switchSession(file: string): Promise<void> {
    await this.command({ type: "switch_session", sessionPath: file });
  }

  async sessionFile(): Promise<string> {
    const state = (await this.command({ type: "get_state" })).data as { sessionFile?: string };
    if (!state.sessionFile) throw new Error("The session has no file.");
    return state.sessionFile;
  }

  /** What extensions asked to show, in order: `notify`, `setStatus`, `setWidget`. */
  ui(method: string): Frame[] {
    return this.frames.filter((frame) => frame.type === "extension_ui_request" && frame.method === method);
  }

  get notices(): Notice[] {
    return this.ui("notify").map((frame) => ({ text: String(frame.message), level: String(frame.notifyType ?? "info") }));
  }

  /** The first frame from `from` on that fits; waits for it. */
  async wait(what: string, from: number, fits: (frame: Frame) => boolean, limit = LIMIT): Promise<Frame> {
    const end = Date.now() + limit;
    for (let at = from; ; ) {
      for (; at < this.frames.length; at += 1) {
        const frame = this.frames[at] as Frame;
        if (fits(frame)) return frame;
      }
      const left = end - Date.now();
      const over = this.child.exitCode !== null || this.child.signalCode !== null;
      if (over) throw new Error(`${this.sandbox.harness} ended; waited for ${what}.\n${this.story()}`);
      if (left <= 0) throw new Late(`${this.sandbox.harness} took over ${limit} ms; waited for ${what}.\n${this.story()}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.wakers.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Ends the harness in order: what it has to save it saves. Returns its exit code. */
  async close(limit = 10_000): Promise<number | null> {
    this.child.stdin.end();
    await Promise.race([this.exited, after(limit)]);
    stop(this.child);
    return this.child.exitCode;
  }

  private story(): string {
    const last = this.frames.slice(-15).map((frame) => JSON.stringify(frame).slice(0, 400));
    return `last records:\n${last.join("\n")}\nstderr:\n${this.stderr.slice(-3000)}`;
  }

  private take(part: string): void {
    this.rest += part;
    const lines = this.rest.split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines.filter(Boolean)) {
      let frame: Frame;
      try {
        frame = JSON.parse(line) as Frame;
      } catch {
        frame = { type: "not-json", line };
      }
      this.frames.push(frame);
      // Nobody is there to answer a question, and unanswered it would hold the harness up.
      if (frame.type === "extension_ui_request" && ["select", "confirm", "input", "editor"].includes(String(frame.method))) {
        this.child.stdin.write(`${JSON.stringify({ type: "extension_ui_response", id: frame.id, cancelled: true })}\n`);
      }
    }
    this.wake();
  }

  private wake(): void {
    for (const waker of this.wakers.splice(0)) waker();
  }
}

/** The harness on a screen of its own: a tmux server that serves nothing else. */
export class Tui {
  private readonly socket: string;
  private readonly sandbox: Sandbox;
  private readonly pid: number;

  private constructor(sandbox: Sandbox, args: string[]) {
    this.sandbox = sandbox;
    this.socket = join(sandbox.root, "tmux");
    const [program, rest] = commandLine(sandbox.harness, args);
    const line = [program, ...rest].map(quoted).join(" ");
    // The screen stays when the program ends, so that a failure shows what it said last.
    this.tmux("-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", "140", "-y", "50", "-c", sandbox.cwd, `exec ${line}`, ";", "set-option", "-g", "remain-on-exit", "on");
    this.pid = Number(this.tmux("display-message", "-p", "-t", "t", "#{pane_pid}"));
  }

  /** Returns when `text` is on the screen: what the harness shows when it takes keys. */
  static async start(sandbox: Sandbox, text: string | RegExp, args: string[] = []): Promise<Tui> {
    const tui = new Tui(sandbox, args);
    try {
      await tui.wait(text);
    } catch (error) {
      await tui.close();
      throw error;
    }
    return tui;
  }

  /** Types a line and enters it. */
  async enter(text: string): Promise<void> {
    for (let left = 4; ; left -= 1) {
      this.tmux("send-keys", "-t", "t", "-l", text);
      try {
        await this.wait(text, left > 0 ? 3000 : LIMIT);
        break;
      } catch (error) {
        if (left === 0) throw error;
        // omp empties its line when a command ends, with what was typed meanwhile.
        this.keys("C-u");
      }
    }
    this.keys("Enter");
    // Where the list of completions is open, the first Enter only takes one; on an empty line Enter does nothing.
    if (text.startsWith("/")) {
      await sleep(200);
      this.keys("Enter");
    }
  }

  /** Keys by their tmux names: `Enter`, `Escape`, `C-c`. */
  keys(...names: string[]): void {
    this.tmux("send-keys", "-t", "t", ...names);
  }

  get screen(): string {
    return this.tmux("capture-pane", "-p", "-t", "t");
  }

  /** The screen, and what has scrolled off it. */
  get history(): string {
    return this.tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "t");
  }

  async wait(text: string | RegExp, limit = LIMIT): Promise<string> {
    const end = Date.now() + limit;
    for (;;) {
      const screen = this.screen;
      if (typeof text === "string" ? screen.includes(text) : text.test(screen)) return screen;
      if (Date.now() > end) throw new Late(`${text} did not come on ${this.sandbox.harness}'s screen in ${limit} ms:\n${this.history}`);
      await sleep(50);
    }
  }

  /** Waits until `text` is no longer on the screen. */
  async gone(text: string, limit = LIMIT): Promise<void> {
    const end = Date.now() + limit;
    while (this.screen.includes(text)) {
      if (Date.now() > end) throw new Late(`${text} was on ${this.sandbox.harness}'s screen for ${limit} ms:\n${this.history}`);
      await sleep(50);
    }
  }

  async close(): Promise<void> {
    end(this.pid, "SIGTERM");
    for (let waited = 0; alive(this.pid) && waited < 3000; waited += 50) await sleep(50);
    end(-this.pid, "SIGKILL");
    try {
      this.tmux("kill-server");
    } catch {
      // It ends by itself when its last program has.
    }
  }

  private tmux(...args: string[]): string {
    return execFileSync("tmux", ["-S", this.socket, ...args], { env: this.sandbox.env(), encoding: "utf8", timeout: 10_000, stdio: ["ignore", "pipe", "pipe"] });
  }
}

function start(sandbox: Sandbox, program: string, args: string[]): ChildProcessWithoutNullStreams {
  return spawn(program, args, { cwd: sandbox.cwd, env: sandbox.env(), stdio: ["pipe", "pipe", "pipe"], detached: true });
}

/** Ends what we started, and its group. */
function stop(child: ChildProcessWithoutNullStreams): void {
  if (child.pid !== undefined) end(-child.pid, "SIGKILL");
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const after = (ms: number): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
