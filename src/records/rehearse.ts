// Finds out what work would do: it runs in a transaction that is always undone. No event, no job and no id's place is used up by it.
import { type Ctx, transactionOf } from "../core/context.ts";

/** The moment that new ids are made from. A later one would push all later ids of this process into the future. */
export const idMoment = ({ now, rehearsal }: Ctx): number => (rehearsal?.began ?? now).getTime();

/** The work that was undone, as it was meant to be. */
class Undone extends Error {}

/** Runs `work`, whose context it may give another actor and another `now`, and undoes it. `hear` is told of its events. */
export async function rehearse<T>(
  ctx: Ctx,
  hear: (event: Record<string, unknown>) => void,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const done: { answer?: T } = {};
  const rehearsal = { began: ctx.now, hear };
  try {
    await ctx.db.transaction(
      ctx.organization_id,
      async (tx) => {
        done.answer = await work({ ...ctx, tx, meta: {}, rehearsal });
        throw new Undone();
      },
      ctx.asker,
    );
  } catch (error) {
    if (!("answer" in done)) throw error;
  }
  return done.answer!;
}

/** A part of the work that leaves nothing behind if it fails. What it wrote has arrived when it returns. */
export async function attempted<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  const say = (text: string) => transactionOf(ctx).read({ text, values: [] });
  await say("savepoint attempt");
  try {
    const answer = await work();
    await say("release savepoint attempt");
    return answer;
  } catch (error) {
    await say("rollback to savepoint attempt");
    throw error;
  }
}
