// Whom `trigger_query` lets in gets in with the eyes of who made the sequence, and is written to from their mailbox. So nobody else decides
// who that is, and from which mailbox, but admins, who may act for everybody.
import { type Ctx, may } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";
import type { Patch, Row } from "../../core/resource.ts";
import { same } from "../../values/same.ts";
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
