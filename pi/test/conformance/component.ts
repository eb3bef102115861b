// garnish.wasm as `make` leaves it for the extension: transpiled by jco into target/pi/extension-component.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ImportObject, Root } from "#component";
import type { Imports } from "./recorder.ts";

const FOLDER = new URL("../../../target/pi/extension-component/", import.meta.url);

const { instantiate } = await load();
const compiled = new Map<string, WebAssembly.Module>();

function load(): Promise<typeof import("#component")> {
  const glue = new URL("garnish.js", FOLDER);
  if (!existsSync(glue)) throw new Error(`${fileURLToPath(glue)} is missing: build the extension first`);
  return import(glue.href);
}

/** A new instance. The core modules are compiled once. */
export function instance(imports: Imports): Root {
  // jco's types name the imports with their version; what it makes looks them up without.
  const unversioned = Object.entries(imports).map(([name, functions]) => [name.slice(0, name.indexOf("@")), functions]);
  return instantiate(core, Object.fromEntries(unversioned) as ImportObject);
}

function core(name: string): WebAssembly.Module {
  let module = compiled.get(name);
  if (!module) {
    module = new WebAssembly.Module(readFileSync(new URL(name, FOLDER)));
    compiled.set(name, module);
  }
  return module;
}
