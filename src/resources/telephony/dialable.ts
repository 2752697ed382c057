// Fields for numbers that must be dialable. Other fields keep whatever was entered as a number.
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

/** The number, or null for text that no telephone network knows. Without a country code it is one of the organization's country. */
export function dialable(raw: string, ctx: Ctx): Dialable | null {
  const parsed = parsePhone(raw, organizationOf(ctx.directory).country);
  // What is no number is kept as it was written, and then both forms are the same.
  return parsed === null || parsed.phone === parsed.phone_formatted ? null : parsed;
}

/** The E.164 form for a field, or the refusal of what has none. */
export function e164(raw: string, ctx: Ctx): string {
  const parsed = dialable(raw, ctx);
  if (parsed === null || !/^\+\d+$/.test(parsed.phone)) throw invalid({ "": "is not a phone number" });
  return parsed.phone;
}

/** Of the `phones` of a contact, as `p.item`: those that somebody may answer. */
export const isDialable = sql`p.item->>'type' <> 'fax' and p.item->>'phone' ~ '^[+][0-9]+(x[0-9]+)?$'`;
