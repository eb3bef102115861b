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
  define: { EVERYTHING_HELD: JSON.stringify(await everything()) },
  logLevel: "warning",
});
for (const file of readdirSync(component).filter((name) => name.endsWith(".wasm"))) copyFileSync(join(component, file), join(out, file));
copyFileSync(join(here, "extension.json"), join(out, "package.json"));
writeFileSync(join(out, "README.md"), readFileSync(join(here, "README.md")));

const size = readdirSync(out).reduce((sum, name) => sum + statSync(join(out, name)).size, 0);
console.log(`${out} is ${size} bytes, index.js ${statSync(join(out, "index.js")).size}.`);

/** What the built-in catalogs hold at most, in the form of garnish/held.json: for a session whose component will not load. */
async function everything() {
  const { instantiate } = await import(pathToFileURL(join(component, "garnish.js")).href);
  // An agent dir with nothing in it but a setup.
  const setup = (name) => new TextEncoder().encode(JSON.stringify({ catalog: name, profile: name === "pi-1" ? "pi-1" : "omp-18" }));
  const instance = (name) => {
    const nothing = new Proxy({}, { get: () => () => undefined });
    const imports = {
      "garnish:gating/session": nothing,
      "garnish:gating/clock": nothing,
      "garnish:gating/types": nothing,
      "garnish:gating/files": { ...nothing, read: (path) => (path === "garnish/setup.json" ? { bytes: setup(name), version: 1n } : undefined), write: () => 1n, resolve: () => undefined },
      "garnish:gating/event-log": { stat: () => ({ length: 0n, identity: 0n }), read: () => new Uint8Array(), append: () => 0n },
    };
    return instantiate((file) => new WebAssembly.Module(readFileSync(join(component, file))), imports);
  };
  const catalogs = instance("v1").gating.builtinCatalogs().map((name) => instance(name).unlocks);
  const capabilities = [...new Set(catalogs.flatMap((unlocks) => unlocks.heldCapabilities()))].sort();
  const of = (kind) => capabilities.filter((name) => name.startsWith(kind)).map((name) => name.slice(kind.length));
  const settings = Object.fromEntries(catalogs.flatMap((unlocks) => unlocks.overrides("running").map(({ key, json }) => [key, JSON.parse(json)])));
  return { version: 1, capabilities, tools: of("tool:"), mcpServers: of("mcp:"), settings };
}
