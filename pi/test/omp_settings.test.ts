// omp's settings layer as garnish fills it: just what the component says, and taken away again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SettingsLayer } from "../src/omp/settings.ts";
import { FakeSettings } from "./fakes/omp.ts";

const setting = (key: string, value: unknown) => ({ key, json: JSON.stringify(value) });

test("settings are set, changed and cleared, each once", () => {
  const settings = new FakeSettings();
  const layer = new SettingsLayer(settings);
  assert.deepEqual(layer.put([setting("bash.enabled", true), setting("disabledProviders", ["claude"])]).changed, new Set(["bash.enabled", "disabledProviders"]));
  assert.deepEqual(settings.layer, new Map<string, unknown>([["bash.enabled", true], ["disabledProviders", ["claude"]]]));
  assert.deepEqual(layer.put([setting("disabledProviders", ["claude"]), setting("bash.enabled", true)]).changed, new Set());
  assert.deepEqual(layer.put([setting("bash.enabled", false), setting("task.maxRecursionDepth", 0)]).changed, new Set(["disabledProviders", "bash.enabled", "task.maxRecursionDepth"]));
  assert.deepEqual(settings.layer, new Map<string, unknown>([["bash.enabled", false], ["task.maxRecursionDepth", 0]]));
  assert.deepEqual(layer.put([]).changed, new Set(["bash.enabled", "task.maxRecursionDepth"]));
  assert.deepEqual(settings.layer, new Map());
  assert.equal(settings.calls.length, 7);
  assert.deepEqual(layer.put([]).changed, new Set());
});

test("what somebody else has set in the layer stays", () => {
  const settings = new FakeSettings();
  settings.layer.set("theme", "dark");
  const layer = new SettingsLayer(settings);
  layer.put([setting("bash.enabled", true)]);
  layer.put([]);
  assert.deepEqual(settings.layer, new Map([["theme", "dark"]]));
});

test("settings that omp refuses are named all at once, and all others are set", () => {
  const settings = new FakeSettings();
  settings.refuses.add("one").add("two");
  const layer = new SettingsLayer(settings);
  const wanted = [setting("one", 1), setting("bash.enabled", true), setting("two", 2), { key: "three", json: "not JSON" }, setting("skills.enabled", false)];
  assert.match(layer.put(wanted).refused.join(", "), /^one \(no such setting\), two \(no such setting\), three \(.+\)$/);
  assert.deepEqual(settings.layer, new Map([["bash.enabled", true], ["skills.enabled", false]]));
  // It is tried again, and what is there is not set twice.
  settings.refuses.delete("one");
  assert.match(layer.put(wanted).refused.join(", "), /^two \(no such setting\), three/);
  assert.equal(settings.layer.get("one"), 1);
  assert.equal(settings.calls.length, 3);
});

test("a setting that omp refused is not cleared, and one that is refused anew keeps its old value until then", () => {
  const settings = new FakeSettings();
  const layer = new SettingsLayer(settings);
  layer.put([setting("one", 1)]);
  settings.refuses.add("one");
  assert.match(layer.put([setting("one", 2)]).refused.join(), /one/);
  assert.equal(settings.layer.get("one"), 1);
  layer.put([]);
  assert.deepEqual(settings.layer, new Map());
});
