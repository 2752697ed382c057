// How the providers of models are asked and answer over HTTP: one prompt, one text. Nothing else of their interfaces is used; above all
// no tools, so that a model can only answer.

export const aiProviders = ["openai", "anthropic", "google"] as const;
export type AiProvider = (typeof aiProviders)[number];

export interface AiAccount {
  /** `openai` is any service that speaks its chat completions. */
  provider: AiProvider;
  /** Null for a service that asks for none, such as a model on the operator's own machine. */
  api_key: string | null;
  model: string;
  base_url: string | null;
}

/** What the operator of the service decided. */
export interface AiSettings {
  /** For organizations without credentials of their own, or null. */
  account: AiAccount | null;
  /** How long a model may take to answer. */
  seconds: number;
  /** The most tokens of one answer. */
  tokens: number;
  /** The most tokens of an organization on a day. */
  tokens_per_day: number;
}

export interface Prompt {
  /** What is to be done, by us and by the caller. */
  system: string;
  /** What it is to be done with. */
  user: string;
  /** How long the answer may be. */
  tokens: number;
}

/** An answer as the provider gave it. */
export interface Given {
  /** Null where there is none, as with a call of a tool. */
  text: string | null;
  isCut: boolean;
  /** What the provider says it cost: of the prompt and of the answer. */
  tokens: readonly unknown[];
}

export interface Format {
  name: string;
  place: string;
  /** Where an organization stores its account: `PUT /credentials/{service}/`. */
  service: string;
  usualModel: string;
  ask(account: AiAccount, prompt: Prompt): { path: string; headers: Record<string, string>; body: object };
  /** `body` is any JSON: members are looked for, and none is trusted to be there. */
  read(body: any): Given;
}

// The usual models, and when their makers said to end them, as read in November 2026:
// - gpt-6-luna: no end announced; OpenAI names it for what gpt-4.1-mini did, which ends on 2027-01-14 (developers.openai.com/api/docs/deprecations).
// - claude-sonnet-5-5: not before 2027-09-28; claude-sonnet-4-5 ends on 2026-11-30 (platform.claude.com/docs/en/about-claude/model-deprecations).
// - gemini-3.5-flash-lite: no end announced; Google names it for gemini-2.5-flash, which ends on 2026-12-01 (ai.google.dev/gemini-api/docs/deprecations).
// They think before they answer unless they are told not to, and what they think counts against the length of the answer. Other models
// refuse these switches, so only the usual ones get them. The one of Google thinks little by itself.

const textOf = (value: unknown): string | null => (typeof value === "string" && value.trim() !== "" ? value : null);

/** The texts of a list of parts, without what the model thought. Any other part, such as a call of a tool, makes it none. */
function partsOf(parts: unknown, isThought: (part: any) => boolean, isText: (part: any) => boolean): string | null {
  const said = Array.isArray(parts) ? parts.filter((part) => !isThought(part)) : [];
  return said.every(isText) ? textOf(said.map((part) => part.text).join("")) : null;
}

const openai: Format = {
  name: "OpenAI",
  place: "https://api.openai.com/v1",
  service: "openai",
  usualModel: "gpt-6-luna",
  ask({ api_key, model, base_url }, { system, user, tokens }) {
    const messages = [
      { role: "system", content: system },
      { role: "user", content: user },
    ];
    // Newer models of OpenAI refuse the older name, which is the only one that most compatible services know.
    const limit = base_url === null ? { max_completion_tokens: tokens } : { max_tokens: tokens };
    const headers: Record<string, string> = api_key === null ? {} : { authorization: `Bearer ${api_key}` };
    const thinking = model === this.usualModel && base_url === null ? { reasoning_effort: "none" } : {};
    return { path: "/chat/completions", headers, body: { model, messages, ...limit, ...thinking } };
  },
  read(body) {
    const choice = body?.choices?.[0];
    const calls = choice?.message?.tool_calls;
    const isCall = (Array.isArray(calls) && calls.length > 0) || choice?.message?.function_call != null;
    return {
      text: isCall ? null : textOf(choice?.message?.content),
      isCut: choice?.finish_reason === "length",
      tokens: [body?.usage?.prompt_tokens, body?.usage?.completion_tokens],
    };
  },
};

const anthropic: Format = {
  name: "Anthropic",
  place: "https://api.anthropic.com",
  service: "anthropic",
  usualModel: "claude-sonnet-5-5",
  ask({ api_key, model }, { system, user, tokens }) {
    const headers = { "x-api-key": api_key ?? "", "anthropic-version": "2023-06-01" };
    const thinking = model === this.usualModel ? { thinking: { type: "between_tools" } } : {};
    return {
      path: "/v1/messages",
      headers,
      body: { model, max_tokens: tokens, system, messages: [{ role: "user", content: user }], ...thinking },
    };
  },
  read: (body) => ({
    text: partsOf(
      body?.content,
      (part) => part?.type === "thinking" || part?.type === "redacted_thinking",
      (part) => part?.type === "text" && typeof part.text === "string",
    ),
    isCut: body?.stop_reason === "max_tokens",
    tokens: [body?.usage?.input_tokens, body?.usage?.output_tokens],
  }),
};

const google: Format = {
  name: "Google",
  place: "https://generativelanguage.googleapis.com",
  service: "gemini",
  usualModel: "gemini-3.5-flash-lite",
  ask({ api_key, model }, { system, user, tokens }) {
    const body = {
      systemInstruction: { parts: [{ text: system }] },
      contents: [{ role: "user", parts: [{ text: user }] }],
      generationConfig: { maxOutputTokens: tokens },
    };
    const path = `/v1beta/models/${encodeURIComponent(model)}:generateContent`;
    return { path, headers: { "x-goog-api-key": api_key ?? "" }, body };
  },
  read(body) {
    const candidate = body?.candidates?.[0];
    const used = body?.usageMetadata;
    return {
      text: partsOf(
        candidate?.content?.parts,
        (part) => part?.thought === true && part.functionCall === undefined,
        (part) => typeof part?.text === "string" && part.functionCall === undefined,
      ),
      isCut: candidate?.finishReason === "MAX_TOKENS",
      tokens: [used?.promptTokenCount, used?.candidatesTokenCount, used?.thoughtsTokenCount],
    };
  },
};

export const aiFormats: Readonly<Record<AiProvider, Format>> = { openai, anthropic, google };
