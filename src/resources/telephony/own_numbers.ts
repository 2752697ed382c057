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

/** The number that a member's calls are made from where nothing else is said; null where there is none. */
export function usualNumber(ctx: Ctx, userId: string): PhoneNumber | null {
  const own = ctx.directory.list(membership).find((one) => one.user_id === userId);
  return ctx.directory.get(phoneNumber, own?.default_caller_id) ?? numbersOf(ctx, userId)[0] ?? null;
}

/** A personal number is its member's; that of a group is its participants', or everybody's where it names none. */
export function isUsableBy(number: PhoneNumber, userId: string): boolean {
  if (!number.is_group_number) return number.user_id === userId;
  return number.participants.length === 0 || number.participants.includes(userId);
}

/** Refuses a number that the organization does not have, or that the member may not use. */
export function checkOwnNumber(ctx: Ctx, number: string, userId: string, field: string): void {
  const found = ctx.directory.list(phoneNumber).find((one) => one.number === number && one.status !== "released");
  if (found === undefined) throw invalid({ [field]: "is not a number of this organization" });
  checkCallerId(ctx, found.id, userId, field);
}

/** Refuses a number that is another member's, or a group's that the member does not belong to. */
export function checkCallerId(ctx: Ctx, id: string | null | undefined, userId: string, field: string): void {
  const number = ctx.directory.get(phoneNumber, id);
  if (number === undefined || isUsableBy(number, userId)) return;
  throw invalid({
    [field]: number.is_group_number ? "is the number of a group without this member" : "is the number of another member",
  });
}
