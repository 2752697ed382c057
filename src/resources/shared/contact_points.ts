// E-mail addresses, phone numbers, web addresses and postal addresses of leads and contacts.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { json } from "../../core/field.ts";
import { parseCountry, timeZonesOf } from "../../values/country.ts";
import { emailKey, parseEmail } from "../../values/email.ts";
import { parsePhone, phoneDigits } from "../../values/phone.ts";
import { parseUrl } from "../../values/url.ts";
import { organizationOf } from "../organization/organization.ts";

/** The kinds of e-mail addresses and phone numbers. */
export const pointTypes = ["office", "home", "direct", "mobile", "work", "fax", "other"] as const;
const listMax = 100;

export interface Email {
  email: string;
  type: string;
  /** Only for contacts: the owner of the address has unsubscribed. */
  is_unsubscribed?: boolean;
  /** Only for contacts: mail to it bounced. */
  is_invalid?: boolean;
}

export interface Phone {
  phone: string;
  phone_formatted: string;
  type: string;
  country: string | null;
}

const email = z.object({
  email: z.string().transform((raw, check) => {
    const value = parseEmail(raw);
    if (value === null) check.addIssue({ code: "custom", message: "is not an e-mail address" });
    return value as string;
  }),
  type: z.enum(pointTypes).default("office"),
});

/** `[{email, type}]`. An address is kept as it was written, and compared in lower case. */
export const emails = (doc: string) => json(z.array(email).max(listMax), { default: [] as Email[], doc });

const givenPhone = z.object({ phone: z.string().max(100), type: z.enum(pointTypes).default("office") });
const shownPhone = z.object({ phone: z.string(), phone_formatted: z.string(), type: z.string(), country: z.string().nullable() });

/** `[{phone, type}]`, stored as E.164 by the organization's country, and shown with `phone_formatted` and `country`. */
export const phones = (doc: string) =>
  json(z.array(givenPhone).max(listMax) as unknown as z.ZodType<Phone[]>, {
    default: [] as Phone[],
    doc,
    output: z.array(shownPhone),
    normalize: normalizePhones,
  });

function normalizePhones(given: { phone: string; type: string }[], ctx: Ctx): Phone[] {
  const { country } = organizationOf(ctx.directory);
  return given.map(({ phone, type }, i) => {
    const parsed = parsePhone(phone, country);
    if (parsed === null) throw invalid({ [`${i}.phone`]: "is not a phone number" });
    return { phone: parsed.phone, phone_formatted: parsed.phone_formatted, type, country: parsed.country };
  });
}

const url = z.object({
  url: z.string().transform((raw, check) => {
    const value = parseUrl(raw, { prefix: true });
    if (value === null) check.addIssue({ code: "custom", message: "is not a web address" });
    return value as string;
  }),
  type: z.string().max(50).default("url"),
});

/** `[{url, type}]`. */
export const urls = (doc: string) => json(z.array(url).max(listMax), { default: [] as { url: string; type: string }[], doc });

const short = z.string().max(255).nullish();

/** The address as written on an envelope, line by line. */
export const addressLines = { address_1: short, address_2: short, city: short, state: short, zipcode: short, country: short };

const givenAddress = z
  .object({
    label: z.enum(["business", "mailing", "other"]).default("business"),
    ...addressLines,
    street: short,
    address: short,
    postal_code: short,
  })
  .transform(({ street, address, postal_code, ...given }, check) => {
    const country = given.country ? parseCountry(given.country) : null;
    if (given.country && country === null) check.addIssue({ code: "custom", path: ["country"], message: "is not a country" });
    const state = given.state ?? null;
    return {
      label: given.label,
      address_1: given.address_1 ?? street ?? address ?? null,
      address_2: given.address_2 ?? null,
      city: given.city ?? null,
      state,
      zipcode: given.zipcode ?? postal_code ?? null,
      country,
      tz_ids: country === null ? [] : [...timeZonesOf(country, state)],
    };
  });

export type Address = z.output<typeof givenAddress>;

const text = z.string().nullable();
const shownAddress = z.object({
  label: z.string(),
  address_1: text,
  address_2: text,
  city: text,
  state: text,
  zipcode: text,
  country: text,
  tz_ids: z.array(z.string()),
});

/** Postal addresses. `tz_ids` follows from the country and state. */
export const addresses = (doc: string) =>
  json(z.array(givenAddress).max(listMax), { default: [] as Address[], doc, output: z.array(shownAddress) });

/** The same for a contact, with unsubscribed and bounced addresses marked. */
export const contactEmails = (doc: string) => {
  const schema = z.array(email).max(listMax);
  const shown = z.object({
    ...email.shape,
    email: z.string(),
    type: z.string(),
    is_unsubscribed: z.boolean(),
    is_invalid: z.boolean(),
  });
  return json(schema as unknown as z.ZodType<Email[]>, { default: [] as Email[], doc, output: z.array(shown) });
};

/** The form in which e-mail addresses are searched. */
export const emailKeys = (row: { emails: Email[] }): string[] => [...new Set(row.emails.map((one) => emailKey(one.email)))];

/** The form in which phone numbers are searched: their digits. */
export const phoneKeys = (row: { phones: Phone[] }): string[] => [...new Set(row.phones.map((one) => phoneDigits(one.phone)))];

/** Both lists in one, each value once, ignoring case. Those of `kept` come first. */
export function united<T extends object>(kept: readonly T[], more: readonly T[], key: keyof T): T[] {
  const seen = new Set(kept.map((one) => String(one[key]).toLowerCase()));
  return [...kept, ...more.filter((one) => !seen.has(String(one[key]).toLowerCase()))];
}
