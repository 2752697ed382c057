// Whom `trigger_query` lets in gets in with the eyes of who made the sequence, and is written to from their mailbox. So nobody else decides
// who that is, and from which mailbox, but admins, who may act for everybody. What its steps say goes out in the names of its author, of those
// who subscribe contacts and of automations, so nobody else writes them but members who may send as its author.
import { type Ctx, may } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";
import type { Patch, Row } from "../../core/resource.ts";
import { same } from "../../values/same.ts";
import { sendersOf } from "../accounts/senders.ts";
import type { sequence } from "./sequence.ts";

type Sequence = Row<typeof sequence>;

/** Asked before another's sequence is changed: of what its query is, from where it sends, and of starting it. */
export function checkLetsIn(ctx: Ctx, before: Sequence, patch: Patch<typeof sequence>, status: Sequence["status"]): void {
  const query = patch.trigger_query === undefined ? before.trigger_query : patch.trigger_query;
  if (query === null || before.created_by === ctx.actor.user_id || may(ctx, "manage_organization")) return;
  const sends = patch.sender !== undefined && !same(patch.sender, before.sender);
  const begins = status === "active" && before.status !== "active";
  if (sends || begins || !same(query, before.trigger_query))
    throw new Problem(
      403,
      "Contacts that match trigger_query get in with the eyes and the mailbox of who made the sequence: ask them or an admin, or make one of your own.",
    );
}

/** Asked before the steps of a sequence are changed. */
export async function checkSpeaks(ctx: Ctx, { created_by }: Sequence): Promise<void> {
  if (created_by === ctx.actor.user_id || may(ctx, "manage_organization")) return;
  const { lent } = await sendersOf(ctx, ctx.actor.user_id);
  if (!lent.some(({ allowing_user_id }) => allowing_user_id === created_by))
    throw new Problem(
      403,
      "What the steps say goes out in the name of others: ask who made the sequence, or an admin. Whoever made it may also let you send as them. Or make a sequence of your own with these steps.",
    );
}
