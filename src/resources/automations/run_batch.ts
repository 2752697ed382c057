// Starts an automation for many records: their ids are kept as they were found, and a job starts a hundred runs at a time.
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
import { listenerById } from "./listeners.ts";
import { batchJobs, runJobs } from "./names.ts";
import { recordsThat } from "./searched_records.ts";
import { startByHand } from "./start_by_hand.ts";

export const batchMost = 50_000;

/** Which records: those that a search finds, by its words or its tree, or all of the kind. */
export interface Selection {
  query?: string | object;
  limit: number;
}

/** Keeps the ids that are found now. Returns the batch's id, and how many they are. */
export async function startBatch(
  ctx: Ctx,
  automation: { id: string; of: Resource },
  selection: Selection,
  input: object,
): Promise<{ id: string; total: number }> {
  const ids = await selected(ctx, automation.of, selection);
  const id = newId("bulk", ctx.now.getTime());
  write(
    ctx,
    statement(sql`insert into automation_batch (organization_id, id, automation_id, ids, input, user_id, date_created)
      values (${ctx.organization_id}, ${id}, ${automation.id}, ${ids}, ${JSON.stringify(input)}, ${ctx.actor.user_id}, ${ctx.now})`),
  );
  wake(ctx, batchJobs, [id]);
  return { id, total: ids.length };
}

async function selected(ctx: Ctx, of: Resource, { query: sought, limit }: Selection): Promise<string[]> {
  const condition = sought === undefined ? [] : [await conditionOf(ctx, of, sought)];
  const rows = await query(
    ctx,
    statement(
      sql`select t.id from ${from(of, "t")} where ${and([...scope(ctx, of), ...condition])} order by t.id limit ${limit}`,
    ),
  );
  return rows.map(([id]) => id!);
}

async function conditionOf(ctx: Ctx, of: Resource, sought: string | object): Promise<Sql> {
  if (typeof sought !== "string") return recordsThat(ctx, of, sought, "query");
  const words = of.filters?.query;
  if (words === undefined) throw invalid({ query: `must be a tree of conditions: a ${of.name} is not found by words` });
  return below("query", () => words.sql(ctx, sought, "t"));
}

/** The most runs of one transaction. */
const chunk = 100;

interface Batch {
  automation_id: string;
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

/** A record that is gone, or has a run that is not over, is left out. */
async function startSome(ctx: Ctx, job: Job): Promise<void> {
  const batch = await nextOf(ctx, job);
  await holdClaim(ctx, job);
  const listener = batch === null ? null : await listenerById(ctx, batch.automation_id);
  if (batch === null || batch.ids.length === 0 || listener === null || listener.isPaused || listener.trigger.byHand !== true)
    return end(ctx, job);

  const runs: string[] = [];
  for (const id of batch.ids) {
    const run = await startByHand(ctx, listener, id, { kind: "bulk", input: batch.input, bulk_action_id: job.object_id });
    if (typeof run !== "string") runs.push(run.id);
  }
  wake(ctx, runJobs, runs);
  if (runs.length > 0) countStarted(ctx, [batch.automation_id]);
  write(ctx, {
    name: "automation_batch.moved",
    text: "update automation_batch set position = position + $3 where organization_id = $1 and id = $2",
    values: [ctx.organization_id, job.object_id, batch.ids.length],
  });
  release(ctx, job, ctx.now);
}

async function nextOf(ctx: Ctx, { object_id }: Job): Promise<Batch | null> {
  const [row] = await transactionOf(ctx).read({
    name: "automation_batch.next",
    text: `select automation_id, array_to_json(ids[position + 1 : position + ${chunk}]), input from automation_batch
           where organization_id = $1 and id = $2 for update`,
    values: [ctx.organization_id, object_id],
  });
  return row === undefined ? null : { automation_id: row[0]!, ids: JSON.parse(row[1]!), input: JSON.parse(row[2]!) };
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
