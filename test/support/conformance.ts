// What the conformance suite of the protocol calls: tools, resources and prompts by the names that its scenarios know. The service
// has none of them; a test hangs them into its server from outside.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { acceptedContent, inputRequired, inputResponse, ProtocolError, type Server } from "@modelcontextprotocol/server";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQAAAAA=";

type Ctx = any;
type Act = (ctx: Ctx, args: any) => unknown;

const text = (said: string) => ({ type: "text" as const, text: said });
const image = { type: "image" as const, data: png, mimeType: "image/png" };
const says = (said: string) => ({ content: [text(said)] });
const embedded = (uri: string, mimeType: string, said: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: said },
});
const object = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: "object" as const,
  properties,
  required,
});

// --- questions to the client ---

const asks = (message: string, field: string, type = "string") =>
  inputRequired.elicit({ message, requestedSchema: object({ [field]: { type } }) as any });
const samples = (said: string) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(said) }], maxTokens: 100 });
const answered = (ctx: Ctx, key: string): any => acceptedContent(ctx.mcpReq.inputResponses, key);
const isAnswered = (ctx: Ctx, key: string, kind: string): boolean => inputResponse(ctx.mcpReq.inputResponses, key).kind === kind;

const secret = randomBytes(32);
const mac = (value: string) => createHmac("sha256", secret).update(value).digest("base64url");
const sealed = (value: string) => `${value}.${mac(value)}`;

/** The state that came back, or null in a first round. Throws where somebody changed it. */
function stateOf(ctx: Ctx): string | null {
  const given = ctx.mcpReq.requestState?.();
  if (typeof given !== "string") return null;
  const at = given.lastIndexOf(".");
  const [value, tag] = [given.slice(0, at), Buffer.from(given.slice(at + 1))];
  const own = Buffer.from(mac(value));
  if (tag.length !== own.length || !timingSafeEqual(tag, own)) throw new ProtocolError(-32602, "Invalid requestState");
  return value;
}

const note = (ctx: Ctx, data: string) => ctx.mcpReq.notify({ method: "notifications/message", params: { level: "info", data } });

// --- tools ---

const actions: Record<string, Act> = {
  test_simple_text: () => says("This is a simple text response for testing."),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({
    content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  }),
  test_multiple_content_types: () => ({
    content: [
      text("Multiple content types test:"),
      image,
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  }),
  async test_tool_with_logging(ctx) {
    await note(ctx, "Tool execution started");
    await sleep(50);
    await note(ctx, "Tool processing data");
    await sleep(50);
    await note(ctx, "Tool execution completed");
    return says("Logged.");
  },
  test_error_handling: () => ({ ...says("This tool intentionally returns an error for testing"), isError: true }),
  async test_tool_with_progress(ctx) {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
      await sleep(20);
    }
    return says("Done.");
  },
  test_logging_tool: async (ctx) => {
    // Without a level in the request nothing is logged.
    if (ctx.mcpReq.envelope?.["io.modelcontextprotocol/logLevel"] !== undefined) await note(ctx, "Working");
    return says("Logged nothing.");
  },
  test_missing_capability: (ctx) =>
    isAnswered(ctx, "sample", "sampling") ? says("Sampled.") : inputRequired({ inputRequests: { sample: samples("Ping.") } }),
  test_streaming_elicitation: (ctx) =>
    answered(ctx, "answer") ? says("Answered.") : inputRequired({ inputRequests: { answer: asks("Answer?", "answer") } }),
  test_trigger_tool_change: () => says("Nothing to tell."),
  test_trigger_prompt_change: () => says("Nothing to tell."),
  test_input_required_result_elicitation(ctx) {
    const name = answered(ctx, "user_name")?.name;
    return typeof name === "string"
      ? says(`Hello, ${name}!`)
      : inputRequired({ inputRequests: { user_name: asks("What is your name?", "name") } });
  },
  test_input_required_result_sampling(ctx) {
    const answer: any = inputResponse(ctx.mcpReq.inputResponses, "capital_question");
    return answer.kind === "sampling"
      ? says(`Sampled: ${JSON.stringify(answer.result.content)}`)
      : inputRequired({ inputRequests: { capital_question: samples("What is the capital of France?") } });
  },
  test_input_required_result_list_roots(ctx) {
    const answer: any = inputResponse(ctx.mcpReq.inputResponses, "client_roots");
    return answer.kind === "roots"
      ? says(`Roots: ${JSON.stringify(answer.roots)}`)
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  test_input_required_result_request_state: (ctx) => confirmed(ctx, "state-ok"),
  test_input_required_result_tampered_state: (ctx) => confirmed(ctx, "integrity-ok"),
  test_input_required_result_multiple_inputs: (ctx) =>
    stateOf(ctx) !== null && answered(ctx, "user_name") !== undefined
      ? says("All inputs are here.")
      : inputRequired({
          inputRequests: {
            user_name: asks("What is your name?", "name"),
            greeting: samples("Generate a greeting"),
            client_roots: inputRequired.listRoots(),
          },
          requestState: sealed("multiple"),
        }),
  test_input_required_result_multi_round(ctx) {
    const state = stateOf(ctx);
    const round = (key: string, message: string, field: string, next: string) =>
      inputRequired({ inputRequests: { [key]: asks(message, field) }, requestState: sealed(next) });
    if (state === null) return round("step1", "Step 1: What is your name?", "name", "round-1");
    if (state === "round-1") return round("step2", "Step 2: What is your favorite color?", "color", "round-2");
    return says("All rounds are done.");
  },
  test_input_required_result_capabilities(ctx) {
    const able = ctx.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
    const inputRequests = {
      ...(able.sampling && { sampled: samples("Say hello.") }),
      ...(able.elicitation && { elicited: asks("Your name?", "name") }),
    };
    return inputRequired({ inputRequests });
  },
};

const confirmed = (ctx: Ctx, said: string) =>
  stateOf(ctx) !== null && answered(ctx, "confirm") !== undefined
    ? says(said)
    : inputRequired({ inputRequests: { confirm: asks("Please confirm", "ok", "boolean") }, requestState: sealed("confirm") });

// --- resources and prompts ---

const resources = [
  { uri: "test://static-text", name: "Text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "Picture", description: "A picture.", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "Watched", description: "May change.", mimeType: "text/plain" },
];

function contentOf(uri: string): object {
  if (uri === "test://static-text")
    return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: png };
  if (uri === "test://watched-resource") return { uri, mimeType: "text/plain", text: "Watched." };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ProtocolError(-32602, "Resource not found", { uri });
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: "application/json", text: JSON.stringify(data) };
}

