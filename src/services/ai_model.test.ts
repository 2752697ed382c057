// A model's answer is bounded in time and size, and read as a text or not at all.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Answered, type ModelServer, modelKey, type Provider, startModel } from "../../test/support/model.ts";
import { aiFormats } from "./ai_formats.ts";
import { askModel, type Modeled } from "./ai_model.ts";
import { publicAddresses } from "./public_address.ts";

let server: ModelServer;
before(async () => {
  server = await startModel(() => ({ text: "Hello" }));
});

const here = publicAddresses(["127.0.0.0/8"]);
const prompt = { system: "Write.", user: "Something.", tokens: 50 };

const ask = (
  answered: Answered,
  provider: Provider = "anthropic",
  { wholeMs = 20_000, addresses = here } = {},
): Promise<Modeled> => {
  server.answers = () => answered;
  const base_url = provider === "openai" ? `${server.url}/v1` : server.url;
  return askModel(addresses, { provider, api_key: modelKey, model: "tiny-1", base_url }, prompt, { wholeMs });
};

const providers = ["openai", "anthropic", "google"] as const;

test("each provider is asked in its own words, answers a text, and says what it cost", async () => {
  for (const provider of providers) {
    const said = await ask({ text: "Hello\u0000 there" }, provider);

    assert.deepEqual(said, { is: "text", text: "Hello there", tokens: 100 });
    const { idempotencyKey: _, ...asked } = server.asked.at(-1)!;
    assert.deepEqual(asked, { provider, model: "tiny-1", key: modelKey, system: "Write.", user: "Something." });
  }
});

test("the call of a tool is no answer, whoever makes it", async () => {
  for (const provider of providers) assert.equal((await ask({ tool: "delete_lead" }, provider)).is, "useless");
});

const cases: readonly (readonly [string, Answered, string, RegExp])[] = [
  ["that hangs", { by: () => {} }, "away", /did not answer in time/],
  [
    "that hangs in the middle",
    { by: (response) => void response.writeHead(200).write('{"content":[') },
    "away",
    /did not answer in time/,
  ],
  ["that breaks off", { by: (response) => void response.destroy() }, "away", /Anthropic/],
  [
    "that answers 10 MB",
    { by: (response) => void response.writeHead(200).end("x".repeat(10_000_000)) },
    "useless",
    /more than 1024 KB/,
  ],
  ["that answers no JSON", { by: (response) => void response.end("<html>") }, "useless", /not JSON/],
  ["that answers nothing", { text: "  " }, "useless", /without a text/],
  [
    "that redirects",
    { by: (response) => void response.writeHead(302, { location: "http://169.254.169.254/" }).end() },
    "refused",
    /302/,
  ],
  ["without credit", { status: 400, body: { error: { message: "Your credit balance is too low" } } }, "unpaid", /no credit/],
  ["that is busy", { status: 529 }, "away", /529/],
  ["that does not know the model", { status: 404 }, "refused", /tiny-1.*PUT \/credentials\/anthropic\/, or AI_MODEL/],
  [
    "that has ended the model",
    { status: 400, body: { error: { message: "The model `tiny-1` does not exist" } } },
    "refused",
    /PUT \/credentials\/anthropic\//,
  ],
];
for (const [who, answered, is, reason] of cases)
  test(`one ${who} is ${is}, in time`, async () => {
    const said = await ask(answered, "anthropic", { wholeMs: is === "away" ? 300 : 20_000 });

    assert.equal(said.is, is);
    assert.match((said as { reason: string }).reason, reason);
  });

test("a wrong key, a used-up account of OpenAI, and being asked too often are told apart", async () => {
  const account = { provider: "openai", api_key: "wrong", model: "tiny-1", base_url: `${server.url}/v1` } as const;
  const wrong = await askModel(here, account, prompt, { wholeMs: 20_000 });
  const unpaid = await ask({ status: 429, body: { error: { code: "insufficient_quota" } } }, "openai");
  const busy = await ask({ status: 429, retryAfter: "7" }, "openai");

  assert.deepEqual([wrong.is, unpaid.is, busy.is], ["refused", "unpaid", "away"]);
  assert.equal((busy as { seconds: number }).seconds, 7);
});

test("the usual models are told not to think first, and other models are told nothing that they might not know", async () => {
  const asked = (provider: Provider, model: string) => {
    const body = aiFormats[provider].ask({ provider, api_key: modelKey, model, base_url: null }, prompt).body as any;
    return [body.reasoning_effort, body.thinking];
  };

  assert.deepEqual(asked("openai", aiFormats.openai.usualModel), ["none", undefined]);
  assert.deepEqual(asked("anthropic", aiFormats.anthropic.usualModel), [undefined, { type: "between_tools" }]);
  for (const provider of providers) assert.deepEqual(asked(provider, "tiny-1"), [undefined, undefined]);
});

test("what a model thought is no part of what it says", async () => {
  const thinks = (body: object): Answered => ({ by: (response) => void response.end(JSON.stringify(body)) });
  const text = { type: "text", text: "Hello" };
  const anthropic = await ask(thinks({ content: [{ type: "thinking", thinking: "Hm" }, text] }));
  const parts = [{ thought: true, text: "Hm" }, { text: "Hello" }];
  const google = await ask(thinks({ candidates: [{ content: { parts } }] }), "google");

  assert.deepEqual(
    [anthropic, google].map((said) => said.is === "text" && said.text),
    ["Hello", "Hello"],
  );
});

test("an address of the operator's own network is never reached", async () => {
  const before = server.asked.length;

  const said = await ask({ text: "Hello" }, "anthropic", { addresses: publicAddresses([]) });

  assert.deepEqual([said.is, server.asked.length], ["away", before]);
});

test("what a provider says of its cost counts only where it can be believed", async () => {
  const costing = async (usage: unknown) =>
    (await ask({ by: (response) => void response.end(JSON.stringify({ content: [{ type: "text", text: "Hello" }], usage })) }))
      .tokens;

  assert.equal(await costing({ input_tokens: 3, output_tokens: 4 }), 7);
  for (const lie of [
    undefined,
    { input_tokens: -9, output_tokens: 4 },
    { input_tokens: "free", output_tokens: 0 },
    { input_tokens: 1e12, output_tokens: 1 },
  ])
    assert.ok((await costing(lie)) > 10 && (await costing(lie)) < 1000);
});
