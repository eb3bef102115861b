// One live test: a model, a sandbox, and everything started in it ended and removed again.
//
// A test that needs the built extension is skipped, with that reason, where it has not been built. On failure the
// sandbox stays and its path is printed. Nothing here judges what a harness did.
import { existsSync } from "node:fs";
import { test } from "node:test";
import type { TestOptions } from "node:test";
import { print, Rpc, Tui } from "./harness.ts";
import type { Printed } from "./harness.ts";
import { Late, Model } from "./model.ts";
import { EXTENSION, Sandbox } from "./sandbox.ts";
import type { HarnessName, SandboxOptions, SetupFile } from "./sandbox.ts";

export interface Scene {
  model: Model;
  sandbox: Sandbox;
  /** One start that nobody looks at, so that the gated config is on disk, as after `make install`. */
  provision(): Promise<void>;
  print(prompts: string[], args?: string[]): Promise<Printed>;
  rpc(args?: string[]): Promise<Rpc>;
  /** Returns when the harness takes keys. */
  tui(args?: string[]): Promise<Tui>;
}

interface LiveOptions extends SandboxOptions {
  /** Installs the built extension with this setup. "later": the test installs it. false: the stock harness. */
  garnish: Partial<SetupFile> | "later" | false;
  timeout?: number;
}

/** What a harness shows once it takes keys. */
const READY: Record<HarnessName, RegExp> = { omp: /fake-1|Fake/, pi: /fake-1|Fake/ };

/** Defines a test that runs `body` with `harness` in a sandbox of its own. */
export function live(name: string, harness: HarnessName, options: LiveOptions, body: (scene: Scene) => Promise<void>): void {
  const built = existsSync(EXTENSION);
  const settings: TestOptions = { timeout: options.timeout ?? 360_000 };
  if (options.garnish !== false && !built) settings.skip = `${EXTENSION} is not there: run make extension`;
  const once = async (): Promise<void> => {
    const model = await Model.start();
    const sandbox = new Sandbox(harness, model, options);
    const running: { close(): Promise<unknown> }[] = [];
    const opened = async <T extends { close(): Promise<unknown> }>(start: Promise<T>): Promise<T> => {
      const one = await start;
      running.push(one);
      return one;
    };
    try {
      if (typeof options.garnish === "object") sandbox.install(options.garnish);
      await body({
        model,
        sandbox,
        provision: async () => {
          await print(sandbox, ["provision"]);
          model.forget();
          sandbox.forgetMcpStarts();
        },
        print: (prompts, args) => print(sandbox, prompts, args),
        rpc: (args) => opened(Rpc.start(sandbox, args)),
        tui: (args) => opened(Tui.start(sandbox, READY[harness], args)),
      });
      for (const one of running.splice(0).reverse()) await one.close();
      await model.close();
    } catch (error) {
      console.error(`The sandbox of the failed test is kept: ${sandbox.root}`);
      for (const one of running.splice(0).reverse()) await one.close();
      await model.close().catch((fault) => console.error(`Besides: ${fault}`));
      throw error;
    }
    sandbox.remove();
  };
  void test(`${harness}: ${name}`, settings, async () => {
    for (let left = 2; ; left -= 1) {
      try {
        return await once();
      } catch (error) {
        // What a request shows is never looked at twice; that one did not come in time is.
        if (!(error instanceof Late) || left === 0) throw error;
        console.error(`Once more, since something was late: ${harness}: ${name}\n${error.message.split("\n")[0]}`);
      }
    }
  });
}
