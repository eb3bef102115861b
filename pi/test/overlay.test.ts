// The overlay that omp is started with by `garnish launch`, and what a session writes down of the harness.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { takeInventory } from "../src/inventory.ts";
import { refreshOverlay } from "../src/omp/overlay.ts";
import { FakeHarness } from "./fakes/harness.ts";
import { on } from "./scratch.ts";

const CONFIG = "theme: dark\nbash: {enabled: false, timeout: 3}\nskills:\n  enabled: false\ngarnish:\n  held: [tool:bash]\n  leaves: [bash.enabled, skills.enabled, gone.key]\n";
const refreshed = (scratch: Parameters<Parameters<typeof on>[0]>[0]) => refreshOverlay(scratch.files, parse);

test("without an overlay none is made", on((scratch) => {
  scratch.put("config.yml", CONFIG);
  assert.equal(refreshed(scratch), false);
  assert.equal(scratch.files.read("garnish/overlay.yml"), undefined);
}));

test("the overlay says what the marker lists and no more, as garnish launch writes it", on((scratch) => {
  scratch.put("config.yml", CONFIG);
  scratch.put("garnish/overlay.yml", "{}\n");
  assert.equal(refreshed(scratch), true);
  assert.equal(scratch.text("garnish/overlay.yml"), '{\n  "bash": {\n    "enabled": false\n  },\n  "skills": {\n    "enabled": false\n  }\n}\n');
  assert.equal(refreshed(scratch), false, "it is so already");
  scratch.put("config.yml", CONFIG.replace("bash.enabled, ", ""));
  assert.equal(refreshed(scratch), true);
  assert.deepEqual(parse(scratch.text("garnish/overlay.yml")), { skills: { enabled: false } });
}));

test("a config that cannot be read leaves the overlay closed", on((scratch) => {
  scratch.put("garnish/overlay.yml", '{"bash": {"enabled": false}}\n');
  assert.equal(refreshed(scratch), false, "there is none");
  scratch.put("config.yml", "a: [");
  assert.equal(refreshed(scratch), false);
  assert.equal(scratch.text("garnish/overlay.yml"), '{"bash": {"enabled": false}}\n');
}));

test("what the harness has is written down when it has changed", on((scratch) => {
  const harness = new FakeHarness(scratch.agent);
  takeInventory(harness, "0.1.0", scratch.files);
  const first = JSON.parse(scratch.text("garnish/inventory.json")) as { tools: string[] };
  assert.deepEqual(first.tools, [...harness.allTools()].sort());
  const { version } = scratch.files.read("garnish/inventory.json")!;
  takeInventory(harness, "0.1.0", scratch.files);
  assert.equal(scratch.files.read("garnish/inventory.json")!.version, version);
}));
