// Fields for numbers that must be dialable. Other fields store any text that was entered as a number.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { sql } from "../../db/sql.ts";
import { parsePhone } from "../../values/phone.ts";
import { organizationOf } from "../organization/organization.ts";

export interface Dialable {
  /** E.164. */
  phone: string;
  phone_formatted: string;
  country: string | null;
}

/** The number, or null for text that is not a phone number. Without a country code it belongs to the organization's country. */
export function dialable(raw: string, ctx: Ctx): Dialable | null {
  const parsed = parsePhone(raw, organizationOf(ctx.directory).country);
  // Text that is not a number is stored as it was written, and then both forms are the same.
  return parsed === null || parsed.phone === parsed.phone_formatted ? null : parsed;
}

/** The E.164 form for a field, or an error when there is none. */
export function e164(raw: string, ctx: Ctx): string {
  const parsed = dialable(raw, ctx);
  if (parsed === null || !/^\+\d+$/.test(parsed.phone)) throw invalid({ "": "is not a phone number" });
  return parsed.phone;
}

/** For the `phones` of a contact, as `p.item`: those that can be dialed. */
export const isDialable = sql`p.item->>'type' <> 'fax' and p.item->>'phone' ~ '^[+][0-9]+(x[0-9]+)?$'`;
