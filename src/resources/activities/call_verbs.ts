// The verbs of calls.
import { type Ctx, may, userOf } from "../../core/context.ts";
import { type FieldErrors, invalid, notAllowed, refuse } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { emit } from "../../records/event.ts";
import { store } from "../../records/store.ts";
import { messageChanged } from "../conversations/keep_up.ts";
import { followOutcome } from "../sequences/call_outcomes.ts";
import { endWays } from "../sequences/stops.ts";
import { createSystemTask } from "../tasks/system_task.ts";
import { dialerJobs } from "../telephony/dialer_jobs.ts";
import { finishStep } from "../telephony/sequence_calls.ts";
import { bothForms } from "./both_forms.ts";
import { call, type callStates } from "./call.ts";
import { tellOfMissedCall } from "./notices.ts";
import { checkOutcome, outcomesOf } from "./outcomes.ts";
import { checkPlace, place } from "./placing.ts";

type Call = Row<typeof call>;
type Status = (typeof callStates)[number];

export async function createCall(ctx: Ctx, given: Create<typeof call>): Promise<Call> {
  if (given.source === "Internal" && !may(ctx, "calling")) throw notAllowed("calling");
  const { placed, person } = await place(ctx, given, { phones: given.phone ? [given.phone] : [] });
  const status = given.status ?? "completed";

  const row = store.insert(ctx, call, {
    ...given,
    ...placed,
    ...(await written(ctx, given)),
    ...outcome(ctx, given),
    phone: given.phone === undefined ? (person?.phones[0]?.phone ?? null) : given.phone,
    disposition: given.disposition === undefined ? dispositions[status] : given.disposition,
    date_answered: status === "in-progress" ? ctx.now.toISOString() : null,
  });
  await entered(ctx, row);
  return row;
}

export async function updateCall(ctx: Ctx, before: Call, patch: Patch<typeof call>): Promise<Call> {
  await checkPlace(ctx, before, patch);
  checkFixed(before, patch);
  const status = patch.status ?? before.status;
  checkMove(before.status, status);

  const after = store.update(ctx, call, before, {
    ...patch,
    ...(await written(ctx, patch, before)),
    ...outcome(ctx, patch, before),
    disposition: dispositionOf(before, patch, status),
    date_answered: before.date_answered ?? (status === "in-progress" ? ctx.now.toISOString() : null),
  });
  if (after.status !== before.status) await entered(ctx, after);
  else if (!isLive(after) && saysMore(before, after)) await followOutcome(ctx, after);
  return after;
}

/** What came of it is known now, or is known better. */
const saysMore = (before: Call, after: Call): boolean =>
  after.outcome_id !== before.outcome_id || after.disposition !== before.disposition;

/** The call changes its status by itself: no caller requested it, so no permission is checked. */
export async function callGoesOn(ctx: Ctx, before: Call, status: Status, values: Values<typeof call> = {}): Promise<Call> {
  const after = store.update(ctx, call, before, { disposition: dispositionOf(before, {}, status), ...values, status });
  await messageChanged(ctx, call, before, after);
  if (after.status !== before.status) await entered(ctx, after);
  if (isLive(before) && hasRung(after)) await finishStep(ctx, after, after.user_id);
  if (after.call_method === "predictive" && !isLive(after)) wake(ctx, dialerJobs, [after.dialer_id!]);
  return after;
}

/** Somebody from a dialer was called, and it rang there. */
const hasRung = (row: Call): row is Call & { dialer_id: string; contact_id: string } =>
  row.dialer_id !== null && row.contact_id !== null && !isLive(row) && row.status !== "failed" && row.status !== "cancel";

/** Nobody made the call. */
export const failCall = (ctx: Ctx, before: Call, why: string | null = null): Promise<Call> =>
  callGoesOn(ctx, before, "failed", { error_message: why });

/** The call rings, or people are talking. */
export const isLive = ({ status }: Pick<Call, "status">): boolean => live[status] !== undefined;

