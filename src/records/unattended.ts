// What acts by itself once it is active: automations and sequences. What they do later is in nobody's budget, and no tool looks at whom
// they send to. So who has a budget, and a tool without the widest scope, makes drafts of them, which a person starts.
import type { Ctx } from "../core/context.ts";
import { Problem } from "../core/errors.ts";
import type { Around } from "../core/perform.ts";
import { budgetOf } from "./budgets.ts";

const starting = /^((automation|automations|sequence)\.(create|update)|automations\.publish)$/;

/** Put around a write. Refuses what is active after it. */
export const attended: Around = async (ctx, { operation }, act) => {
  const refusal = starting.test(operation.name) ? whyNot(ctx) : null;
  if (refusal === null) return act();
  const answered = await act();
  if (JSON.parse(answered.body as string).status === "active") throw new Problem(403, refusal);
  return answered;
};

function whyNot(ctx: Ctx): string | null {
  if (ctx.request.byTool === true && !ctx.actor.scopes.has("write_destructive"))
    return "What is active acts by itself: a tool starts or changes it only with the scope write_destructive. Without it, write a draft for a person to start.";
  return budgetOf(ctx) === undefined
    ? null
    : "What is active acts by itself, in nobody's budget: a key or connection with a budget writes drafts. Start it with another one.";
}
