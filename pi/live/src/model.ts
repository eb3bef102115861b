// A model on loopback that says what a test told it to say, and keeps every request that it got.
//
// It speaks OpenAI chat completions, streamed: what both harnesses use for a provider of the kind
// "openai-completions". It also stands in as the HTTP proxy of the harnesses, so that whatever else they try to reach
// is refused and listed in `outbound`. It never judges a request: assertions are the tests' own.
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Message {
  role: string;
  content: unknown;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** One tool as it was offered, with its schema. */
export interface OfferedTool {
  name: string;
  description?: string;
  parameters?: unknown;
}

export interface ModelRequest {
  /** 1 for the first that this model got. */
  n: number;
  /** Who asks: a subagent is told by the tool `yield`, which only it is offered. */
  agent: "main" | "sub";
  tools: string[];
  offered: OfferedTool[];
  /** The text of all system and developer messages. */
  system: string;
  /** Without system and developer messages. */
  messages: Message[];
  /** All of the body as text: what to search for a marker in. */
  text: string;
  body: Record<string, unknown>;
}

export interface Call {
  name: string;
  args: Record<string, unknown>;
}

/** What the model answers: text, or tool calls, or both. */
export interface Reply {
  text?: string;
  calls?: Call[];
}

/**
 * Decides the reply to one request. The harness waits for as long as it takes, so this is also the place for what
 * should happen between two requests of one loop.
 */
export type Script = (request: ModelRequest) => Reply | undefined | Promise<Reply | undefined>;

export const say = (text: string): Reply => ({ text });
export const call = (name: string, args: Record<string, unknown> = {}): Reply => ({ calls: [{ name, args }] });

/** One step for each request of the main agent, in order; a step may be a function. After the last: "done". */
export function steps(...list: (Reply | Script)[]): Script {
  let at = 0;
  return (request) => {
    if (request.agent === "sub") return undefined;
    const step = list[at];
    at += 1;
    return typeof step === "function" ? step(request) : step;
  };
}

/** Something took longer than it may, which on a busy machine is nobody's fault. */
export class Late extends Error {
  override name = "Late";
}

export class Model {
  readonly requests: ModelRequest[] = [];
  /** What the harness tried to reach besides this model. */
  readonly outbound: string[] = [];
  /** Errors of scripts and answers that could not be given: `close` throws the first. */
  readonly faults: Error[] = [];
  private script: Script = () => undefined;
  private arrivals: (() => void)[] = [];
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.on("connect", (request, socket) => {
      this.outbound.push(`CONNECT ${request.url}`);
      socket.on("error", () => undefined);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
  }

  static async start(): Promise<Model> {
    const model = new Model();
    await new Promise<void>((ready, failed) => {
      model.server.once("error", failed);
      model.server.listen(0, "127.0.0.1", ready);
    });
    return model;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on requests are answered by this; without one with "done". */
  use(script: Script): void {
    this.script = script;
  }

  /** The requests of the main agent. */
  get main(): ModelRequest[] {
    return this.requests.filter((request) => request.agent === "main");
  }

  /** The requests of subagents. */
  get sub(): ModelRequest[] {
    return this.requests.filter((request) => request.agent === "sub");
  }

  get last(): ModelRequest {
    const request = this.main.at(-1);
    if (!request) throw new Error("The model got no request.");
    return request;
  }

  /** Forgets the requests so far. */
  forget(): void {
    this.requests.length = 0;
  }

  /** Request `n` (from 1) of that agent; waits for it. */
  async request(n: number, agent: ModelRequest["agent"] = "main", timeout = 30_000): Promise<ModelRequest> {
    const end = Date.now() + timeout;
    for (;;) {
      const found = this[agent][n - 1];
      if (found) return found;
      const left = end - Date.now();
      if (left <= 0) throw new Late(`The model got ${this[agent].length} requests of the ${agent} agent in ${timeout} ms, not ${n}.`);
      await new Promise<void>((arrived) => {
        const timer = setTimeout(arrived, left);
        this.arrivals.push(() => {
          clearTimeout(timer);
          arrived();
        });
      });
    }
  }

  /** Throws the first fault, so that a wrong script fails its test. */
  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
    if (this.faults[0]) throw this.faults[0];
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = request.url ?? "";
    if (request.method === "GET" && url === "/v1/models") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: MODEL_ID, object: "model" }] }));
      return;
    }
    if (request.method !== "POST" || url !== "/v1/chat/completions") {
      this.outbound.push(`${request.method} ${url}`);
      response.writeHead(403).end();
      return;
    }
    try {
      const got = parse(Buffer.concat(chunks).toString("utf8"), this.requests.length + 1);
      this.requests.push(got);
      for (const arrived of this.arrivals.splice(0)) arrived();
      stream(response, got, (await this.script(got)) ?? say("done"));
    } catch (error) {
      this.faults.push(error as Error);
      // An answer, so that the harness ends its loop at once.
      if (!response.headersSent) response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `the test's script failed: ${error}` } }));
    }
  }
}

export const MODEL_ID = "fake-1";

function parse(text: string, n: number): ModelRequest {
  const body = JSON.parse(text) as { tools?: { function: OfferedTool }[]; messages: Message[] };
  const offered = (body.tools ?? []).map((tool) => tool.function);
  const tools = offered.map((tool) => tool.name);
  const isSystem = (message: Message) => message.role === "system" || message.role === "developer";
  return {
    n,
    agent: tools.includes("yield") ? "sub" : "main",
    tools,
    offered,
    system: body.messages.filter(isSystem).map((message) => textOf(message)).join("\n"),
    messages: body.messages.filter((message) => !isSystem(message)),
    text,
    body: body as unknown as Record<string, unknown>,
  };
}

export function textOf(message: Message | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}

/** The results of the tool calls that the model's last reply asked for, in the order of the request. */
export function results(request: ModelRequest): string[] {
  const last = request.messages.findLastIndex((message) => message.role === "assistant");
  return request.messages.slice(last + 1).filter((message) => message.role === "tool").map((message) => textOf(message));
}

/** The result of the one call that the last reply asked for. */
export function result(request: ModelRequest): string {
  const [only, ...more] = results(request);
  if (only === undefined || more.length > 0) throw new Error(`Request ${request.n} has ${more.length + (only === undefined ? 0 : 1)} tool results, not one.`);
  return only;
}

function stream(response: ServerResponse, request: ModelRequest, reply: Reply): void {
  const base = { id: `chatcmpl-${request.n}`, object: "chat.completion.chunk", created: 1, model: MODEL_ID };
  const send = (part: object) => response.write(`data: ${JSON.stringify({ ...base, ...part })}\n\n`);
  const choice = (delta: object, finish_reason: string | null = null) => send({ choices: [{ index: 0, delta, finish_reason }] });
  const calls = reply.calls ?? [];
  response.writeHead(200, { "content-type": "text/event-stream" });
  choice({ role: "assistant", content: reply.text ?? null });
  calls.forEach(({ name, args }, index) =>
    choice({ tool_calls: [{ index, id: `call_${request.n}_${index}`, type: "function", function: { name, arguments: JSON.stringify(args) } }] }),
  );
  send({
    choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
  response.end("data: [DONE]\n\n");
}
