// Subscribes the contacts that begin to match a sequence's `trigger_query`, once each, in the name of whoever wrote the sequence.
import type { Ctx } from "../../core/context.ts";
import { reasonsOf } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { asAuthor, beginners, matching } from "./matched_before.ts";
import { sequence } from "./sequence.ts";
import { subscribe } from "./sequence_subscription_verbs.ts";

type Sequence = Row<typeof sequence>;

export const matchingContacts: Due<typeof sequence> = {
  of: sequence,
  when: () => sql`t.status = 'active' and t.trigger_query is not null`,
  since: raw("t.date_created"),
  async act(ctx, rows) {
    for (const one of rows) await subscribeMatching(ctx, one);
  },
};

/** The most contacts at once. The others follow. */
const most = 100;

async function subscribeMatching(ctx: Ctx, of: Sequence): Promise<void> {
  const author = await asAuthor(ctx, of);
  const matches = author === null ? null : await matching(author, of);
  if (author === null || matches === null) return;
  for (const contact_id of await beginners(ctx, of, matches, most)) {
    try {
      await subscribe(author, { sequence_id: of.id, contact_id }, { byHand: false });
    } catch (refusal) {
      // They have no address, opted out, or are in it already by another contact.
      reasonsOf(refusal);
    }
  }
}
