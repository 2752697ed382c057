// A job is a wake-up: a row that says which record needs work, and when. It is written in the transaction that causes it. There
// is at most one for each record and kind of work, and the record itself says what work is needed. A worker claims a job for a
// minute with a token. Every commit checks the token, so a worker whose claim has expired commits nothing.
import { type Ctx, transactionOf, write } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import { causeOf } from "../values/background_log.ts";

/** A kind of work. A worker that claims such a job looks at the record and does a part of what is due, at most 200 items. */
export interface Work {
  kind: string;
  /** One sentence for operators. */
  doc: string;
  /**
   * How many such jobs run at once in one process, besides those that wait for something outside. One organization has at most as
   * many as it leaves free, but always one.
   */
  slots: number;
  /** How many jobs of one lane run at once, in all workers. Without it, as many as there are slots. */
  laneMost?: number;
  /** Ends with `release`, well before the claim expires. A failure is retried with growing pauses. */
  run(core: Core, job: Job): Promise<void>;
  /**
   * Gives the record up, because several workers ended in the middle of it. Runs in the transaction that ends the job, before the
   * job is locked.
   */
  giveUp(ctx: Ctx, job: Job): Promise<void>;
}

/** A claimed job. */
export interface Job {
  organization_id: string;
  kind: string;
  object_id: string;
  claim: string;
  /** From then on, its worker counts as dead. */
  claimed_until: Date;
  due_at: Date;
  /** How often in a row it failed, and how many workers ended in the middle of it. */
  failures: number;
  crashes: number;
  /** The request that caused it, where one did. */
  request_id: string | null;
  /** It waits for something outside, and needs no place meanwhile. See `outside`. */
  isWaiting?: boolean;
}

/** How long a claim lasts. */
export const claimMs = 60_000;

/** How long a job keeps its place while it waits. Servers that are well answer sooner. */
const placeKeptMs = 1000;

/** Waits for an answer from outside. Where it takes long, the job leaves its place to others until then. */
export async function outside<T>(job: Job, answer: Promise<T>): Promise<T> {
  const timer = setTimeout(() => (job.isWaiting = true), placeKeptMs);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    job.isWaiting = false;
  }
}

/** Another worker has the job now, or the job is gone. Nothing of this turn is written. */
export class ClaimLost extends Error {
  constructor(job: Job) {
    super(`${job.kind} ${job.object_id} belongs to another worker by now`);
  }
}

/**
 * Wakes jobs for these records, now or at a time, or earlier if they are already due then. Joins the transaction, and waits for
 * nothing. A lane is what all of them use and may be slow, such as a mailbox: the jobs of other lanes do not wait for it.
 */
export function wake(ctx: Ctx, { kind }: Pick<Work, "kind">, objectIds: readonly string[], at: Date = ctx.now, lane = ""): void {
  if (objectIds.length === 0) return;
  // In a fixed order, so that two transactions that wake the same records cannot deadlock.
  const ids = [...objectIds].sort();
  write(ctx, {
    name: "job.wake",
    text: `insert into job (organization_id, kind, object_id, lane, state, due_at, request_id)
           select $1, $2, id, $6, case when $4::timestamptz <= $5::timestamptz then 'ready' else 'scheduled' end, $4, $7 from unnest($3::text[]) id
           on conflict (organization_id, kind, object_id) do update set
             lane = excluded.lane,
             request_id = coalesce(excluded.request_id, job.request_id),
             due_at = least(job.due_at, excluded.due_at),
             state = case when job.state = 'scheduled' then excluded.state else job.state end,
             woken_at = case when job.state = 'claimed' then least(job.woken_at, excluded.due_at) end`,
    values: [ctx.organization_id, kind, ids, at, ctx.now, lane, requestBehind(ctx)],
  });
}

/** What a job causes is caused by the request behind that job. Timers and readers of the log have none. */
const requestBehind = ({ request }: Ctx): string | null => causeOf() ?? (request.method === "" ? null : request.id);

/** The same for records that wait and should have a job. Existing jobs stay as they are. */
export function wakeLost(ctx: Ctx, { kind }: Pick<Work, "kind">, objectIds: readonly string[], lane = ""): void {
  write(ctx, {
    name: "job.wake_lost",
    text: `insert into job (organization_id, kind, object_id, lane, state, due_at)
           select $1, $2, id, $5, 'ready', $4 from unnest($3::text[]) id on conflict do nothing`,
    values: [ctx.organization_id, kind, [...objectIds].sort(), ctx.now, lane],
  });
}

/**
 * Jobs that are ready are due later instead, each at its time: a transaction that has locked their records has looked at them already.
 * One that has been claimed in the meantime finds its record as it is now.
 */
export function defer(ctx: Ctx, { kind }: Pick<Work, "kind">, times: ReadonlyMap<string, Date>): void {
  write(ctx, {
    name: "job.defer",
    text: `with ready as materialized (
             select j.object_id, n.due_at from job j join unnest($3::text[], $4::timestamptz[]) n(id, due_at) on n.id = j.object_id
             where j.organization_id = $1 and j.kind = $2 and j.state = 'ready' for update of j skip locked)
           update job j set state = 'scheduled', due_at = ready.due_at from ready
           where j.organization_id = $1 and j.kind = $2 and j.object_id = ready.object_id`,
    values: [ctx.organization_id, kind, [...times.keys()], [...times.values()]],
  });
}

/**
 * In a transaction: locks the job until the transaction ends, or throws `ClaimLost`. A transaction that changes the job's record
 * locks the record first, in the same order as a request that changes the record and wakes its job.
 */
export async function holdClaim(ctx: Ctx, job: Job): Promise<void> {
  const [row] = await transactionOf(ctx).read({
    name: "job.hold",
    text: `select from job where organization_id = $1 and kind = $2 and object_id = $3 and claim = $4 for update`,
    values: keyOf(job),
  });
  if (row === undefined) throw new ClaimLost(job);
}

/**
 * The same for a transaction that may run beside others of the same job, and whose work can be done twice without harm: while it
 * runs the job cannot go away, but another worker may get it.
 */
export async function checkClaim(ctx: Ctx, job: Job): Promise<void> {
  const [row] = await transactionOf(ctx).read({
    name: "job.check",
    text: `select from job where organization_id = $1 and kind = $2 and object_id = $3 and claim = $4 for key share`,
    values: keyOf(job),
  });
  if (row === undefined) throw new ClaimLost(job);
}

/** In a transaction that holds the claim: the job is done, or due again at a time. A wake-up in the meantime is not lost. */
export function release(ctx: Ctx, job: Job, again: Date | null): void {
  if (again === null)
    write(ctx, {
      name: "job.done",
      text: `delete from job where organization_id = $1 and kind = $2 and object_id = $3 and claim = $4 and woken_at is null`,
      values: keyOf(job),
    });
  write(ctx, {
    name: "job.again",
    text: `update job set due_at = least(woken_at, $5::timestamptz), woken_at = null, claim = null, claimed_until = null, failures = 0,
             crashes = 0, latest_error = null,
             state = case when least(woken_at, $5::timestamptz) <= $6::timestamptz then 'ready' else 'scheduled' end
           where organization_id = $1 and kind = $2 and object_id = $3 and claim = $4`,
    values: [...keyOf(job), again, ctx.now],
  });
}

const keyOf = ({ organization_id, kind, object_id, claim }: Job) => [organization_id, kind, object_id, claim];
