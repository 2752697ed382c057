// A server that speaks as the providers of models do: OpenAI's chat completions, Anthropic's messages, Google's generateContent.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import type { Workspace } from "./given.ts";

export type Provider = "openai" | "anthropic" | "google";

export interface AskedModel {
  provider: Provider;
  model: string;
  key: string | undefined;
  idempotencyKey: string | undefined;
  system: string;
  user: string;
}

export type Answered =
  | { text: string }
  | { status: number; body?: object; retryAfter?: string }
  /** The call of a tool, which an obedient model would answer. */
  | { tool: string }
  /** Answers by hand. */
  | { by(response: ServerResponse): void };

export interface ModelServer {
  url: string;
  asked: AskedModel[];
  /** An object is the text of the answer, as JSON. */
  answers(asked: AskedModel): Answered;
}

const open = new Set<Server>();
after(() =>
  open.forEach((server) => {
    server.close();
    server.closeAllConnections();
  }),
);

export const modelKey = "sk-0123456789abcdef";

/** It is closed with the tests. */
export async function startModel(answers: ModelServer["answers"]): Promise<ModelServer> {
  const server = createServer(async (request, response) => {
    const one = readAsked(request, JSON.parse(await text(request)));
    made.asked.push(one);
    const answered = one.key === modelKey ? made.answers(one) : { status: 401 };
    if ("by" in answered) return answered.by(response);
    const headers = { "content-type": "application/json" };
    if (!("status" in answered)) return response.writeHead(200, headers).end(JSON.stringify(bodyOf(one.provider, answered)));
    const {
      status,
      body = { error: { message: "No" } },
      retryAfter,
    } = answered as { status: number; body?: object; retryAfter?: string };
    response.writeHead(status, { ...headers, ...(retryAfter && { "retry-after": retryAfter }) }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.add(server);
  const made: ModelServer = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: [], answers };
  return made;
}

/** The answer's text is this object as JSON. */
export const json = (value: object): Answered => ({ text: JSON.stringify(value) });

function readAsked({ url = "", headers }: IncomingMessage, body: any): AskedModel {
  const said = { idempotencyKey: headers["idempotency-key"] as string | undefined };
  if (url === "/v1/chat/completions") {
    const [system, user] = body.messages.map(({ content }: any) => content);
    const key = headers.authorization?.replace(/^Bearer /, "");
    return { ...said, provider: "openai", model: body.model, key, system, user };
  }
  if (url === "/v1/messages") {
    if (headers["anthropic-version"] === undefined || !(body.max_tokens > 0))
      return { ...said, ...nothing, provider: "anthropic" };
    const key = headers["x-api-key"] as string;
    return { ...said, provider: "anthropic", model: body.model, key, system: body.system, user: body.messages[0].content };
  }
  const [, model] = /^\/v1beta\/models\/([^:]+):generateContent$/.exec(url) ?? [];
  if (model === undefined) return { ...said, ...nothing, provider: "google" };
  const key = headers["x-goog-api-key"] as string;
  const [system, user] = [body.systemInstruction.parts[0].text, body.contents[0].parts[0].text];
  return { ...said, provider: "google", model, key, system, user };
}

const nothing = { model: "", key: undefined, system: "", user: "" };

/** Each says that it cost 70 tokens for the prompt and 30 for the answer. */
function bodyOf(provider: Provider, answered: { text: string } | { tool: string }): object {
  const said = "text" in answered ? answered.text : null;
  const call = "tool" in answered ? answered.tool : "";
  if (provider === "openai") {
    const tool_calls = [{ id: "call_1", type: "function", function: { name: call, arguments: "{}" } }];
    const message = { role: "assistant", content: said, ...(said === null && { tool_calls }) };
    const finish_reason = said === null ? "tool_calls" : "stop";
    return {
      choices: [{ index: 0, message, finish_reason }],
      usage: { prompt_tokens: 70, completion_tokens: 30, total_tokens: 100 },
    };
  }
  if (provider === "anthropic") {
    const part = said === null ? { type: "tool_use", id: "toolu_1", name: call, input: {} } : { type: "text", text: said };
    const stop_reason = said === null ? "tool_use" : "end_turn";
    return { type: "message", role: "assistant", content: [part], stop_reason, usage: { input_tokens: 70, output_tokens: 30 } };
  }
  const part = said === null ? { functionCall: { name: call, args: {} } } : { text: said };
  const usageMetadata = { promptTokenCount: 70, candidatesTokenCount: 30, totalTokenCount: 100 };
  return { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }], usageMetadata };
}

const services = { openai: "openai", anthropic: "anthropic", google: "gemini" } as const;

/** Stores credentials for the server. */
export const connectModel = (acme: Workspace, { url }: ModelServer, provider: Provider = "anthropic"): Promise<any> =>
  acme.put(`/credentials/${services[provider]}/`, {
    api_key: modelKey,
    model: "tiny-1",
    base_url: provider === "openai" ? `${url}/v1` : url,
  });

/** How many tokens were counted for an organization. */
export async function tokensOf({ id, service }: Workspace): Promise<number> {
  const [row] = await service.app.db.unscoped({
    text: "select coalesce(sum(tokens), 0)::int from ai_day where organization_id = $1",
    values: [id],
  });
  return Number(row![0]);
}
