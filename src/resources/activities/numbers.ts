// Phone numbers of calls and messages: stored as E.164 by the organization's country, and shown in readable form beside it.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { text } from "../../core/field.ts";
import { parsePhone } from "../../values/phone.ts";
import { organizationOf } from "../organization/organization.ts";

export const number = (doc: string) => text({ max: 100, doc, normalize: (raw: string, ctx: Ctx) => e164(raw, ctx) });

function e164(raw: string, ctx: Ctx): string {
  const parsed = parsePhone(raw, organizationOf(ctx.directory).country);
  if (parsed === null) throw invalid({ "": "is not a phone number" });
  return parsed.phone;
}

/** `+1 800-444-5555`. A stored number reads the same from any country. */
export const formatted = (field: string) =>
  text({ derive: (row: Record<string, string | null>) => parsed(row[field])?.phone_formatted ?? null });

export const countryOf = (field: string) =>
  text({ derive: (row: Record<string, string | null>) => parsed(row[field])?.country ?? null });

const parsed = (phone: string | null | undefined) => (phone ? parsePhone(phone, "US") : null);
