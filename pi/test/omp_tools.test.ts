// The tools that one session of omp offers: held and given back so that with nothing held the session is what it was.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Presentation } from "../src/omp/tools.ts";
import { FakeSession } from "./fakes/omp.ts";

const NAMES = ["read", "bash", "edit", "eval", "glob", "task", "todo", "write"];
const DEVICES = ["debug", "lsp"];

function begun(): { session: FakeSession; it: Presentation } {
  const session = new FakeSession([...NAMES, ...DEVICES], DEVICES);
  const it = new Presentation(session);
  it.stock();
  return { session, it };
}

const names = (it: Presentation): string[] => it.stock().map(({ name }) => name);

test("whatever was held before, showing everything is the stock, in order and partition", async () => {
  const { session, it } = begun();
  const stock = { names: session.getEnabledToolNames(), devices: session.getMountedXdevToolNames() };
  // Each subset of the tools that garnish holds, in an order that jumps.
  for (let step = 0; step < 256; step++) {
    const hidden = (step * 73) % 256;
    const shown = names(it).filter((name) => !NAMES.includes(name) || !(hidden & (1 << NAMES.indexOf(name))));
    await it.show(shown.toReversed());
    assert.deepEqual(new Set(session.getEnabledToolNames()), new Set(shown));
    assert.deepEqual(names(it), stock.names, "the stock is what omp would show without garnish");
    if (step % 5 === 0) {
      await it.show(names(it));
      assert.deepEqual({ names: session.getEnabledToolNames(), devices: session.getMountedXdevToolNames() }, stock);
    }
  }
});

test("omp is not asked for what is so already", async () => {
  const { session, it } = begun();
  await it.show(names(it));
  assert.deepEqual(session.presentations, []);
  for (let time = 0; time < 3; time++) await it.show(["read", "todo"]);
  assert.equal(session.presentations.length, 1);
  for (let time = 0; time < 3; time++) await it.show(names(it));
  assert.equal(session.presentations.length, 2);
});

test("tools that nobody has, or that omp does not offer, are not added", async () => {
  const { session, it } = begun();
  session.registry.set("github", undefined);
  await it.show([...names(it), "github", "nonsense"]);
  assert.deepEqual(session.presentations, []);
});

// --- a mode of omp's own

test("a mode of omp that offers fewer tools is not undone, and ends as omp ends it", async () => {
  const { session, it } = begun();
  await it.show(names(it).filter((name) => name !== "bash"));
  const before = session.getEnabledToolNames();
  // omp's plan mode, say: it takes tools away that garnish has not touched, and all devices.
  session.enabled = ["read", "glob"];
  session.mounted = [];
  assert.deepEqual(names(it), ["read", "bash", "glob"], "and what garnish alone has hidden");
  await it.show(["read", "glob"]);
  assert.deepEqual(session.getEnabledToolNames(), ["read", "glob"]);
  // The mode is over: omp brings back what it had before.
  session.enabled = before;
  session.mounted = [...DEVICES];
  await it.show(names(it));
  assert.deepEqual(session.getEnabledToolNames(), [...NAMES, ...DEVICES]);
  assert.deepEqual(session.getMountedXdevToolNames(), DEVICES);
});

test("what omp adds of its own accord is held the next time, like everything else", async () => {
  const { session, it } = begun();
  await it.show(["read"]);
  session.enabled = [...NAMES];
  await it.show(["read"]);
  assert.deepEqual(session.getEnabledToolNames(), ["read"]);
});

test("a tool that is no longer registered is no longer stock", async () => {
  const { session, it } = begun();
  await it.show(["read", "write"]);
  session.registry.delete("bash");
  assert.ok(!names(it).includes("bash"));
  await it.show(names(it));
  assert.ok(!session.getEnabledToolNames().includes("bash"));
});

// --- tools of MCP servers

test("tools of a server that connects late are stock with their server, sorted as omp sorts them", async () => {
  const { session, it } = begun();
  await it.show(["read", "write", ...DEVICES]);
  session.connects("web", ["mcp__web_fetch"]);
  assert.deepEqual(it.stock().at(-1), { name: "mcp__web_fetch", server: "web" });
  session.connects("art", ["mcp__art_draw"]);
  assert.deepEqual(names(it), [...NAMES, ...DEVICES, "mcp__art_draw", "mcp__web_fetch"]);
  await it.show([...NAMES, ...DEVICES, "mcp__web_fetch"]);
  assert.deepEqual(session.getEnabledToolNames(), [...NAMES, ...DEVICES, "mcp__web_fetch"]);
  await it.show(names(it));
  assert.deepEqual(session.getEnabledToolNames(), [...NAMES, ...DEVICES, "mcp__art_draw", "mcp__web_fetch"]);
});

test("a server's tool is known by its server, and one that nobody knows by its name alone", () => {
  const { session, it } = begun();
  session.connects("my server", ["mcp__my_server_echo"]);
  assert.deepEqual(it.tool("mcp__my_server_echo"), { name: "mcp__my_server_echo", server: "my server" });
  assert.deepEqual(it.tool("bash"), { name: "bash" });
  assert.deepEqual(it.tool("nonsense"), { name: "nonsense" });
});

// --- devices

test("hidden devices are offered as nothing at all, and come back as devices", async () => {
  const { session, it } = begun();
  it.hideDevices(true);
  await it.show(names(it));
  assert.deepEqual([session.getEnabledToolNames(), session.getMountedXdevToolNames()], [NAMES, []]);
  assert.deepEqual(names(it), [...NAMES, ...DEVICES]);
  await it.show(names(it));
  assert.equal(session.presentations.length, 1);
  it.hideDevices(false);
  await it.show(names(it));
  assert.deepEqual([session.getEnabledToolNames(), session.getMountedXdevToolNames()], [[...NAMES, ...DEVICES], DEVICES]);
});

test("one held device is unmounted, the others stay", async () => {
  const { session, it } = begun();
  await it.show(names(it).filter((name) => name !== "debug"));
  assert.deepEqual(session.getMountedXdevToolNames(), ["lsp"]);
  assert.deepEqual(session.getEnabledToolNames(), [...NAMES, "lsp"]);
});

test("a tool that becomes a device later comes back as one", async () => {
  const { session, it } = begun();
  session.mounted = [...DEVICES, "todo"];
  it.stock();
  await it.show(["read", "write"]);
  await it.show([...NAMES, ...DEVICES]);
  assert.deepEqual(session.getMountedXdevToolNames().sort(), [...DEVICES, "todo"].sort());
});

test("omp is asked for a new prompt when devices alone change", async () => {
  const { session, it } = begun();
  await it.show(names(it).filter((name) => name !== "lsp"));
  await it.show(names(it).filter((name) => name !== "lsp" && name !== "bash"));
  await it.show(names(it));
  it.hideDevices(true);
  await it.show(names(it));
  it.hideDevices(false);
  await it.show(names(it));
  assert.deepEqual(session.presentations.map(({ refresh }) => refresh), [true, false, false, true, true]);
});
