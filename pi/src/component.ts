// Loads garnish.wasm (its core modules, as jco left them beside this file) and makes instances of it.
//
// Compiled once in a process, instantiated once for each session of the harness. It knows nothing of a harness, and never
// judges what an instance answers.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { instantiate, type ImportObject, type Root } from "#component";

/** The version of `wit/` that this glue was built against. */
export const WIT_VERSION = "0.1.0";

/** Where the extension is installed: what an agent must not touch. */
export const INSTALLED = dirname(fileURLToPath(import.meta.url));

export type Imports = Omit<ImportObject, "garnish:gating/types@0.1.0">;

const compiled = new Map<string, WebAssembly.Module>();

/**
 * A new instance.
 *
 * @throws when the file is missing, is no WebAssembly, or speaks another version; the message names the file and both
 *   versions.
 */
export function newInstance(imports: Imports): Root {
  // jco's types name the imports with their version; what it makes looks them up without.
  const unversioned = Object.entries(imports).map(([name, functions]) => [name.slice(0, name.indexOf("@")), functions]);
  return instantiate(core, Object.fromEntries(unversioned) as ImportObject);
}

/** Compiles beside whatever else the harness does while it starts; what goes wrong is said when an instance is made. */
export async function compileAhead(): Promise<void> {
  const name = "garnish.core.wasm";
  if (compiled.has(name)) return;
  const path = join(INSTALLED, name);
  try {
    const module = await WebAssembly.compile(await readFile(path));
    compiled.set(name, checked(path, module));
  } catch {
    // A file that is missing, broken or of another version.
  }
}

function core(name: string): WebAssembly.Module {
  let module = compiled.get(name);
  if (!module) {
    module = compile(join(INSTALLED, name));
    compiled.set(name, module);
  }
  return module;
}

function compile(path: string): WebAssembly.Module {
  let module: WebAssembly.Module;
  try {
    module = new WebAssembly.Module(readFileSync(path));
  } catch (error) {
    throw new Error(`${path} cannot be loaded: ${(error as Error).message}`);
  }
  return checked(path, module);
}

function checked(path: string, module: WebAssembly.Module): WebAssembly.Module {
  for (const { module: from } of WebAssembly.Module.imports(module)) {
    const version = /^garnish:[^@]*@(.*)$/.exec(from)?.[1];
    if (version !== undefined && version !== WIT_VERSION) {
      throw new Error(`${path} speaks version ${version} of garnish:gating, this extension ${WIT_VERSION}.`);
    }
  }
  return module;
}