const user = (content: object) => ({ role: "user", content });
const argument = (name: string) => ({ name, description: `The ${name}.`, required: true });

const prompts: Record<string, { arguments?: object[]; messages: Act }> = {
  test_simple_prompt: { messages: () => [user(text("This is a simple prompt for testing."))] },
  test_prompt_with_arguments: {
    arguments: [argument("arg1"), argument("arg2")],
    messages: (_, { arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    arguments: [argument("resourceUri")],
    messages: (_, { resourceUri }) => [
      user(embedded(resourceUri, "text/plain", "Embedded resource content for testing.")),
      user(text("Please process the embedded resource above.")),
    ],
  },
  test_prompt_with_image: { messages: () => [user(image), user(text("Please analyze the image above."))] },
  test_input_required_result_prompt: {
    messages: (ctx) =>
      answered(ctx, "user_context") === undefined
        ? inputRequired({ inputRequests: { user_context: asks("What context should the prompt use?", "context") } })
        : [user(text(`Prompt with context: ${answered(ctx, "user_context").context}`))],
  },
};

/** Hangs all of it into the server of a request. */
export function addFixtures(server: Server): void {
  server.registerCapabilities({ resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} });
  const handle = (method: string, act: (params: any, ctx: Ctx) => unknown) =>
    server.setRequestHandler(method as any, async (request: any, ctx: Ctx) => act(request.params, ctx) as any);

  handle("tools/list", () => ({
    tools: Object.keys(actions).map((name) => ({
      name,
      description: `Is ${name}.`,
      inputSchema: { type: "object" },
    })),
  }));
  handle("tools/call", ({ name, arguments: args = {} }, ctx) => {
    const act = actions[name];
    if (act === undefined) throw new ProtocolError(-32602, `Unknown tool: ${name}`);
    return act(ctx, args);
  });
  handle("resources/list", () => ({ resources }));
  handle("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "Template", description: "By its id." }],
  }));
  handle("resources/read", ({ uri }) => ({ contents: [contentOf(uri)] }));
  handle("resources/subscribe", () => ({}));
  handle("resources/unsubscribe", () => ({}));
  handle("logging/setLevel", () => ({}));
  handle("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }));
  handle("prompts/list", () => ({
    prompts: Object.entries(prompts).map(([name, one]) => ({ name, description: `Is ${name}.`, arguments: one.arguments })),
  }));
  handle("prompts/get", async ({ name, arguments: args = {} }, ctx) => {
    const found = prompts[name];
    if (found === undefined) throw new ProtocolError(-32602, `Unknown prompt: ${name}`);
    const messages = await found.messages(ctx, args);
    return Array.isArray(messages) ? { messages } : messages;
  });
}
