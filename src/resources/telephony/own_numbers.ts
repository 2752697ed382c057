// From which numbers a member calls.
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

/** Refuses a number that is another member's, or a group's that the member does not belong to. */
export function checkCallerId(ctx: Ctx, id: string | null | undefined, userId: string, field: string): void {
  const number = ctx.directory.get(phoneNumber, id);
  if (number === undefined) return;
  const isUsable = number.is_group_number
    ? number.participants.length === 0 || number.participants.includes(userId)
    : number.user_id === userId;
  if (!isUsable)
    throw invalid({ [field]: number.is_group_number ? "is the number of a group of others" : "is the number of another member" });
}
