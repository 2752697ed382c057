// Starts an automation for many records: their ids are kept as they were found, and a job starts a hundred runs at a time. It is
// started so by hand, or by publishing it for the records that are there already.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Ctx, query, transactionOf, write } from "../../core/context.ts";
import { below, invalid } from "../../core/errors.ts";
import { from, type Resource, scope } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work, wake } from "../../jobs/job.ts";
import { actingAs, asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { newId } from "../../values/id.ts";
import { countStarted } from "./consume.ts";
import { mayActAs } from "./lent_rights.ts";
import { type Listener, listenerById } from "./listeners.ts";
import { batchJobs, runJobs } from "./names.ts";
import { recordsThat } from "./searched_records.ts";
import { startByHand } from "./start_by_hand.ts";
import { startForExisting } from "./start_for_existing.ts";

export const batchMost = 50_000;

/** The records of a kind that meet all conditions, on the alias `t`. */
export interface Selection {
  of: Resource;
  conditions: readonly Sql[];
  limit: number;
}

interface Meant {
  automation_id: string;
  kind: "bulk" | "backfill";
  input: object;
}

/** What a batch is: its id is the `bulk_action_id` of its runs. */
export interface Begun {
  id: string;
  total: number;
}

/** Keeps the ids that are found now. Returns the batch's id, and how many they are. */
export async function startBatch(ctx: Ctx, { automation_id, kind, input }: Meant, selection: Selection): Promise<Begun> {
  const ids = await selected(ctx, selection);
  const id = newId("bulk", ctx.now.getTime());
  write(
    ctx,
    statement(sql`insert into automation_batch (organization_id, id, automation_id, kind, ids, input, user_id, date_created)
      values (${ctx.organization_id}, ${id}, ${automation_id}, ${kind}, ${ids}, ${JSON.stringify(input)}, ${ctx.actor.user_id}, ${ctx.now})`),
  );
  wake(ctx, batchJobs, [id]);
  return { id, total: ids.length };
}

async function selected(ctx: Ctx, { of, conditions, limit }: Selection): Promise<string[]> {
  const rows = await query(
    ctx,
    statement(
      sql`select t.id from ${from(of, "t")} where ${and([...scope(ctx, of), ...conditions])} order by t.id limit ${limit}`,
    ),
  );
  return rows.map(([id]) => id!);
}

/** What a search asks, by its words or its tree. */
export async function conditionOf(ctx: Ctx, of: Resource, sought: string | object): Promise<Sql> {
  if (typeof sought !== "string") return recordsThat(ctx, of, sought, "query");
  const words = of.filters?.query;
  if (words === undefined) throw invalid({ query: `must be a tree of conditions: a ${of.name} is not found by words` });
  return below("query", () => words.sql(ctx, sought, "t"));
}

/** The most runs of one transaction. */
const chunk = 100;

interface Batch {
  automation_id: string;
  kind: Meant["kind"];
  ids: string[];
  input: Record<string, unknown>;
}

export const batchWork: Work = {
  ...batchJobs,
  doc: "Starts automations that were started for many records at once.",
  slots: 2,
  async run(core, job) {
    const reading = await readingAs(core, systemActor(job.organization_id), requestOf(job));
    const [row] = await query(reading, {
      name: "automation_batch.author",
      text: "select user_id from automation_batch where organization_id = $1 and id = $2",
      values: [job.organization_id, job.object_id],
    });
    const actor = row === undefined ? null : await actorOfMember(core.db, job.organization_id, row[0]!);
    if (actor === null) return asSystem(core, job.organization_id, requestOf(job), (ctx) => end(ctx, job));
    await actingAs(core, actor, requestOf(job), (ctx) => startSome(ctx, job));
  },
  giveUp: async (ctx, job) => forget(ctx, job),
};

/** A record that is gone, or may not start it now, is left out. */
async function startSome(ctx: Ctx, job: Job): Promise<void> {
  const batch = await nextOf(ctx, job);
  await holdClaim(ctx, job);
  const listener = batch === null ? null : await listenerById(ctx, batch.automation_id);
  if (batch === null || batch.ids.length === 0 || listener === null || listener.isPaused || !starts(ctx, listener, batch))
    return end(ctx, job);

  const runs: string[] = [];
  for (const id of batch.ids) {
    const run = await startOne(ctx, listener, id, batch, job.object_id);
    if (run !== null) runs.push(run);
  }
  wake(ctx, runJobs, runs);
  if (runs.length > 0)
    countStarted(
      ctx,
      runs.map(() => batch.automation_id),
    );
  write(ctx, {
    name: "automation_batch.moved",
    text: "update automation_batch set position = position + $3 where organization_id = $1 and id = $2",
    values: [ctx.organization_id, job.object_id, batch.ids.length],
  });
  release(ctx, job, ctx.now);
}

/** Another version may have another trigger, or act in the name of somebody else. */
const starts = (ctx: Ctx, { trigger, plan }: Listener, { kind }: Batch): boolean =>
  mayActAs(ctx, plan.settings.run_as_user_id) &&
  (kind === "bulk" ? trigger.byHand === true : (trigger.existing?.(plan.trigger.config) ?? null) !== null);

/** The id of the run. */
async function startOne(
  ctx: Ctx,
  listener: Listener,
  id: string,
  { kind, input }: Batch,
  batchId: string,
): Promise<string | null> {
  if (kind === "backfill") return startForExisting(ctx, listener, id, batchId);
  const run = await startByHand(ctx, listener, id, { kind, input, bulk_action_id: batchId });
  return typeof run === "string" ? null : run.id;
}

async function nextOf(ctx: Ctx, { object_id }: Job): Promise<Batch | null> {
  const [row] = await transactionOf(ctx).read({
    name: "automation_batch.next",
    text: `select automation_id, kind, array_to_json(ids[position + 1 : position + ${chunk}]), input from automation_batch
           where organization_id = $1 and id = $2 for update`,
    values: [ctx.organization_id, object_id],
  });
  return row === undefined
    ? null
    : { automation_id: row[0]!, kind: row[1] as Meant["kind"], ids: JSON.parse(row[2]!), input: JSON.parse(row[3]!) };
}

async function end(ctx: Ctx, job: Job): Promise<void> {
  await holdClaim(ctx, job);
  forget(ctx, job);
  release(ctx, job, null);
}

function forget(ctx: Ctx, { object_id }: Job): void {
  write(ctx, {
    name: "automation_batch.end",
    text: "delete from automation_batch where organization_id = $1 and id = $2",
    values: [ctx.organization_id, object_id],
  });
}
