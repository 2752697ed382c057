// An organization: one tenant, with its settings. Its own id is its `organization_id`.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import { boolean, computed, formed, json, text } from "../../core/field.ts";
import { resource, type Row } from "../../core/resource.ts";
import { parseCountry } from "../../values/country.ts";
import { currencySymbol, isCurrency } from "../../values/money.ts";
import { isTimeZone } from "../../values/time.ts";

const check = (is: (value: string) => boolean) => (raw: string) => (is(raw) ? raw : null);

export const organization = resource({
  name: "organization",
  prefix: "orga",
  doc: "A workspace: its members, its settings and all of its records.",
  cached: true,
  mcp: false,
  fields: {
    name: text({ required: true }),
    account_id: text({ required: true, createOnly: true, doc: "The billing account." }),
    currency: formed(check(isCurrency), "must be a currency code such as USD", { default: "USD" }),
    currency_symbol: computed(["currency"], z.string(), currencySymbol),
    timezone: formed(check(isTimeZone), "must be a time zone such as Europe/Berlin", { default: "UTC" }),
    country: formed(parseCountry, "must be a country code such as US", { default: "US", doc: "The country of phone numbers written without one." }),
    locale: text({ default: "en", max: 35 }),
    settings: json(z.record(z.string(), z.unknown()), { default: {} }),
    enable_unsubscribe_link: boolean({ default: false }),
    require_unsubscribe_link: boolean({ default: false }),
  },
});

/** The organization's own record. */
export const organizationOf = (directory: Directory): Row<typeof organization> => directory.get(organization, directory.organization_id)!;

/** A member: the person, and what the membership says of them here. */
export const user = resource({
  name: "user",
  prefix: "user",
  table: "member",
  doc: "A person who is a member of this organization.",
  cached: true,
  mcp: false,
  event: null,
  fields: {
    email: text({ required: true, readOnly: true }),
    first_name: text({ default: "", readOnly: true }),
    last_name: text({ default: "", readOnly: true }),
    name: text({ required: true, readOnly: true, doc: "First and last name, else the e-mail address." }),
    image: text({ readOnly: true }),
    membership_id: text({ required: true, readOnly: true, hidden: true }),
    role_id: text({ required: true, readOnly: true, doc: "The role in this organization." }),
    status: text({ required: true, readOnly: true, hidden: true }),
    availability: text({ required: true, readOnly: true, hidden: true }),
  },
});

/** True when this user may be given records: a member who has not been removed. */
export const isActiveMember = (directory: Directory, userId: string): boolean => {
  const found = directory.get(user, userId);
  return found !== undefined && found.status !== "inactive";
};

