// Whose a phone number is, who may change it, and what becomes of what used it.
import { type Ctx, may } from "../../core/context.ts";
import { type FieldErrors, invalid, notAllowed, refuse } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { lockPointing } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { parsePhone } from "../../values/phone.ts";
import { isActiveMember } from "../organization/organization.ts";
import { dialer } from "./dialer.ts";
import { phoneNumber } from "./phone_number.ts";

type PhoneNumber = Row<typeof phoneNumber>;
type Given = Partial<PhoneNumber>;

/** An internal number waits for its carrier; the others are at work already, elsewhere. */
export async function createPhoneNumber(ctx: Ctx, { sharing, ...given }: Create<typeof phoneNumber>): Promise<PhoneNumber> {
  const is_group_number = given.is_group_number ?? sharing === "group";
  if (sharing && (sharing === "group") !== is_group_number) throw invalid({ sharing: "differs from is_group_number" });
  const user_id = is_group_number ? (given.user_id ?? null) : given.user_id === undefined ? ctx.actor.user_id : given.user_id;
  checkMayWrite(ctx, { is_group_number, user_id });
  checkNumber(ctx, { ...given, is_group_number, user_id });
  if (given.number === undefined) throw invalid({ number: given.country ? noneToPick : "is required" });

  return store.insert(ctx, phoneNumber, {
    ...given,
    is_group_number,
    user_id,
    country: given.country ?? parsePhone(given.number, "US")?.country ?? null,
    status: (given.type ?? "internal") === "internal" ? "pending" : "active",
  });
}

const noneToPick = "is required: no telephony provider is connected that could pick one";

export async function updatePhoneNumber(ctx: Ctx, before: PhoneNumber, patch: Patch<typeof phoneNumber>): Promise<PhoneNumber> {
  const after = { ...before, ...patch };
  checkMayWrite(ctx, before);
  if (after.user_id !== before.user_id) checkMayWrite(ctx, after);
  checkNumber(ctx, after, before);
  return store.update(ctx, phoneNumber, before, patch);
}

/** Calls and messages keep the number as text. A dialer that used it pauses, until somebody says from where to call. */
export async function deletePhoneNumber(ctx: Ctx, before: PhoneNumber): Promise<void> {
  checkMayWrite(ctx, before);
  for (const one of await lockPointing(ctx, { from: dialer, field: "caller_id" }, [before.id])) {
    const using = one as Row<typeof dialer>;
    store.update(ctx, dialer, using, { caller_id: null, status: using.status === "active" ? "paused" : using.status });
  }
  await store.remove(ctx, phoneNumber, [before]);
}

/** One's own number is one's own business; those of others, and those of groups, take a permission. */
function checkMayWrite(ctx: Ctx, { is_group_number, user_id }: Pick<PhoneNumber, "is_group_number" | "user_id">): void {
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
  refuse(problems);
}
