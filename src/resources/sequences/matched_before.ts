// Who matched the query of a sequence when it was written, and has matched ever since. Only contacts that begin to match get in, so that a
// broad query does not write to everybody at once.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Ctx, query, write } from "../../core/context.ts";
import { reasonsOf } from "../../core/errors.ts";
import { type Row, scope } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { conditionOf } from "./matches.ts";
import type { sequence } from "./sequence.ts";

type Sequence = Row<typeof sequence>;

/** The same context with the eyes of whoever wrote the sequence; null when they have left. */
export async function asAuthor(ctx: Ctx, of: Sequence): Promise<Ctx | null> {
  if (of.created_by === ctx.actor.user_id) return ctx;
  const actor = await actorOfMember(ctx.db, ctx.organization_id, of.created_by ?? "");
  return actor === null ? null : { ...ctx, actor };
}

/** On the alias `t` of contacts: that they, or their leads, match. Null for a query that names what is gone, such as a deleted field. */
export async function matching(author: Ctx, { trigger_query }: Sequence): Promise<Sql | null> {
  try {
    const { of, condition } = await conditionOf(author, trigger_query!, "trigger_query");
    if (of.name === "contact") return and([...scope(author, contact), condition]);
    const leads = sql`select t.id from lead t where ${and([...scope(author, lead), condition])}`;
    return and([...scope(author, contact), sql`t.lead_id in (${leads})`]);
  } catch (refusal) {
    reasonsOf(refusal);
    return null;
  }
}

/** The query of the sequence is new. What is noted outlasts a sequence that is deleted, because an undo brings that back. */
export async function noteMatching(ctx: Ctx, of: Sequence): Promise<void> {
  forgetMatching(ctx, of);
  const author = of.trigger_query === null ? null : await asAuthor(ctx, of);
  const matches = author === null ? null : await matching(author, of);
  if (matches === null) return;
  write(
    ctx,
    statement(sql`insert into sequence_matched (organization_id, sequence_id, contact_id)
      select ${ctx.organization_id}, ${of.id}, t.id from contact t where ${matches}`),
  );
}

/**
 * The ids of some who match and did not before, or have not since. In no order, so that contacts who are refused do not keep the others
 * waiting. Who does not match any more may begin to.
 */
export async function beginners(ctx: Ctx, { id }: Sequence, matches: Sql, most: number): Promise<string[]> {
  const rows = await query(
    ctx,
    statement(sql`with matching as materialized (select t.id from contact t where ${matches}),
      gone as (delete from sequence_matched m where m.organization_id = ${ctx.organization_id} and m.sequence_id = ${id}
        and not exists (select from matching t where t.id = m.contact_id))
      select t.id from matching t
      where not exists (select from sequence_subscription s where s.organization_id = ${ctx.organization_id}
          and s.sequence_id = ${id} and s.contact_id = t.id)
        and not exists (select from sequence_matched m where m.organization_id = ${ctx.organization_id}
          and m.sequence_id = ${id} and m.contact_id = t.id)
      order by random() limit ${most}`),
  );
  return rows.map(([contact]) => contact!).sort();
}

function forgetMatching(ctx: Ctx, { id }: Sequence): void {
  write(ctx, {
    name: "sequence_matched.forget",
    text: "delete from sequence_matched where organization_id = $1 and sequence_id = $2",
    values: [ctx.organization_id, id],
  });
}
