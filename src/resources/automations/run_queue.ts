// Runs that take turns: those with the same key one after the other, and of all at most so many at once. A run looks whether it is its
// turn when it begins, and lets the next one look when it ends. Both hold the lock of the automation, so that neither misses the other.
// The lock comes after the run's row, and before the job of the run that begins.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import type { automationRun, Concurrency } from "./automation_run.ts";
import { runJobs } from "./names.ts";

type Run = Row<typeof automationRun>;

const concurrencyOf = ({ concurrency }: Run): Concurrency | null => concurrency;

/** Whether it may have to wait before it begins. */
export const isLimited = (run: Run): boolean => {
  const limits = concurrencyOf(run);
  return limits !== null && (limits.mode === "queue" || limits.most !== null);
};

export function lockQueue(ctx: Ctx, automationId: string): void {
  write(ctx, {
    name: "automation_run.lock_queue",
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [`automation_queue/${ctx.organization_id}/${automationId}`],
  });
}

/** Whether nobody is before it in the queue of its key, and fewer than the most have begun. `after` is who is next before it. */
export async function turnIn(ctx: Ctx, run: Run): Promise<{ hasCome: boolean; after: string | null }> {
  const { key, mode, most } = concurrencyOf(run)!;
  const [row] = await transactionOf(ctx).read({
    name: "automation_run.has_turn",
    text: `select (
             select id from automation_run where organization_id = $1 and automation_id = $2 and concurrency->>'key' = $5 and id <> $3
               and status in ('queued', 'running', 'waiting', 'held') and (started_at is not null or (date_created, id) < ($4, $3))
             order by date_created desc, id desc limit 1),
             (select count(*) from (select from automation_run where organization_id = $1 and automation_id = $2 and concurrency is not null
               and status in ('queued', 'running', 'waiting', 'held') and started_at is not null limit $6) n)`,
    values: [ctx.organization_id, run.automation_id, run.id, run.date_created, mode === "queue" ? key : null, most ?? 0],
  });
  const after = row![0] ?? null;
  return { hasCome: after === null && (most === null || Number(row![1]) < most), after };
}

/** In the transaction in which a run ends: the next one with its key, and the next of all that nobody woke. They look for themselves. */
export function startNext(ctx: Ctx, run: Run): void {
  if (!isLimited(run)) return;
  lockQueue(ctx, run.automation_id);
  const { key, mode, most } = concurrencyOf(run)!;
  write(ctx, {
    name: "automation_run.start_next",
    text: `insert into job (organization_id, kind, object_id, state, due_at)
           select $1, $3, n.id, 'ready', $4 from (
             (select id from automation_run where organization_id = $1 and automation_id = $2 and concurrency->>'key' = $5
                and concurrency is not null and status = 'queued' order by date_created, id limit 1)
             union
             (select r.id from automation_run r where r.organization_id = $1 and r.automation_id = $2 and $6 and r.concurrency is not null
                and r.status = 'queued' and not exists (
                  select from job j where j.organization_id = $1 and j.kind = $3 and j.object_id = r.id)
                and not (r.concurrency->>'mode' = 'queue' and exists (
                  select from automation_run o where o.organization_id = $1 and o.automation_id = $2 and o.id <> r.id
                    and o.concurrency->>'key' = r.concurrency->>'key' and o.concurrency is not null
                    and o.status in ('queued', 'running', 'waiting', 'held')
                    and (o.started_at is not null or (o.date_created, o.id) < (r.date_created, r.id))))
              order by r.date_created, r.id limit 1)) n order by n.id
           on conflict do nothing`,
    values: [ctx.organization_id, run.automation_id, runJobs.kind, ctx.now, mode === "queue" ? key : null, most !== null],
  });
}
