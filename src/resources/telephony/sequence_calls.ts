// A dialer of the source `sequence-calls`: the calls that sequences ask of its member. Those that become due while it runs join at its
// end, and what was called finishes the step of the sequence.
import { type Ctx, query } from "../../core/context.ts";
import { from, type Row, scope } from "../../core/resource.ts";
import { and, empty, name, type Sql, sql, statement } from "../../db/sql.ts";
import { todayOf } from "../../records/clock.ts";
import { findRecords, updateRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { waitsForOutcome } from "../sequences/call_outcomes.ts";
import { idsOfMember } from "../tasks/assignee.ts";
import { task } from "../tasks/task.ts";
import { dialer } from "./dialer.ts";

type Dialer = Row<typeof dialer>;

/** How many join at once. */
const most = 10_000;

/** Adds the calls that have become due, and returns how many. Each joins a dialer once. */
export async function takeDueCalls(ctx: Ctx, of: Pick<Dialer, "id" | "user_id" | "source_value" | "n_leads">): Promise<number> {
  // It stays when the sequence is deleted: then nothing is due.
  const ofSequence = of.source_value === null ? empty : sql`and t.sequence_id = ${of.source_value}`;
  const rows = await query(
    ctx,
    statement(sql`insert into dialer_lead (organization_id, dialer_id, position, lead_id, task_id)
      select ${ctx.organization_id}, ${of.id}, ${of.n_leads} + row_number() over (order by t.date, t.date_created, t.id), t.lead_id, t.id
      from ${from(task, "t")} where ${and(scope(ctx, task))} ${ofSequence}
        and t.assigned_to = any(${idsOfMember(ctx.directory, of.user_id)}) and ${isDue(ctx, "t")}
        and not exists (select from dialer_lead e
          where e.organization_id = ${ctx.organization_id} and e.dialer_id = ${of.id} and e.task_id = t.id)
      order by t.date, t.date_created, t.id limit ${most} returning position`),
  );
  return rows.length;
}

/** The dialer, with what has become due since somebody asked for the last time. */
export async function withDueCalls(ctx: Ctx, of: Dialer): Promise<Dialer> {
  const added = of.source_type === "sequence-calls" ? await takeDueCalls(ctx, of) : 0;
  return added === 0 ? of : store.update(ctx, dialer, of, { n_leads: of.n_leads + added });
}

/** Whether a task is a call of a sequence that is to be made now. One that the contact has left asks for nothing any more. */
export const isDue = (ctx: Ctx, alias: string): Sql => {
  const k = name(alias);
  return sql`(${k}._type = 'call' and not ${k}.is_complete and ${k}.contact_id is not null
    and (${k}.date is null or ${k}.date <= ${todayOf(ctx.directory, ctx)}::date)
    and exists (select from sequence_subscription w where w.organization_id = ${ctx.organization_id}
      and w.id = ${k}.sequence_subscription_id and (w.status = 'active' or w.status = 'finished' and w.status_reason is null)))`;
};

/** Somebody from a dialer was called, by this member if known: the step that asked for it is done, whoever answered, unless it wants the outcome. */
export async function finishStep(
  ctx: Ctx,
  { dialer_id, contact_id }: { dialer_id: string; contact_id: string },
  user_id: string | null,
): Promise<void> {
  const isCalled = sql`exists (select from dialer_lead e where e.organization_id = ${ctx.organization_id}
    and e.dialer_id = ${dialer_id} and e.task_id = t.id and e.state in ('leased', 'dialing', 'called'))`;
  const anyTask = { ...task, visible: undefined } as typeof task;
  const tasks = await findRecords(ctx, anyTask, [
    sql`t.contact_id = ${contact_id}`,
    sql`t._type = 'call'`,
    sql`not t.is_complete`,
    isCalled,
  ]);
  const by: Ctx = user_id === null ? ctx : { ...ctx, actor: { ...ctx.actor, user_id } };
  for (const { id, sequence_subscription_id } of tasks)
    if (!(await waitsForOutcome(ctx, sequence_subscription_id))) await updateRecord(by, task, id, { is_complete: true });
}
