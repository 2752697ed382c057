// What acts by itself once it is active, such as an automation or a sequence. What it does later is in nobody's budget, and no tool looks
// at whom it sends to. So who has a budget, and a tool or connection without the widest scope, makes drafts of it, which a person starts. To stop it is
// always allowed.
import type { Ctx } from "../core/context.ts";
import { Problem } from "../core/errors.ts";
import type { Around } from "../core/perform.ts";
import { budgetOf } from "./budgets.ts";
import { listen, type Written } from "./written.ts";

/** Put around a write. Refuses what would act otherwise after it, where the caller may not start that. */
export const attended: Around = async (ctx, _call, act) => {
  const refusal = whyUnattended(ctx);
  if (refusal === null) return act();
  const written = listen(ctx);
  const answered = await act();
  for (const one of written) if (await actsOtherwise(ctx, one)) throw new Problem(403, refusal);
  return answered;
};

async function actsOtherwise(ctx: Ctx, { of, before, after, changed }: Written): Promise<boolean> {
  if (of.isUsed !== undefined)
    return (
      before !== null && changed !== null && changed.some((field) => of.isUsed!.by.includes(field)) && of.isUsed.now(ctx, after)
    );
  if (of.acts === undefined) return false;
  const [was, is] = [before !== null && of.acts.while(before), of.acts.while(after)];
  if (!was && !is) return false;
  if (was !== is && is) return true;
  const further = (changed ?? []).filter((field) => !of.acts!.without.includes(field));
  return was === is ? further.length > 0 : further.some((field) => !of.acts!.states.includes(field));
}

/** Why the caller may start nothing that acts by itself; null for who may. */
export function whyUnattended(ctx: Ctx): string | null {
  const isAgent = ctx.request.byTool === true || ctx.actor.oauth !== undefined;
  if (isAgent && !ctx.actor.scopes.has("write_destructive"))
    return "What is active acts by itself: a tool or an application that is connected by OAuth starts or changes it, and what it is made of, only with the scope write_destructive. Without it, write a draft for a person to start, or stop what is active and change nothing else along.";
  return budgetOf(ctx) === undefined
    ? null
    : "What is active acts by itself, in nobody's budget: a key or connection with a budget writes drafts. Start it with another one.";
}
