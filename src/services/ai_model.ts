// Asks a model for a text, over the connections that reach public addresses only. Whatever it answers, the answer is bounded in time and
// size, and it is text: nothing of it is carried out here.
import { type AiAccount, aiFormats, type Format, type Prompt } from "./ai_formats.ts";
import { type Answer, askPublic, jsonOf } from "./ask_public.ts";
import { NotPosted } from "./post_public.ts";
import type { PublicAddresses } from "./public_address.ts";

export type Modeled =
  | { is: "text"; text: string; tokens: number }
  /** It answered something that is of no use. */
  | { is: "useless"; reason: string; tokens: number }
  /** Asking again would be answered alike, until somebody changes the credentials or the model. */
  | { is: "refused"; reason: string; tokens: 0 }
  | { is: "unpaid"; reason: string; tokens: 0 }
  /** It may be asked again, not before so many seconds. */
  | { is: "away"; reason: string; seconds: number; tokens: 0 };

const bytesMost = 1024 * 1024;

/** `key` is the same at each repetition of a request. */
export async function askModel(
  addresses: PublicAddresses,
  account: AiAccount,
  prompt: Prompt,
  { wholeMs, key }: { wholeMs: number; key?: string },
): Promise<Modeled> {
  const format = aiFormats[account.provider];
  const { path, headers, body } = format.ask(account, prompt);
  const url = `${(account.base_url ?? format.place).replace(/\/+$/, "")}${path}`;
  const sent = {
    ...headers,
    "content-type": "application/json",
    accept: "application/json",
    "user-agent": "Headwater",
    ...(key !== undefined && { "idempotency-key": key }),
  };
  try {
    const asking = { method: "POST", url, headers: sent, body: JSON.stringify(body) } as const;
    return modeled(format, account, prompt, await askPublic(addresses, asking, { wholeMs, bytes: bytesMost, cuts: true }));
  } catch (error) {
    if (!(error instanceof NotPosted)) throw error;
    return { is: "away", reason: `${format.name} ${error.message}`, seconds: 0, tokens: 0 };
  }
}

function modeled(format: Format, account: AiAccount, prompt: Prompt, answer: Answer): Modeled {
  if (answer.status !== 200) return failed(format, account, answer);
  const tokens = estimatedTokens(prompt, answer.text);
  const useless = (what: string): Modeled => ({ is: "useless", reason: `${format.name} answered ${what}`, tokens });
  if (answer.isCut) return useless(`more than ${bytesMost / 1024} KB`);
  const body = jsonOf(answer);
  if (body === null) return useless("something that is not JSON");
  const given = format.read(body);
  if (given.text === null) return useless("without a text, as with a call of a tool");
  if (given.isCut) return useless("more than it may");
  return { is: "text", text: given.text.replaceAll("\0", "").toWellFormed(), tokens: toldTokens(given.tokens) ?? tokens };
}

function failed({ name, service }: Format, { model }: AiAccount, { status, retryAfter, text }: Answer): Modeled {
  const said = text.slice(0, 20_000);
  // OpenAI answers 429, and Anthropic 400, where an account has no credit left.
  if (status === 402 || ([400, 429].includes(status) && /insufficient_quota|billing_error|credit balance/i.test(said)))
    return { is: "unpaid", reason: `${name} has no credit left for this account`, tokens: 0 };
  if (status === 401 || status === 403) return { is: "refused", reason: `${name} does not accept the API key`, tokens: 0 };
  // Some compatible services answer a 400 for a model that is not there.
  if (status === 404 || (status === 400 && /model_not_found|model.{0,80}(not found|not exist)/i.test(said))) {
    const change = `change \`model\` (or \`base_url\`) at PUT /credentials/${service}/, or AI_MODEL where the operator's account is used`;
    return { is: "refused", reason: `${name} does not know the model ${model}, or has ended it: ${change}`, tokens: 0 };
  }
  const seconds = retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : 0;
  if (status === 429) return { is: "away", reason: `${name} is asked too often`, seconds: Math.max(1, seconds), tokens: 0 };
  if (status >= 500 || status === 408) return { is: "away", reason: `${name} answered ${status}`, seconds, tokens: 0 };
  return { is: "refused", reason: `${name} answered ${status}`, tokens: 0 };
}

/** Four characters of English are a token, of other languages fewer. */
export const estimatedTokens = ({ system, user }: Prompt, answer = ""): number =>
  Math.ceil((system.length + user.length + Math.min(answer.length, bytesMost)) / 3);

/** Null where it says nothing that can be believed. */
function toldTokens(told: readonly unknown[]): number | null {
  const counts = told.filter((one) => one !== undefined && one !== null);
  if (counts.length < 2 || !counts.every((one) => Number.isSafeInteger(one) && (one as number) >= 0)) return null;
  const sum = (counts as number[]).reduce((total, one) => total + one, 0);
  return sum > 0 && sum < 10_000_000 ? sum : null;
}
