// The phone numbers that a member can call from.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { membership } from "../organization/membership.ts";
import { phoneNumber } from "./phone_number.ts";

type PhoneNumber = Row<typeof phoneNumber>;

/** The member's personal numbers, oldest first. */
export const numbersOf = (ctx: Ctx, userId: string): PhoneNumber[] =>
  ctx.directory.list(phoneNumber).filter((one) => one.user_id === userId);

/** The member's default number for calls: one that works if there is one. Null when there is none. */
export function usualNumber(ctx: Ctx, userId: string): PhoneNumber | null {
  const own = ctx.directory.list(membership).find((one) => one.user_id === userId);
  const numbers = numbersOf(ctx, userId);
  const active = numbers.find(({ status }) => status === "active");
  return ctx.directory.get(phoneNumber, own?.default_caller_id) ?? active ?? numbers[0] ?? null;
}

/** A personal number belongs to its member. A group number belongs to its participants, or to everybody when it names none. */
export function isUsableBy(number: PhoneNumber, userId: string): boolean {
  if (!number.is_group_number) return number.user_id === userId;
  return number.participants.length === 0 || number.participants.includes(userId);
}

/** Refuses a number that the organization does not have, or that the member may not use. */
export function checkOwnNumber(ctx: Ctx, number: string, userId: string, field: string): void {
  const found = ourNumber(ctx, number);
  if (found === undefined) throw invalid({ [field]: "is not a number of this organization" });
  checkCallerId(ctx, found.id, userId, field);
}

/** Refuses a number of another member, or of a group that the member does not belong to. */
export function checkCallerId(ctx: Ctx, id: string | null | undefined, userId: string, field: string): void {
  const number = ctx.directory.get(phoneNumber, id);
  if (number === undefined || isUsableBy(number, userId)) return;
  throw invalid({
    [field]: number.is_group_number ? "is the number of a group without this member" : "is the number of another member",
  });
}

/** The organization's number with these digits. */
export const ourNumber = (ctx: Ctx, number: string): PhoneNumber | undefined =>
  ctx.directory.list(phoneNumber).find((one) => one.number === number && one.status !== "released");

/** The members whom a group's number rings. For one that rings everybody, the member who set it up. */
export function rungBy(ctx: Ctx, local_phone: string | null): (string | null)[] {
  const number = local_phone === null ? undefined : ourNumber(ctx, local_phone);
  if (!number?.is_group_number) return [];
  return number.participants.length > 0 ? number.participants : [number.created_by];
}

/** Why this member may not send such a message from this number. Null when they may. */
export function whyNotFrom(
  ctx: Ctx,
  number: string | null,
  userId: string,
  { channel, withMedia }: { channel: string; withMedia: boolean },
): string | null {
  if (number === null) return "there is no number to send it from: set local_phone";
  const found = ourNumber(ctx, number);
  if (found === undefined) return `${number} is no longer a number of the organization`;
  if (!isUsableBy(found, userId)) return `${number} may no longer be used by the author of the message`;
  if (channel !== "sms") return null;
  if (!found.sms_enabled) return `${number} does not support texts`;
  return withMedia && !found.mms_enabled
    ? `${number} sends texts without attachments: leave them out, or use another number`
    : null;
}

/** Why this member may not make a call from this number. Null when they may. */
export function whyNotCallFrom(ctx: Ctx, number: string | null, userId: string): string | null {
  if (number === null) return "There is no number to call from: set phone_number_id";
  const found = ourNumber(ctx, number);
  if (found === undefined) return `${number} is no longer a number of the organization`;
  return isUsableBy(found, userId) ? null : `${number} may no longer be used by the member who makes the call`;
}

/** The member's default number for texts: the one they call from, or else one of their groups. */
export function usualTextNumber(ctx: Ctx, userId: string): PhoneNumber | null {
  const groups = ctx.directory.list(phoneNumber).filter((one) => one.is_group_number && isUsableBy(one, userId));
  const candidates = [usualNumber(ctx, userId), ...numbersOf(ctx, userId), ...groups];
  const possible = candidates.filter((one) => one !== null && one.sms_enabled && one.status !== "released");
  // A number that is still being rented or ported may never come.
  return possible.find((one) => one?.status === "active") ?? possible[0] ?? null;
}
