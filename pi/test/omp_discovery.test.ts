// What omp discovers: context files and rules that are taken out of its lists and put back, and held MCP servers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ContextProviders } from "../src/omp/context.ts";
import { Servers } from "../src/omp/servers.ts";
import { FakeDiscovery, provider } from "./fakes/omp.ts";

/** Priorities as in omp 18.2.3, which sorts by them; equals stay as they registered. */
function discovery(): FakeDiscovery {
  return new FakeDiscovery({
    "context-files": [provider("native", 100), provider("claude", 80), provider("agents", 70), provider("codex", 70), provider("gemini", 60), provider("agents-md", 10)],
    rules: [provider("native", 100), provider("agents", 70), provider("claude-plugins", 70), provider("cline", 40), provider("builtin-defaults", 1)],
    skills: [provider("native", 100)],
    mcps: [provider("native", 100, "demo", "other"), provider("mcp-json", 5, "demo", undefined, "third")],
  });
}

const LISTS = ["context-files", "rules", "skills", "mcps"];
const all = () => true;
const none = () => false;
const ids = (it: FakeDiscovery) => LISTS.map((list) => it.ids(list));

test("held context leaves omp's built-in rules alone in the lists, and is given back in omp's order", () => {
  const it = discovery();
  const before = ids(it);
  const objects = it.getCapability("rules")!.providers;
  const rules = [...objects];
  const context = new ContextProviders(it);
  for (let round = 0; round < 3; round++) {
    assert.equal(context.hold(all), true);
    assert.deepEqual(ids(it), [[], ["builtin-defaults"], ...before.slice(2)]);
    assert.equal(context.hold(all), false, "it is held already");
    assert.equal(context.hold(none), true);
    assert.deepEqual(ids(it), before);
    assert.equal(context.hold(none), false, "there is nothing to give back");
  }
  assert.deepEqual(it.getCapability("rules")!.providers, rules);
  assert.equal(it.getCapability("rules")!.providers, objects, "the list is omp's own, and stays the same object");
});

test("providers are held by their ids, each given back to its place among equals", () => {
  const it = discovery();
  const before = ids(it);
  const context = new ContextProviders(it);
  assert.equal(context.hold((id) => ["agents", "cline", "builtin-defaults"].includes(id)), true);
  assert.deepEqual(it.ids("context-files"), ["native", "claude", "codex", "gemini", "agents-md"]);
  assert.deepEqual(it.ids("rules"), ["native", "claude-plugins", "builtin-defaults"]);
  assert.equal(context.hold((id) => ["cline", "codex"].includes(id)), true);
  assert.deepEqual(it.ids("context-files"), ["native", "claude", "agents", "gemini", "agents-md"]);
  assert.deepEqual(it.ids("rules"), ["native", "agents", "claude-plugins", "builtin-defaults"]);
  assert.equal(context.hold(none), true);
  assert.deepEqual(ids(it), before);
});

test("a provider that registers while context is held is taken too, and put where omp would have it", () => {
  const it = discovery();
  const context = new ContextProviders(it);
  context.hold(all);
  it.getCapability("context-files")!.providers.push(provider("late", 85));
  assert.equal(context.hold(all), true);
  assert.deepEqual(it.ids("context-files"), []);
  context.hold(none);
  assert.deepEqual(it.ids("context-files"), ["native", "late", "claude", "agents", "codex", "gemini", "agents-md"]);
});

test("lists that an omp does not have are not missed", () => {
  for (const lists of [{}, { rules: [] }, { "context-files": [provider("native", 1)] }]) {
    const it = new FakeDiscovery(lists);
    const context = new ContextProviders(it);
    const before = ids(it);
    context.hold(all);
    context.hold(none);
    assert.deepEqual(ids(it), before);
  }
});

async function found(it: FakeDiscovery): Promise<(string | undefined)[]> {
  const all = await Promise.all((it.getCapability("mcps")?.providers ?? []).map((provider) => provider.load({})));
  return all.flatMap((one) => one?.items?.map(({ name }) => name) ?? []);
}

test("held servers are not found, by whichever provider; all others are, and all once nothing is held", async () => {
  const it = discovery();
  const before = await found(it);
  const servers = new Servers(it);
  for (const [held, expected] of [
    [["demo"], ["other", undefined, "third"]],
    [["demo", "third"], ["other", undefined]],
    [["dem", "other-one"], before],
    [[], before],
    [["other"], ["demo", "demo", undefined, "third"]],
  ] as const) {
    servers.hold(new Set<string>(held));
    assert.deepEqual(await found(it), expected);
  }
});

test("providers of servers keep their names, order, place and everything else that they have", async () => {
  const it = new FakeDiscovery();
  class Own {
    id = "own";
    priority = 3;
    #secret = ["demo", "other"];
    async load(context: unknown) {
      return { items: this.#secret.map((name) => ({ name })), warnings: ["seen"], context };
    }
    get described() {
      return `${this.id} ${this.priority}`;
    }
  }
  it.lists.set("mcps", { providers: [new Own(), provider("second", 2)] });
  const list = it.getCapability("mcps")!.providers;
  const servers = new Servers(it);
  for (let time = 0; time < 3; time++) servers.hold(new Set(["demo"]));
  assert.equal(it.getCapability("mcps")!.providers, list);
  assert.deepEqual(list.map(({ id, priority }) => [id, priority]), [["own", 3], ["second", 2]]);
  assert.equal((list[0] as Own).described, "own 3");
  assert.deepEqual(await list[0]!.load("here"), { items: [{ name: "other" }], warnings: ["seen"], context: "here" });
});

test("a provider that registers later is filtered from the next hold on; one that finds nothing, or fails, still does", async () => {
  const it = discovery();
  const servers = new Servers(it);
  servers.hold(new Set(["demo"]));
  const { providers } = it.getCapability("mcps")!;
  const broken = { id: "broken", priority: 0, load: async () => Promise.reject(new Error("no such file")) };
  providers.push(provider("late", 1, "demo", "fourth"), { id: "none", priority: 0, load: async () => undefined });
  servers.hold(new Set(["demo"]));
  assert.deepEqual(await found(it), ["other", undefined, "third", "fourth"]);
  providers.push(broken);
  servers.hold(new Set(["demo"]));
  await assert.rejects(providers.at(-1)!.load({}), /no such file/);
});

test("an omp without a list of servers is no trouble", () => {
  assert.doesNotThrow(() => new Servers(new FakeDiscovery()).hold(new Set(["demo"])));
});
