// Which numbers are called or forwarded to. A number of the organization that rings itself, directly or through a group, makes more
// calls with each call. Premium-rate numbers bill the organization for whoever set them.
import type { Ctx } from "../../core/context.ts";
import { type FieldErrors, refuse } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { isPremiumRate } from "../../values/phone.ts";
import { ourNumber } from "./own_numbers.ts";
import type { phoneNumber } from "./phone_number.ts";

type PhoneNumber = Row<typeof phoneNumber>;

/** Why no call is placed to this number. Null when one is. */
export function whyNotCallTo(ctx: Ctx, phone: string): string | null {
  if (isPremiumRate(phone)) return "is a premium-rate number: those are not called from here";
  return isOurLine(ctx, phone) ? "is a number of this organization: its calls come in here" : null;
}

/** Calls to an external number go to a phone elsewhere, and those to a number that is being ported still to its old carrier. */
function isOurLine(ctx: Ctx, phone: string): boolean {
  const found = ourNumber(ctx, phone.replace(/x\d+$/, ""));
  return found !== undefined && found.type !== "external" && found.status !== "porting";
}

type Forwarding = Pick<PhoneNumber, "number" | "type" | "forward_to" | "forward_to_enabled" | "phone_numbers">;

/** Refuses phones that cannot be forwarded to. Those that were there before stay, and are not rung. */
export function checkForwarding(ctx: Ctx, after: Partial<Forwarding>, before: Partial<Forwarding>): void {
  const problems: FieldErrors = {};
  const check = (field: string, phone: string) => {
    const reason = whyNotForward(ctx, after, phone);
    if (reason !== null) problems[field] = reason;
  };
  const isNew = after.forward_to !== before.forward_to || (after.forward_to_enabled && !before.forward_to_enabled);
  if (after.forward_to && isNew) check("forward_to", after.forward_to);
  after.phone_numbers?.forEach((phone, i) => {
    if (!before.phone_numbers?.includes(phone)) check(`phone_numbers.${i}`, phone);
  });
  refuse(problems);
}

function whyNotForward(ctx: Ctx, from: Partial<Forwarding>, phone: string): string | null {
  if (phone === from.number) return "is this number itself";
  // An external number whose calls come in here was set up so at its carrier, and others may be too.
  const isCircle = from.type === "external" && ourNumber(ctx, phone) !== undefined;
  return isCircle ? "is a number of this organization" : whyNotCallTo(ctx, phone);
}

/** Where a call came from. */
export interface Origin {
  from: string;
  /** The number that forwarded it to ours, where its carrier says so. */
  forwarded_from: string | null;
}

/** The phones that a call to this number is forwarded to. Numbers may have come since these were set, and a call may come back. */
export function forwardedTo(ctx: Ctx, number: PhoneNumber, origin: Origin | null = null): string[] {
  const passed = origin === null ? [] : [origin.from, origin.forwarded_from ?? ""];
  if (passed.some((one) => isOurLine(ctx, one))) return [];
  const own = number.forward_to_enabled && number.forward_to ? [number.forward_to] : [];
  return [...new Set([...own, ...number.phone_numbers])].filter(
    (phone) => !passed.includes(phone) && whyNotForward(ctx, number, phone) === null,
  );
}
