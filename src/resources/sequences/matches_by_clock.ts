// Subscribes the contacts that match a sequence's `trigger_query`, once each, in the name of whoever wrote the sequence.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Ctx } from "../../core/context.ts";
import { reasonsOf } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { and, raw, type Sql, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { findRecords } from "../../records/records.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { conditionOf } from "./matches.ts";
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
  const actor = await actorOfMember(ctx.db, ctx.organization_id, of.created_by ?? "");
  if (actor === null) return;
  const author: Ctx = { ...ctx, actor };
  const isNew = sql`not exists (select from sequence_subscription s where s.organization_id = ${ctx.organization_id}
    and s.sequence_id = ${of.id} and s.contact_id = t.id)`;
  // In no order, so that contacts who are refused do not keep the others waiting.
  const people = await findRecords(
    author,
    contact,
    [isNew, await matchingOrNone(author, of)],
    sql`order by random() limit ${most}`,
  );
  for (const { id } of people.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    try {
      await subscribe(author, { sequence_id: of.id, contact_id: id }, { byHand: false });
    } catch (refusal) {
      // They have no address, opted out, or are in it already by another contact.
      reasonsOf(refusal);
    }
  }
}

/** A query that names what is gone, such as a deleted field, matches nobody. */
async function matchingOrNone(ctx: Ctx, of: Sequence): Promise<Sql> {
  try {
    return await matching(ctx, of);
  } catch (refusal) {
    reasonsOf(refusal);
    return raw("false");
  }
}

async function matching(ctx: Ctx, { trigger_query }: Sequence): Promise<Sql> {
  const { of, condition } = await conditionOf(ctx, trigger_query!, "trigger_query");
  if (of.name === "contact") return condition;
  const leads = await findRecords(
    ctx,
    lead,
    [condition, sql`exists (select from contact c where c.organization_id = ${ctx.organization_id} and c.lead_id = t.id)`],
    sql`order by random() limit 1000`,
  );
  return and([sql`t.lead_id = any(${leads.map(({ id }) => id)})`]);
}
