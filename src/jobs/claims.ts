// Claims jobs, runs them, and handles failures and workers that ended.
import type { TooFar } from "../auth/unscoped_work.ts";
import type { Core } from "../core/core.ts";
import { asSystem } from "../records/acting.ts";
import { causedBy, tellLog } from "../values/background_log.ts";
import { newId } from "../values/id.ts";
import { pgTimestamp } from "../values/time.ts";
import { type Work as Traced, traced } from "../values/traced.ts";
import { ClaimLost, claimMs, holdClaim, type Job, release, type Work } from "./job.ts";

/** How much of a kind of work an organization gets. */
export interface Portion {
  most: number;
  /** Beyond these, a lane gets no second job. */
  shared: number;
}

/**
 * Claims ready jobs of an organization, so that no other worker gets them: first of the lanes that have the fewest at work, and of
 * these the oldest. They are chosen in a separate step: a subquery in the update itself may run again for each row, and would then
 * claim all jobs. Two workers that claim at the same moment may together exceed the most of a lane.
 */
export async function claimJobs(
  core: Core,
  organizationId: string,
  { kind, laneMost }: Pick<Work, "kind" | "laneMost">,
  { most, shared }: Portion,
  claim: string,
): Promise<Job[]> {
  const claimed_until = new Date(core.clock().getTime() + claimMs);
  const rows = await core.db.once(organizationId, {
    name: "job.claim",
    text: claimText,
    values: [organizationId, kind, most, claim, claimed_until, laneMost ?? null, shared],
  });
  return rows.map(([object_id, due_at, failures, crashes, request_id]) => ({
    organization_id: organizationId,
    kind,
    object_id: object_id!,
    claim,
    claimed_until,
    due_at: new Date(pgTimestamp(due_at!)),
    failures: Number(failures),
    crashes: Number(crashes),
    request_id: request_id ?? null,
  }));
}

/** `lanes` jumps from lane to lane in the index, so a lane with very many jobs costs as little as any other. */
const claimText = `
  with recursive lanes as (
    (select lane, due_at from job where organization_id = $1 and kind = $2 and state = 'ready' order by lane, due_at limit 1)
    union all
    select next.lane, next.due_at from lanes, lateral (
      select j.lane, j.due_at from job j where j.organization_id = $1 and j.kind = $2 and j.state = 'ready' and j.lane > lanes.lane
      order by j.lane, j.due_at limit 1) next),
  at_work as materialized (
    select lane, count(*) as jobs from job where organization_id = $1 and kind = $2 and state = 'claimed' group by lane),
  open as materialized (
    select lane, coalesce(jobs, 0) as jobs from lanes left join at_work using (lane)
    where $6::int is null or coalesce(jobs, 0) < $6 order by 2, due_at limit $3),
  ready as materialized (
    select j.object_id, j.due_at, open.jobs + row_number() over (partition by open.lane order by j.due_at, j.object_id) as place
    from open, lateral (
      select r.object_id, r.due_at from job r where r.organization_id = $1 and r.kind = $2 and r.state = 'ready' and r.lane = open.lane
      order by r.due_at, r.object_id limit least($3, $6 - open.jobs) for update skip locked) j),
  chosen as materialized (
    select object_id from (select *, row_number() over (order by place, due_at, object_id) as turn from ready) r
    where place = 1 or turn <= $7 order by turn limit $3)
  update job j set state = 'claimed', claim = $4, claimed_until = $5 from chosen
  where j.organization_id = $1 and j.kind = $2 and j.object_id = chosen.object_id
  returning j.object_id, j.due_at, j.failures, j.crashes, j.request_id`;

/** A claim or a retry beyond these was set by a clock that has been set back since. */
export const tooFar = (now: Date): TooFar => ({
  claim: new Date(now.getTime() + 2 * claimMs),
  retry: new Date(now.getTime() + 2 * delayMostMs),
});

/**
 * Makes an organization's jobs ready that have become due, or whose worker has ended. After the clock was set back, nobody can tell whether
 * the worker of a claim is alive: it gets as long as by a new claim.
 */
