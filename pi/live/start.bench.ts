// How long a harness takes from its start to its first request, with garnish and without: paired runs, each pair in the
// same minute, and the median of their ratios. Prints one row for each harness; asserts nothing.
//
//   node pi/live/start.bench.ts [PAIRS]
import { spawn } from "node:child_process";
import { commandLine } from "./src/harness.ts";
import { Model } from "./src/model.ts";
import { Sandbox } from "./src/sandbox.ts";
import type { HarnessName } from "./src/sandbox.ts";

const pairs = Number(process.argv[2] ?? 12);

/** Milliseconds to the first request of a print run. */
async function first(sandbox: Sandbox, model: Model): Promise<number> {
  model.forget();
  const [program, args] = commandLine(sandbox.harness, ["-p", "hello"]);
  const start = performance.now();
  const child = spawn(program, args, { cwd: sandbox.cwd, env: sandbox.env(), stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  await model.request(1);
  const took = performance.now() - start;
  await ended;
  return took;
}

function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
}

for (const harness of ["omp", "pi"] as HarnessName[]) {
  const model = await Model.start();
  const bare = new Sandbox(harness, model);
  const gated = new Sandbox(harness, model);
  gated.install();
  for (const sandbox of [bare, gated]) for (let warm = 0; warm < 2; warm += 1) await first(sandbox, model);
  const ratios: number[] = [];
  const without: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    // Whoever runs first in a pair changes, so that a machine that grows slower favours neither.
    const order = pair % 2 ? [gated, bare] : [bare, gated];
    const took = new Map<Sandbox, number>();
    for (const sandbox of order) took.set(sandbox, await first(sandbox, model));
    without.push(took.get(bare) ?? 0);
    ratios.push((took.get(gated) ?? 0) / (took.get(bare) ?? 1));
  }
  console.log(`${harness} from its start to the first request, garnish / without: ${median(ratios).toFixed(3)} × of ${Math.round(median(without))} ms (median of ${pairs} pairs; goal 1.03)`);
  for (const sandbox of [bare, gated]) sandbox.remove();
  await model.close();
}
