#!/usr/bin/env node
// A server of the Model Context Protocol over stdio with the one tool `echo`, for the live tests.
//
//   mcp-server.mjs NAME [STARTS] [GATE]
//
// It appends a line with its name to the file STARTS when it starts. With GATE it answers nothing before that file is
// there: a server that connects late, at a moment of the test's choosing. It keeps no state and opens no connection.
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [name = "demo", starts, gate] = process.argv.slice(2);
if (starts) appendFileSync(starts, `${name}\n`);

const tools = [
  {
    name: "echo",
    description: `Says it again (MCP-MARK-${name}).`,
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
];
const answers = {
  initialize: (params) => ({
    protocolVersion: params?.protocolVersion ?? "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name, version: "1.0.0" },
    instructions: `Instructions of ${name}.`,
  }),
  "tools/list": () => ({ tools }),
  "tools/call": (params) => ({ content: [{ type: "text", text: `MCP-ECHO-${name} ${params?.arguments?.text}` }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  while (gate && !existsSync(gate)) await sleep(20);
  const result = answers[method]?.(params) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
