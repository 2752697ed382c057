// The verbs of pipelines. A pipeline is created, sorted and deleted together with its statuses.
import type { Ctx } from "../../core/context.ts";
import { invalid, refuse } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { refreshDirectory } from "../../records/change.ts";
import { emit, emitAll } from "../../records/event.ts";
import { findRecords } from "../../records/records.ts";
import { lockPointing, lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { placeBehind, pushedBack } from "../shared/positions.ts";
import { dateDeals } from "./date_deals.ts";
import { opportunity } from "./opportunity.ts";
import { opportunityStatus } from "./opportunity_status.ts";
import { type GivenStatus, pipeline } from "./pipeline.ts";

type Pipeline = Row<typeof pipeline>;
type Status = Row<typeof opportunityStatus>;
type NewStatus = GivenStatus & Partial<Pick<Status, "color">>;

/** The statuses of a pipeline that is created without any. */
const usual: GivenStatus[] = [
  { label: "Active", type: "active" },
  { label: "Won", type: "won" },
  { label: "Lost", type: "lost" },
];

const inOrder = sql`order by t.position, t.id`;

/** Changes of the order of pipelines or statuses run one at a time. */
export const lockPipelines = (ctx: Ctx): Promise<Pipeline[]> => lockToChange(ctx, pipeline, sql`true`);

export async function createPipeline(ctx: Ctx, { statuses, ...given }: Create<typeof pipeline>): Promise<Pipeline> {
  await lockPipelines(ctx);
  if (given.position !== undefined) await makeRoom(ctx, null, given.position);
  const position = given.position ?? (await placeBehind(ctx, pipeline));
  const row = store.insert(ctx, pipeline, { ...given, position }, undefined, null);
  const tell = () => emit(ctx, pipeline, { action: "created", after: row });
  await arrange(ctx, row.id, statuses && statuses.length > 0 ? copies(ctx, statuses) : usual, tell);
  return row;
}

/** A new pipeline takes nothing from others: statuses named by id are copied. */
const copies = (ctx: Ctx, statuses: readonly GivenStatus[]): NewStatus[] =>
  statuses.map(({ id, ...given }, i) => {
    if (id === undefined) return given;
    const { label, type, color } = ctx.directory.get(opportunityStatus, id) ?? fail(`statuses.${i}.id`);
    return { label, type, color, ...given };
  });

function fail(place: string): never {
  throw invalid({ [place]: "does not exist" });
}

export async function updatePipeline(
  ctx: Ctx,
  before: Pipeline,
  { statuses, ...patch }: Patch<typeof pipeline>,
): Promise<Pipeline> {
  if (patch.position !== undefined && patch.position !== before.position) await makeRoom(ctx, before.id, patch.position);
  // Its event shows the statuses after the change.
  if (statuses && statuses.length > 0) await arrange(ctx, before.id, statuses);
  return store.update(ctx, pipeline, before, patch);
}

/** Its statuses are deleted with it, so no deal may have one of them. */
export async function deletePipeline(ctx: Ctx, before: Pipeline): Promise<void> {
  // All are locked, so that of the last two only one can be deleted.
  const pipelines = await findRecords(ctx, pipeline, []);
  if (pipelines.length === 1) throw invalid({}, "The last pipeline cannot be deleted.");
  const statuses = await findRecords(ctx, opportunityStatus, [], sql`${inOrder} for update of t`);
  const own = statuses.filter((status) => status.pipeline_id === before.id).map((status) => status.id);
  if (own.length === statuses.length) throw invalid({}, "The last opportunity statuses cannot be deleted.");
  const used = await lockPointing(ctx, { from: opportunity, field: "status_id" }, own, 1);
  if (used.length > 0) throw invalid({}, "Pipeline is in use");

  await store.remove(ctx, pipeline, [before]);
}

async function makeRoom(ctx: Ctx, id: string | null, position: number): Promise<void> {
  const others = (await findRecords(ctx, pipeline, [], inOrder)).filter((row) => row.id !== id);
  for (const [row, place] of pushedBack(others, position)) store.update(ctx, pipeline, row, { position: place });
}

/** Moves the given statuses into the pipeline, in their order. Its other statuses come after them. */
async function arrange(ctx: Ctx, pipelineId: string, given: readonly NewStatus[], tell = () => {}): Promise<void> {
  const all = await findRecords(ctx, opportunityStatus, [], inOrder);
  const omitted = all.filter((row) => row.pipeline_id === pipelineId && !given.some(({ id }) => id === row.id));
  const rows = given.map(({ id }) => all.find((row) => row.id === id));
  checkGiven(given, rows, omitted);

  const changes: { before: Status; after: Status }[] = [];
  const made: Status[] = [];
  given.forEach(({ label, type, color }, position) => {
    const row = rows[position];
    const values = { label: label?.trim() ? label : row!.label, type: type ?? row?.type, pipeline_id: pipelineId, position };
    if (row) changes.push({ before: row, after: store.update(ctx, opportunityStatus, row, values) });
    else made.push(store.insert(ctx, opportunityStatus, { ...values, color }, undefined, null));
  });
  omitted.forEach((row, i) => void store.update(ctx, opportunityStatus, row, { position: given.length + i }));
  // Events of a pipeline show its statuses, and those of statuses show its name. From here on all of them are known.
  await refreshDirectory(ctx);
  tell();
  emitAll(
    ctx,
    opportunityStatus,
    made.map((after) => ({ action: "created", after })),
  );
  await dateDeals(ctx, changes);
}

function checkGiven(given: readonly GivenStatus[], rows: readonly (Status | undefined)[], omitted: readonly Status[]): void {
  const errors: Record<string, string> = {};
  const labels = new Set(omitted.map((row) => row.label.toLowerCase()));
  given.forEach(({ id, label }, i) => {
    const named = (label ?? rows[i]?.label ?? "").trim();
    if (id !== undefined && rows[i] === undefined) errors[`statuses.${i}.id`] = "does not exist";
    else if (id !== undefined && rows.indexOf(rows[i]) < i) errors[`statuses.${i}.id`] = "is given twice";
    else if (named === "") errors[`statuses.${i}.label`] = label === undefined ? "is required" : "must not be empty";
    else if (named.length > 255) errors[`statuses.${i}.label`] = "must be 255 characters or fewer";
    else if (labels.has(named.toLowerCase())) errors[`statuses.${i}.label`] = "is already used";
    labels.add(named.toLowerCase());
  });
  refuse(errors);
}
