// What acts by itself once it is active: automations and sequences. What they do later is in nobody's budget, and no tool looks at whom
// they send to. So who has a budget, and a tool without the widest scope, makes drafts of them, which a person starts. What deletes
// needs the scope of deleting, whoever starts it.
import type { Ctx } from "../core/context.ts";
import { Problem } from "../core/errors.ts";
import type { Around } from "../core/perform.ts";
import { budgetOf } from "./budgets.ts";

const starting = /^((automation|sequence)\.(create|update)|automations\.(create|publish))$/;
const replaying = "automations.replay";
const deleting = /"type":\s*"record\.delete"/;

/** Put around a write. Refuses what is active after it, or was done by it, where the caller may not start that. */
export const attended: Around = async (ctx, { operation, given }, act) => {
  const isReplay = operation.name === replaying && given.body.effects === "execute";
  if (!isReplay && !starting.test(operation.name)) return act();
  const isWide = ctx.actor.scopes.has("write_destructive");
  const refusal = whyNot(ctx, isWide);
  if (isReplay && refusal !== null) throw new Problem(403, refusal);
  const answered = await act();
  const text = answered.body as string;
  if (!isReplay && JSON.parse(text).status !== "active") return answered;
  if (refusal !== null) throw new Problem(403, refusal);
  if (!isWide && (isReplay || deleting.test(text)))
    throw new Problem(403, "It deletes records, or may: to start it needs the scope write_destructive.");
  return answered;
};

function whyNot(ctx: Ctx, isWide: boolean): string | null {
  if (ctx.request.byTool === true && !isWide)
    return "What is active acts by itself: a tool starts or changes it only with the scope write_destructive. Without it, write a draft for a person to start.";
  return budgetOf(ctx) === undefined
    ? null
    : "What is active acts by itself, in nobody's budget: a key or connection with a budget writes drafts. Start it with another one.";
}
