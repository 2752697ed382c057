// Asks the connected model, outside of any transaction, and within the organization's tokens. What it answers is read by the helper's own
// check; where that fails, the helper goes on by its rules, and says so.
import type { Ctx } from "../../core/context.ts";
import { Problem, paymentRequired, reasonsOf, statuses } from "../../core/errors.ts";
import { spendOutside } from "../../records/budgets.ts";
import type { AiAccount, Prompt } from "../../services/ai_formats.ts";
import { askModel as askProvider, estimatedTokens, type Modeled } from "../../services/ai_model.ts";
import { noteAnswer } from "../accounts/open_credentials.ts";
import { type Connected, connectedModel } from "./account.ts";
import { promptOf, type Task } from "./prompt.ts";
import { type Asking, settleTokens, takeTokens } from "./token_budget.ts";

/** What a model wrote. `value` is null where the helper is to answer by rules, and `notice` says why it does although a model is connected. */
export interface Helped<T> {
  value: T | null;
  model: string;
  notice: string | null;
}

export const byRules = (notice: string | null = null): Helped<never> => ({ value: null, model: "rules", notice });

/** The answer is not what was asked for. */
export class Useless extends Error {}

/**
 * `wanted` is what the caller asked for: `rules` asks no model. Throws a 402 where no tokens or no credit is left, and a 503 where the model
 * does not answer.
 */
export async function helpedByModel<T>(
  ctx: Ctx,
  wanted: "rules" | undefined,
  task: () => Promise<Task> | Task,
  read: (answer: unknown) => Promise<T> | T,
): Promise<Helped<T>> {
  const connected = wanted === "rules" ? null : await connectedModel(ctx);
  if (connected === null) return byRules();
  const prompt = promptOf(await task(), ctx.settings.ai.tokens);
  ctx.asker?.stepOut();
  const whose = { account: connected.account, isOwn: connected.stored !== null };
  // Of the caller's budget, as of the organization's: the most is taken before, and what it did not cost is given back.
  const most = mostOf(prompt);
  await spendOutside(ctx, { ai_tokens: most });
  const said = await askWithin(ctx, whose, prompt, { wholeMs: ctx.settings.ai.seconds * 1000 });
  await spendOutside(ctx, { ai_tokens: (said.is === "spent" ? 0 : said.tokens) - most });
  if (said.is !== "away" && said.is !== "spent") await note(ctx, connected, said);
  if (said.is === "away") throw away(said.reason, said.seconds);
  if (said.is === "spent" || said.is === "unpaid") throw paymentRequired(`${said.reason}. ${withoutModel}`);
  if (said.is !== "text") return byRules(`${said.reason}, so this is by rules.`);
  try {
    return { value: await read(jsonIn(said.text)), model: connected.account.model, notice: null };
  } catch (error) {
    return byRules(`${connected.account.model} ${problemOf(error)}, so this is by rules.`);
  }
}

const withoutModel = 'Send "model": "rules" to be answered without a model.';

/** The sentence of a 503 is always the same, so the reason stands beside it. */
const away = (reason: string, seconds: number) =>
  new Problem(
    503,
    statuses[503]!,
    { model: `does not answer: ${reason}; send "rules" to be answered without a model` },
    { "retry-after": String(Math.max(1, seconds)) },
  );

/** Anything but a refusal of what it answered is thrown on. */
function problemOf(error: unknown): string {
  if (error instanceof Useless) return error.message;
  const [[place, reason] = ["", ""]] = Object.entries(reasonsOf(error));
  return `answered what is not valid (${place} ${reason})`;
}

const note = async (ctx: Ctx, { stored }: Connected, said: { is: string; reason?: string }): Promise<void> => {
  if (stored !== null) await noteAnswer(ctx, stored, said.is === "refused" || said.is === "unpaid" ? said.reason! : null);
};

/** No tokens of the organization are left for it. */
export interface Spent {
  is: "spent";
  reason: string;
}

/** The most that it can cost is taken before, and what it did not cost is given back. An ended process leaves it taken. */
export async function askWithin(
  asking: Asking,
  { account, isOwn }: { account: AiAccount; isOwn: boolean },
  prompt: Prompt,
  limits: { wholeMs: number; key?: string },
): Promise<Modeled | Spent> {
  const most = mostOf(prompt);
  const taken = await takeTokens(asking, most, isOwn);
  if ("usedUp" in taken) return { is: "spent", reason: taken.usedUp };
  const said = atMost(await askProvider(asking.settings.addresses, account, prompt, limits), asking.settings.ai.tokens, most);
  await settleTokens(asking, taken.day, said.tokens - most);
  return said;
}

/** A provider that answers a flood, or says that it cost a fortune, uses up no more than a call may cost. */
const atMost = (said: Modeled, ...mosts: number[]): Modeled =>
  ({ ...said, tokens: Math.min(said.tokens, Math.max(...mosts)) }) as Modeled;

const mostOf = (prompt: Prompt): number => estimatedTokens(prompt) + prompt.tokens;

/** The JSON object of a text. Some models put words or a fence around it. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  } catch {
    throw new Useless("answered something that is not JSON");
  }
}
