// Whether a message of a sequence may still leave, asked in the transaction in which sending starts. One that may not is taken
// back: it is deleted, and its subscription stands at the same step again.
import type { Ctx } from "../../core/context.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { deleteRecord, findRecord, findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { email } from "../activities/email.ts";
import { contact } from "../contacts/contact.ts";
import { unreadMailbox } from "./answers_read.ts";
import { openAt } from "./due.ts";
import { asFollowed } from "./former_steps.ts";
import { matches } from "./matches.ts";
import { isAddressOf } from "./recipient.ts";
import { sequence } from "./sequence.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";
import { wakeStep } from "./step_jobs.ts";
import { zoneFor } from "./zone.ts";

interface Message {
  id: string;
  sequence_subscription_id: string | null;
}

/** True when it was taken back, so that there is nothing to send. */
export async function takenBack(ctx: Ctx, of: Resource, message: Message): Promise<boolean> {
  if (message.sequence_subscription_id === null) return false;
  const [way] = await lockToChange(
    ctx,
    sequenceSubscription,
    sql`t.id = ${message.sequence_subscription_id}`,
    "sequence_subscription.lock_by_id",
  );
  // Its subscription has gone on without it, and a member has put it into the outbox again.
  if (way !== undefined && way.waiting_message_id !== message.id) return false;
  if (way !== undefined && (await mayLeave(ctx, way)) && (of !== email || (await isStillTheirs(ctx, way)))) return false;

  if (way !== undefined) {
    const next_step_at = way.status === "active" ? ctx.now.toISOString() : way.next_step_at;
    wakeStep(ctx, store.update(ctx, sequenceSubscription, way, { waiting_message_id: null, next_step_at }));
  }
  await deleteRecord(ctx, of, message.id);
  return true;
}

async function mayLeave(ctx: Ctx, way: Row<typeof sequenceSubscription>): Promise<boolean> {
  if (way.status !== "active") return false;
  const byId = [sql`t.id = ${way.sequence_id}`];
  const [of] = await findRecords(ctx, { ...sequence, visible: undefined }, byId, sql`for share of t`, "share_by_id");
  if (of === undefined || of.status !== "active" || (await unreadMailbox(ctx, way)) !== null) return false;
  const step = (await asFollowed(ctx, of, way)).steps.find(({ id }) => id === way.current_step_id);
  if (step?.condition && !(await matches(ctx, step.condition, way, "condition"))) return false;
  return openAt(ctx, of, await zoneFor(ctx, of, way), ctx.now).getTime() === ctx.now.getTime();
}

/** Nobody is written to at an address that was taken off them meanwhile. */
async function isStillTheirs(ctx: Ctx, { contact_id, contact_email }: Row<typeof sequenceSubscription>): Promise<boolean> {
  const person = await findRecord(ctx, { ...contact, visible: undefined } as typeof contact, contact_id);
  return person !== null && contact_email !== null && isAddressOf(person, contact_email);
}