const dispositions: Record<Status, Call["disposition"]> = {
  created: null,
  "in-progress": null,
  completed: "answered",
  cancel: "abandoned",
  "no-answer": "no-answer",
  busy: "busy",
  failed: "error",
  timeout: "no-answer",
};

/** A disposition that followed from the status keeps following it. */
function dispositionOf(before: Call, patch: Patch<typeof call>, status: Status): Call["disposition"] {
  if (patch.disposition !== undefined && patch.disposition !== before.disposition) return patch.disposition;
  return before.disposition === dispositions[before.status] ? dispositions[status] : before.disposition;
}

/** Values measured by the service cannot be edited. */
function checkFixed(before: Call, patch: Patch<typeof call>): void {
  if (before.source !== "Internal") return;
  const errors: FieldErrors = {};
  for (const field of ["status", "duration", "direction"] as const)
    if (patch[field] !== undefined && patch[field] !== before[field])
      errors[field] = "cannot be changed on a call made through the service";
  refuse(errors);
}

const live: Partial<Record<Status, readonly Status[]>> = {
  created: ["in-progress", "cancel", "no-answer", "busy", "failed", "timeout"],
  "in-progress": ["completed"],
};

/** A running call follows its own states. A finished one is a log entry, and may be corrected. */
function checkMove(from: Status, to: Status): void {
  if (from !== to && live[from] && !live[from].includes(to)) throw invalid({ status: `cannot become ${to} while it is ${from}` });
}

async function written(ctx: Ctx, given: Patch<typeof call>, before?: Call): Promise<Partial<Pick<Call, "note" | "note_html">>> {
  const forms = await bothForms(
    ctx,
    { text: given.note, html: given.note_html },
    { text: before?.note, html: before?.note_html },
  );
  return forms ? { note: forms.text, note_html: forms.html } : {};
}

/** The outcome by its id, or else by its name. Other text is stored as it is. */
function outcome(ctx: Ctx, given: Patch<typeof call>, before?: Call): Partial<Pick<Call, "outcome_id" | "outcome">> {
  const outcomes = outcomesOf(ctx, "call_outcomes");
  const [id, words] = [before?.outcome_id ?? null, before?.outcome ?? null];
  if (given.outcome_id !== undefined && given.outcome_id !== id) {
    checkOutcome(outcomes, given.outcome_id);
    return { outcome_id: given.outcome_id, outcome: outcomes.find((one) => one.id === given.outcome_id)?.name ?? null };
  }
  if (given.outcome === undefined || given.outcome === words) return {};
  const named = outcomes.find((one) => one.name.toLowerCase() === given.outcome?.toLowerCase());
  return { outcome_id: named?.id ?? null, outcome: named?.name ?? given.outcome };
}

/** The call has reached its present status. */
async function entered(ctx: Ctx, row: Call): Promise<void> {
  if (row.status === "in-progress") emit(ctx, call, { action: "answered", after: row });
  if (row.status === "completed") emit(ctx, call, { action: "completed", after: row });
  const except = isLive(row) ? [] : await followOutcome(ctx, row);
  if (row.status === "completed" && row.disposition === "answered" && row.contact_id !== null)
    await endWays(ctx, { addresses: [], contact_id: row.contact_id, at: row.activity_at, except }, "called");
  if (row.status !== "no-answer" || row.direction !== "inbound") return;
  const [responsible] = await tellOfMissedCall(ctx, row);
  // A call noted by the service without a caller belongs to the member who is notified first.
  const by = row.user_id ?? userOf(ctx) ?? responsible;
  if (by !== undefined) callBack(ctx, row, by);
}

/** The text names nobody: whoever gets the task may not see the contact. Its labels name those whom they may see. */
function callBack(
  ctx: Ctx,
  { lead_id, contact_id, id, phone, local_phone, voicemail_url, voicemail_duration }: Call,
  assigned_to: string,
): void {
  createSystemTask(ctx, {
    _type: "missed_call",
    text: phone === null ? "Missed call" : `Missed call from ${phone}`,
    lead_id,
    contact_id,
    assigned_to,
    object_type: "activity.call",
    object_id: id,
    phone,
    local_phone,
    voicemail_url,
    voicemail_duration,
  });
}