export async function wakeLateJobs(core: Core, organizationId: string): Promise<void> {
  const now = core.clock();
  const far = tooFar(now);
  await core.db.once(organizationId, {
    name: "job.wake_late",
    text: `with late as materialized (
             select kind, object_id from job where organization_id = $1
               and ((state = 'scheduled' and (due_at <= $2 or (failures > 0 and due_at > $3))) or (state = 'claimed' and claimed_until <= $2))
             for update skip locked),
           shortened as (update job set claimed_until = $4 where organization_id = $1 and state = 'claimed' and claimed_until > $5)
           update job j set state = 'ready', crashes = j.crashes + case j.state when 'claimed' then 1 else 0 end, claim = null, claimed_until = null
           from late where j.organization_id = $1 and j.kind = late.kind and j.object_id = late.object_id`,
    values: [organizationId, now, far.retry, new Date(now.getTime() + claimMs), far.claim],
  });
}

/** How many workers may end in the middle of a job before it is given up. */
const crashesMost = 5;

/** Runs a job. In the end it is always released: done, due again, or after a failure due later. The log gets a line. */
export const doJob = (core: Core, work: Work, job: Job): Promise<void> =>
  causedBy(job.request_id, async () => {
    const began = performance.now();
    const end = await endOf(core, work, job);
    tellLog({ ...factsOf(job), end: end instanceof Error ? "failed" : end, ms: Math.round(performance.now() - began) }, "job");
    if (end instanceof Error) throw end;
  });

async function endOf(core: Core, work: Work, job: Job): Promise<"done" | "given up" | "lost" | Error> {
  try {
    if (job.crashes < crashesMost) {
      await traced(jobWork(job), () => work.run(core, job));
      return "done";
    }
    await giveUp(core, work, job);
    return "given up";
  } catch (error) {
    if (error instanceof ClaimLost) return "lost";
    await postpone(core, job, error as Error);
    return error as Error;
  }
}

/** What the log says of a job. */
export const factsOf = ({ kind, organization_id, object_id, request_id }: Job): Record<string, unknown> => ({
  ...(request_id !== null && { request_id }),
  job: kind,
  organization_id,
  object_id,
});

const jobWork = ({ kind, organization_id, object_id }: Job): Traced => ({
  name: `job ${kind}`,
  kind: "internal",
  attributes: { "headwater.job": kind, "headwater.organization_id": organization_id, "headwater.object_id": object_id },
});

/** Extends the claim by a minute, for something outside that takes time. Throws `ClaimLost` when another worker has the job. */
export async function renewClaim(core: Core, job: Job): Promise<void> {
  const [row] = await core.db.once(job.organization_id, {
    name: "job.renew",
    text: `update job set claimed_until = $5 where organization_id = $1 and kind = $2 and object_id = $3 and claim = $4 returning 1`,
    values: [job.organization_id, job.kind, job.object_id, job.claim, new Date(core.clock().getTime() + claimMs)],
  });
  if (row === undefined) throw new ClaimLost(job);
}

/** Gives back a job that was started and not finished. Nothing that is still done for it is committed. */
export async function giveBack(core: Core, job: Job): Promise<void> {
  await core.db.once(job.organization_id, {
    name: "job.give_back",
    text: `update job set state = 'ready', due_at = least(due_at, woken_at), woken_at = null, claim = null, claimed_until = null
           where organization_id = $1 and kind = $2 and object_id = $3 and claim = $4`,
    values: [job.organization_id, job.kind, job.object_id, job.claim],
  });
}

async function giveUp(core: Core, work: Work, job: Job): Promise<void> {
  await asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    await work.giveUp(ctx, job);
    await holdClaim(ctx, job);
    release(ctx, job, null);
  });
}

/** Background work has no HTTP request, but its events still belong together. */
export const requestOf = (job: Job) => ({ id: newId("req"), method: "", path: `${job.kind}/${job.object_id}` });

/** The pause after a failure: about a second at first, five minutes in the end. Jitter spreads the retries over time. */
const delayMostMs = 300_000;
const delayMs = (failures: number) => Math.min(delayMostMs, 1000 * 2 ** failures) * (0.5 + Math.random() / 2);

async function postpone(core: Core, job: Job, error: Error): Promise<void> {
  const again = new Date(core.clock().getTime() + delayMs(job.failures));
  await core.db.once(job.organization_id, {
    name: "job.postpone",
    text: `update job set state = 'scheduled', due_at = $5, claim = null, claimed_until = null, failures = failures + 1, latest_error = $6
           where organization_id = $1 and kind = $2 and object_id = $3 and claim = $4`,
    values: [job.organization_id, job.kind, job.object_id, job.claim, again, error.message.slice(0, 500)],
  });
}
