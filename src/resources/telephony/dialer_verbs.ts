// The verbs of dialers: creating one with its leads, and pausing, resuming and ending it.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Ctx, may } from "../../core/context.ts";
import { invalid, notAllowed } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { emit } from "../../records/event.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { isActiveMember } from "../organization/organization.ts";
import { dialer } from "./dialer.ts";
import { dialerJobs } from "./dialer_jobs.ts";
import { readSource, takeLeads } from "./dialer_source.ts";
import { wayOf } from "./dialing_ahead.ts";
import { checkCallerId, usualNumber } from "./own_numbers.ts";
import { phoneNumber } from "./phone_number.ts";
import { takeDueCalls } from "./sequence_calls.ts";
import { checkVoicemail } from "./voicemail_drop.ts";

type Dialer = Row<typeof dialer>;
type Status = Dialer["status"];

export async function createDialer(ctx: Ctx, given: Create<typeof dialer>): Promise<Dialer> {
  const { lead_ids: _, action, phone_number_id: __, ...rest } = given;
  if (action) throw invalid({ action: "is for changes: give a status" });
  const user_id = given.user_id ?? ctx.actor.user_id;
  checkUser(ctx, user_id);
  await checkVoicemail(ctx, given.voicemail_drop_file_id);
  const asked = callerOf(ctx, given, user_id);
  const caller_id = asked === undefined ? (usualNumber(ctx, user_id)?.id ?? null) : asked;
  const caller = await asCaller(ctx, user_id);
  const source = await readSource(caller, given);

  const id = newId(dialer.prefix, ctx.now.getTime());
  const taken = await takeLeads(caller, id, source);
  const { source_type, source_value = null } = source.values;
  const due = source_type === "sequence-calls" ? await takeDueCalls(caller, { id, user_id, source_value, n_leads: taken }) : 0;
  const row = store.insert(ctx, dialer, {
    ...rest,
    ...source.values,
    id,
    user_id,
    user_ids: [user_id],
    caller_id,
    ...(await wayOf(ctx, { type: "power", caller_id_mode: "fixed", ...given, user_id, caller_id })),
    n_leads: taken + due,
  });
  if (row.status === "done") emit(ctx, dialer, { action: "completed", after: row });
  return row;
}

export async function updateDialer(ctx: Ctx, before: Dialer, patch: Patch<typeof dialer>): Promise<Dialer> {
  const { action, phone_number_id: _, lead_ids: __, ...rest } = patch;
  const status = statusOf(patch) ?? before.status;
  if (before.status === "done" && status !== "done") throw invalid({ status: `cannot become ${status}: the dialer is done` });
  if (patch.voicemail_drop_file_id !== before.voicemail_drop_file_id) await checkVoicemail(ctx, patch.voicemail_drop_file_id);
  const caller_id = callerOf(ctx, patch, before.user_id, before.caller_id);
  const changes = { ...rest, status, ...(caller_id === undefined ? {} : { caller_id }) };
  const after = store.update(ctx, dialer, before, { ...changes, ...(await wayOf(ctx, { ...before, ...changes })) });
  if (after.type === "predictive" && after.status !== before.status) wake(ctx, dialerJobs, [after.id]);
  if (after.status === "done" && before.status !== "done") emit(ctx, dialer, { action: "completed", after });
  return after;
}

const actions: Record<NonNullable<Patch<typeof dialer>["action"]>, Status> = { pause: "paused", resume: "active", done: "done" };

function statusOf({ status, action }: Patch<typeof dialer>): Status | undefined {
  if (!action) return status;
  if (status !== undefined && status !== actions[action]) throw invalid({ action: `differs from status ${status}` });
  return actions[action];
}

/** It contains the leads that the caller may see, so its counts reveal no others. */
async function asCaller(ctx: Ctx, user_id: string): Promise<Ctx> {
  if (user_id === ctx.actor.user_id) return ctx;
  const actor = await actorOfMember(ctx.db, ctx.organization_id, user_id);
  if (actor === null) throw invalid({ user_id: "is not an active member" });
  return { ...ctx, actor };
}

function checkUser(ctx: Ctx, user_id: string): void {
  if (user_id === ctx.actor.user_id) return;
  if (!may(ctx, "manage_organization")) throw notAllowed("manage_organization");
  if (!isActiveMember(ctx.directory, user_id)) throw invalid({ user_id: "is not an active member" });
}

/** The number to call from, under either of its names. Undefined when neither is given. */
function callerOf(
  ctx: Ctx,
  { caller_id, phone_number_id }: Patch<typeof dialer>,
  user_id: string,
  before: string | null = null,
): string | null | undefined {
  // A client that writes a whole record back has changed one of the two.
  const field = phone_number_id !== undefined && phone_number_id !== before ? "phone_number_id" : "caller_id";
  const id = field === "phone_number_id" ? phone_number_id : caller_id;
  if (id === undefined || id === null || id === before) return id;
  if (ctx.directory.get(phoneNumber, id) === undefined) throw invalid({ [field]: "does not exist" });
  checkCallerId(ctx, id, user_id, field);
  return id;
}
