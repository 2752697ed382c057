// The job for a change of many records: it removes or converts the values of a field, or deletes the records of a deleted type,
// some in each transaction.
import { type Ctx, write } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work, wake } from "../../jobs/job.ts";
import { asService, readingAs, systemActor } from "../../records/acting.ts";
import { touched } from "../../records/change.ts";
import { findRecord, lockRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { customDataJobs, recordsAtOnce, settledAt } from "./begin_change.ts";
import { customDataChange } from "./custom_data_change.ts";
import { customField } from "./custom_field.ts";
import { convertIn, type Holder, holdersOf, lastOfNext, removeFrom } from "./field_values.ts";
import { removeSomeRecords } from "./remove_type.ts";

type Change = Row<typeof customDataChange>;

/** A job runs this long, then other jobs get their turn. */
const turnMs = 2_000;
/** After several workers ended in the middle of the job. */
const restMs = 600_000;

export const customDataWork: Work = {
  ...customDataJobs,
  doc: "Removes and converts values of custom fields, and removes the records of deleted types.",
  slots: 2,
  async run(core, job) {
    const until = performance.now() + turnMs;
    const inTurn = await turnsOf(core, job);
    while (await inTurn((ctx, change) => takeStep(ctx, job, change)))
      if (performance.now() > until) return inTurn(async (ctx) => release(ctx, job, ctx.now));
  },
  // The change must not stay half done.
  async giveUp(ctx, job) {
    wake(ctx, customDataJobs, [job.object_id], new Date(ctx.now.getTime() + restMs));
  },
};

/** Transactions in the name of the user who requested the change. Each holds the claim, after it has locked the change. */
async function turnsOf(core: Core, job: Job) {
  const request = requestOf(job);
  const reading = await readingAs(core, systemActor(job.organization_id), request);
  const found = await findRecord(reading, customDataChange, job.object_id);
  return <T>(act: (ctx: Ctx, change: Change | undefined) => Promise<T>): Promise<T> =>
    asService(core, job.organization_id, found?.created_by ?? "", request, async (ctx) => {
      const [change] = await lockToChange(ctx, customDataChange, sql`t.id = ${job.object_id}`);
      await holdClaim(ctx, job);
      return act(ctx, change);
    });
}

/** Returns whether there may be more to do. If not, the change is done and so is the job. */
async function takeStep(ctx: Ctx, job: Job, change: Change | undefined): Promise<boolean> {
  if (change !== undefined) {
    if (await (change.type_id === null ? changeSomeValues(ctx, change) : removeSomeRecords(ctx, change.type_id))) return true;
    if (isToSettle(change)) return lookAgain(ctx, job, change);
    write(ctx, {
      text: "delete from custom_data_change where organization_id = $1 and id = $2",
      values: [ctx.organization_id, change.id],
    });
    touched(ctx, customDataChange);
  }
  release(ctx, job, null);
  return false;
}

const isToSettle = ({ type_id, becomes, removed }: Change): boolean => type_id === null && becomes === null && !removed;

/** The job looks at all records once more, for values that were written while it removed the others. */
function lookAgain(ctx: Ctx, job: Job, { id }: Change): false {
  write(ctx, {
    name: "custom_data_change.removed",
    text: `update custom_data_change set removed = true, reached_table = '', reached_id = '' where organization_id = $1 and id = $2`,
    values: [ctx.organization_id, id],
  });
  release(ctx, job, settledAt(ctx.now));
  return false;
}

/** Changes the values of the next records, if they have any. */
async function changeSomeValues(ctx: Ctx, change: Change): Promise<boolean> {
  const [holder, next] = holdersOf(ctx, change).filter(({ table }) => table >= change.reached_table);
  if (holder === undefined) return endConversion(ctx, change);

  const last = holder.table === change.reached_table ? change.reached_id : "";
  const until = await lastOfNext(ctx, holder.table, last, recordsAtOnce);
  if (until !== null) {
    const part = sql`t.id > ${last} and t.id <= ${until}`;
    if (change.becomes === null) await removeFrom(ctx, holder, part);
    else if (!(await convertSome(ctx, change, holder, part))) return false;
    reached(ctx, change, holder.table, until);
    return true;
  }
  if (next === undefined) return endConversion(ctx, change);
  reached(ctx, change, next.table, "");
  return true;
}

/** Stores the progress. The directories' copy of the change stays as it is. */
function reached(ctx: Ctx, { id }: Change, table: string, recordId: string): void {
  write(ctx, {
    name: "custom_data_change.reached",
    text: "update custom_data_change set reached_table = $3, reached_id = $4 where organization_id = $1 and id = $2",
    values: [ctx.organization_id, id, table, recordId],
  });
}

/**
 * Returns whether the field still exists, because it may be deleted with its type. A value written since the check stays as it
 * is.
 */
async function convertSome(ctx: Ctx, { field_id, becomes, drops }: Change, holder: Holder, part: Sql): Promise<boolean> {
  const field = await findRecord(ctx, customField, field_id!);
  if (field !== null) await convertIn(ctx, holder, { ...field, ...becomes! }, part, drops ? "drop" : "keep");
  return field !== null;
}

/** The field gets its new type. */
async function endConversion(ctx: Ctx, { field_id, becomes }: Change): Promise<false> {
  if (becomes !== null && (await findRecord(ctx, customField, field_id!)) !== null) {
    const before = await lockRecord(ctx, customField, field_id!);
    store.update(ctx, customField, before, { ...becomes, converting_to_type: null });
  }
  return false;
}
