// The verbs of phone numbers: whose a number is, who may change it, and what happens to its users.
import { type Ctx, may } from "../../core/context.ts";
import { collect, type FieldErrors, invalid, notAllowed, refuse } from "../../core/errors.ts";
import type { Extras } from "../../core/operation.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { lockPointing } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { parsePhone } from "../../values/phone.ts";
import { storedFor } from "../accounts/open_credentials.ts";
import { isActiveMember } from "../organization/organization.ts";
import { notByConnection } from "../shared/not_by_connection.ts";
import { checkForwarding } from "./callable.ts";
import { dialer } from "./dialer.ts";
import { wakeNumbers } from "./number_jobs.ts";
import { phoneNumber } from "./phone_number.ts";
import { openFor } from "./port_states.ts";
import { notConnected } from "./provider.ts";
import type { Ordered } from "./rented_kind.ts";

type PhoneNumber = Row<typeof phoneNumber>;
type Given = Partial<PhoneNumber>;

/** An internal number waits for its carrier. The others already work elsewhere. */
export async function createPhoneNumber(
  ctx: Ctx,
  { sharing, ...rest }: Create<typeof phoneNumber>,
  extras?: Extras,
): Promise<PhoneNumber> {
  const { number, carrier_type } = (extras?.ready ?? {}) as Ordered;
  const given = { ...rest, number: rest.number ?? number, carrier_type: rest.carrier_type ?? carrier_type };
  const { is_group_number, user_id } = ownerOfNew(ctx, { ...given, sharing });
  if (given.forward_to) notByConnection(ctx);
  checkNumber(ctx, { ...given, is_group_number, user_id });
  if (given.number === undefined) throw invalid({ number: given.country ? noneToPick : "is required" });

  const status = await statusOfNew(ctx, given.number, given.type);
  const waits = status === "pending" && (await storedFor(ctx, "twilio")) === null;
  const row = store.insert(ctx, phoneNumber, {
    ...given,
    is_group_number,
    user_id,
    country: given.country ?? parsePhone(given.number, "US")?.country ?? null,
    status,
    status_details: waits ? `It is not rented yet: ${notConnected}` : null,
  });
  wakeNumbers(ctx, [row]);
  return row;
}

async function statusOfNew(ctx: Ctx, number: string, type: PhoneNumber["type"] = "internal"): Promise<PhoneNumber["status"]> {
  if (type !== "internal") return "active";
  return (await openFor(ctx, [number])).length > 0 ? "porting" : "pending";
}

type Owner = Pick<PhoneNumber, "is_group_number" | "user_id">;

/** The owner of the number. Throws when the caller may not add such a number. */
export function ownerOfNew(ctx: Ctx, given: Create<typeof phoneNumber>): Owner {
  const is_group_number = given.is_group_number ?? given.sharing === "group";
  if (given.sharing && (given.sharing === "group") !== is_group_number)
    throw invalid({ sharing: "differs from is_group_number" });
  const user_id = is_group_number ? (given.user_id ?? null) : given.user_id === undefined ? ctx.actor.user_id : given.user_id;
  checkMayWrite(ctx, { is_group_number, user_id });
  return { is_group_number, user_id };
}

const noneToPick = "is required: no telephony provider is connected that could pick one";

export async function updatePhoneNumber(ctx: Ctx, before: PhoneNumber, patch: Patch<typeof phoneNumber>): Promise<PhoneNumber> {
  const after = { ...before, ...patch };
  checkMayWrite(ctx, before);
  if (after.user_id !== before.user_id) checkMayWrite(ctx, after);
  if (patch.forward_to || (patch.forward_to_enabled && before.forward_to !== null)) notByConnection(ctx);
  checkNumber(ctx, after, before);
  return store.update(ctx, phoneNumber, before, patch);
}

/** Calls and messages keep the number as text. A dialer that used it pauses until somebody sets another number. */
export async function deletePhoneNumber(ctx: Ctx, before: PhoneNumber): Promise<void> {
  checkMayWrite(ctx, before);
  for (const one of await lockPointing(ctx, { from: dialer, field: "caller_id" }, [before.id])) {
    const using = one as Row<typeof dialer>;
    store.update(ctx, dialer, using, { caller_id: null, status: using.status === "active" ? "paused" : using.status });
  }
  wakeNumbers(ctx, [before]);
  await store.remove(ctx, phoneNumber, [before]);
}

/** Members may change their own numbers. Those of others, and of groups, need a permission. */
function checkMayWrite(ctx: Ctx, { is_group_number, user_id }: Owner): void {
  const permission = is_group_number ? "manage_group_numbers" : "manage_organization";
  const isOwn = !is_group_number && user_id === ctx.actor.user_id;
  if (!isOwn && !may(ctx, permission)) throw notAllowed(permission);
}

function checkNumber(ctx: Ctx, after: Given, before: Given = {}): void {
  const problems: FieldErrors = {};
  if (after.is_group_number && after.user_id) problems.user_id = "is only for personal numbers: this is one of a group";
  if (!after.is_group_number && after.participants?.length) problems.participants = "is only for group numbers";
  if (!after.is_group_number && after.phone_numbers?.length) problems.phone_numbers = "is only for group numbers";
  if (!after.is_group_number && after.user_id === null && before.user_id !== null)
    problems.user_id = "must not be null: somebody must have a personal number";
  if (after.user_id && after.user_id !== before.user_id && !isActiveMember(ctx.directory, after.user_id))
    problems.user_id = "is not an active member";
  after.participants?.forEach((id, i) => {
    if (!before.participants?.includes(id) && !isActiveMember(ctx.directory, id))
      problems[`participants.${i}`] = "is not an active member";
  });
  if (after.forward_to_enabled && !after.forward_to) problems.forward_to = "is required while forward_to_enabled is true";
  collect(problems, () => checkForwarding(ctx, after, before));
  refuse(problems);
}
