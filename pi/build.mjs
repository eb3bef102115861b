// Makes the extension: garnish.wasm → core wasm and bindings (jco), src/ and bindings → one file (esbuild).
//
//   node build.mjs GARNISH.WASM OUT    OUT becomes one folder, an npm package too, to drop into extensions/garnish/
//
// The bindings go to OUT-component first: the type checker and the tests look there.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, out] = process.argv.slice(2).map((path) => resolve(path));
if (!wasm || !out) {
  console.error("usage: node build.mjs GARNISH.WASM OUT");
  process.exit(2);
}
const component = `${out}-component`;

rmSync(component, { recursive: true, force: true });
const jco = join(here, "node_modules/@bytecodealliance/jco/dist/jco.js");
execFileSync(process.execPath, [jco, "transpile", wasm, "--instantiation", "sync", "--name", "garnish", "--quiet", "-o", component], { stdio: "inherit" });

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
  entryPoints: [join(here, "src/index.ts")],
  outfile: join(out, "index.js"),
  bundle: true,
  minify: true,
  format: "esm",
  platform: "node",
  target: "es2023",
  alias: { "#component": join(component, "garnish.js") },
  logLevel: "warning",
});
writeFileSync(join(out, "held.json"), JSON.stringify(await everything()));
for (const file of readdirSync(component).filter((name) => name.endsWith(".wasm"))) copyFileSync(join(component, file), join(out, file));
copyFileSync(join(here, "extension.json"), join(out, "package.json"));
writeFileSync(join(out, "README.md"), readFileSync(join(here, "README.md")));

const size = readdirSync(out).reduce((sum, name) => sum + statSync(join(out, name)).size, 0);
console.log(`${out} is ${size} bytes, index.js ${statSync(join(out, "index.js")).size}.`);

/** What the built-in catalogs hold at most, in the form of garnish/held.json: for a session whose component will not load. */
async function everything() {
  const { instantiate } = await import(pathToFileURL(join(component, "garnish.js")).href);
  const none = new Proxy({}, { get: () => () => undefined });
  const imports = Object.fromEntries(["session", "files", "event-log", "clock", "types"].map((name) => [`garnish:gating/${name}`, none]));
  const { gating } = instantiate((name) => new WebAssembly.Module(readFileSync(join(component, name))), imports);
  const held = gating.builtinCatalogs().flatMap((name) => {
    const source = (val) => ({ tag: "builtin", val });
    return gating.renderGateConfig({ features: [], levels: [] }, source(name), source("omp-18")).held;
  });
  const capabilities = [...new Set(held)].sort();
  const of = (kind) => capabilities.filter((name) => name.startsWith(kind)).map((name) => name.slice(kind.length));
  return { version: 1, capabilities, tools: of("tool:"), mcpServers: of("mcp:") };
}
