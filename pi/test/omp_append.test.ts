// APPEND_SYSTEM.md is cut out of omp's system prompt where omp has put it, and nothing else is.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { appendedText, withoutAppended } from "../src/omp/append.ts";
import { OmpProcess } from "../src/omp/harness.ts";
import { FakeApi, FakeSession, held, omp } from "./fakes/omp.ts";
import { on } from "./scratch.ts";

// As omp 18.2.3 has it: USER_APPEND_HEADING in src/system-prompt.ts.
const HEADING =
  "## User Instructions\n\nThe following instructions are user-authored (session configuration or CLI). They are authoritative and supersede conflicting guidance above.";
const MCP = "## MCP Server Instructions\n\nThe following instructions are provided by connected MCP servers.\n\n### demo\nBe nice.";

const AGENT = "Always answer in verse.\n\nEvery time.";

test("the text is cut from the end of the block that omp puts it in", () => {
  assert.deepEqual(withoutAppended(["You are an agent.", `# Project\n\nToday.\n\n${AGENT}`], AGENT), ["You are an agent.", "# Project\n\nToday."]);
  assert.deepEqual(withoutAppended([`# Project\n${AGENT}\n\n`], AGENT), ["# Project"]);
});

test("omp's heading before it goes too, and what servers say stays", () => {
  assert.deepEqual(withoutAppended([`# Project\n\n${MCP}\n\n${HEADING}\n\n${AGENT}`], AGENT), [`# Project\n\n${MCP}`]);
});

test("a prompt without it is the same, to the byte", () => {
  for (const block of ["", "# Project\n\n", `# Project\n\n${HEADING}\n\nOf the command line.`, `You said: ${AGENT}`]) {
    assert.deepEqual(withoutAppended([block], AGENT), [block]);
  }
});

test("what omp itself says in the same words stays", () => {
  const own = `Rules:\n${AGENT}\n<critical>\nVerify.\n</critical>`;
  assert.deepEqual(withoutAppended([own], AGENT), [own]);
  assert.deepEqual(withoutAppended([own, `${own}\n\n${AGENT}`], AGENT), [own, own]);
});

// What omp 18.2.3 makes of a text when it renders its prompt: `format` in pi-utils/src/prompt.ts, printed by it.
for (const [what, text, rendered] of [
  ["lines that end in spaces", "Answer in verse.  \nEvery time.", "Answer in verse.\nEvery time."],
  ["lines that end in CR LF", "Answer in verse.\r\nEvery time.", "Answer in verse.\nEvery time."],
  ["two empty lines", "Answer in verse.\n\n\nEvery time.", "Answer in verse.\nEvery time."],
  ["an indented first line", "    verse\nEvery time.", "    verse\nEvery time."],
  ["an empty line before a closing tag", "<style>\n\nverse\n\n</style>", "<style>\n\nverse\n</style>"],
  ["a table", "| form | when |\n|------|------|\n| verse | every time |", "|form|when|\n|---|---|\n|verse|every time|"],
] as const) {
  test(`a text with ${what} is found as omp renders it`, on((scratch) => {
    scratch.put(".omp/APPEND_SYSTEM.md", text);
    const taken = appendedText(scratch.agent, []) ?? "";
    assert.deepEqual(withoutAppended([`# Project\n\nToday.\n\n${rendered}`], taken), ["# Project\n\nToday."]);
  }));
}

test("with a SYSTEM.md omp puts more behind the text, and it is cut all the same", () => {
  // custom-system-prompt.md of omp 18.2.3.
  const project = "<project>\n## Version Control\nbranch main\n</project>";
  assert.deepEqual(withoutAppended([`You are a poet.\n${AGENT}\n${project}`], AGENT), [`You are a poet.\n${project}`]);
});

test("the text is that of the first file there is, the project's before the learner's; a flag gives another", on((scratch) => {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(scratch.outside(path)), { recursive: true });
    writeFileSync(scratch.outside(path), text);
  };
  const project = scratch.outside("project");
  put("project/.gemini/APPEND_SYSTEM.md", "of gemini");
  assert.equal(appendedText(project, []), "of gemini");
  put("project/.omp/APPEND_SYSTEM.md", `\n${AGENT}\n\n`);
  assert.equal(appendedText(project, []), AGENT);
  assert.equal(appendedText(project, ["omp", "--append-system-prompt", "x"]), undefined);
  put("project/.omp/APPEND_SYSTEM.md", " \n");
  assert.equal(appendedText(project, []), undefined);
}));

test("it is cut before each request while it is held, and left alone once it is not", on(async (scratch) => {
  scratch.put(".omp/APPEND_SYSTEM.md", AGENT);
  const session = new FakeSession(["read"]);
  const api = new FakeApi();
  const { harness } = await omp(api, { sessions: [{ kind: "main", session }] }, new OmpProcess(scratch.agent));
  harness.entered(api.context(session.sessionManager));
  // Edited since omp has read it: what is in the prompt is the old text.
  scratch.put(".omp/APPEND_SYSTEM.md", "another");
  const prompt = ["You are an agent.", `# Project\n\n${AGENT}`];
  const asked = async (): Promise<string[]> => {
    session.agent.state.systemPrompt = prompt;
    await session.hooks[0]!();
    return session.agent.state.systemPrompt;
  };
  await harness.hold(held("session:append-system"));
  assert.deepEqual(await asked(), ["You are an agent.", "# Project"]);
  assert.deepEqual(await asked(), ["You are an agent.", "# Project"]);
  await harness.hold(held());
  assert.equal(await asked(), prompt);
}));
