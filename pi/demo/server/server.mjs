#!/usr/bin/env node
// The demo MCP server that the gate `mcp` holds: one tool, over standard input and output. It reads and writes nothing else.
import { createInterface } from "node:readline";

const tool = {
  name: "count_words",
  description: "Counts the words of a text.",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

const answers = {
  initialize: (params) => ({
    protocolVersion: params?.protocolVersion ?? "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "garnish-demo", version: "0.1.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": (params) => {
    const words = String(params?.arguments?.text ?? "").split(/\s+/).filter(Boolean).length;
    return { content: [{ type: "text", text: `${words} words` }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  let request;
  try {
    request = JSON.parse(line);
  } catch {
    return;
  }
  // Notifications have no id, and get no answer.
  if (request?.id === undefined) return;
  const answer = Object.hasOwn(answers, request.method) ? answers[request.method] : undefined;
  const said = answer ? { result: answer(request.params) } : { error: { code: -32601, message: `no method ${request.method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, ...said })}\n`);
});
