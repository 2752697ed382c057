// A phone number of the organization.
import { z } from "zod";
import { boolean, choice, computed, date, formed, input, ref, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { type Filter } from "../../core/search.ts";
import { name, sql } from "../../db/sql.ts";
import { parseCountry } from "../../values/country.ts";
import { phoneDigits, phoneFormatted } from "../../values/phone.ts";
import { parseUrl } from "../../values/url.ts";
import { dialable, e164 } from "./dialable.ts";

export const carrierTypes = ["local", "national", "mobile", "tollfree", "shortcode"] as const;

const phoneMax = 100;
const flag = boolean({ readOnly: true, default: false });
const countries = texts({ readOnly: true, default: [] as string[] });

export const phoneNumber = resource({
  name: "phone_number",
  prefix: "phon",
  doc: "A number of the organization, on which calls and messages come in and go out: a member's own, or one for a group.",
  cached: true,
  mcp: "read",
  sort: { label: true },
  filters: { number: numberFilter() },
  fields: {
    number: text({
      filled: true,
      createOnly: true,
      max: phoneMax,
      normalize: e164,
      doc: "The number itself; no two of an organization are the same.",
    }),
    number_formatted: computed(["number"], z.string(), phoneFormatted),
    label: text({ default: "", doc: "What people call it." }),
    type: choice(["internal", "external", "virtual"], {
      createOnly: true,
      default: "internal",
      doc: "`internal` is rented here, `external` somebody else's, `virtual` one on the internet.",
    }),
    status: choice(["active", "pending", "porting", "released"], {
      readOnly: true,
      default: "active",
      doc: "`pending` until the carrier of an internal number has confirmed it.",
    }),
    status_details: text({ readOnly: true, max: 1000, doc: "Why it is not active yet, or what is wrong with it." }),
    country: formed(parseCountry, "must be a country code such as US", {
      createOnly: true,
      doc: "By default that of the number.",
    }),
    carrier: choice(["twilio", "plivo"], { readOnly: true, doc: "The telephone company behind it." }),
    carrier_type: choice(carrierTypes, { createOnly: true, default: "local", doc: "The kind of line." }),
    is_group_number: boolean({ createOnly: true, default: false, doc: "It is not one member's but rings several." }),
    sharing: input(z.enum(["personal", "group"]), {
      createOnly: true,
      later: ({ is_group_number }) => (is_group_number ? "group" : "personal"),
      doc: "The same as `is_group_number`, in words.",
    }),
    user_id: ref(
      "user",
      { onDelete: "keep", onMove: "clear" },
      { doc: "Whose it is; the caller, unless an admin says otherwise." },
    ),
    participants: texts({ default: [] as string[], max: 200, doc: "Of a group number: the members it rings." }),
    phone_numbers: texts({
      default: [] as string[],
      max: 200,
      normalize: (numbers: string[], ctx) => numbers.map((one) => e164(one, ctx)),
      doc: "Of a group number: other numbers it rings.",
    }),
    phone_numbers_formatted: computed(["phone_numbers"], z.array(z.string()), (numbers: string[]) =>
      numbers.map((one) => phoneFormatted(one)!),
    ),
    forward_to: text({
      max: phoneMax,
      normalize: e164,
      doc: "The number that calls are forwarded to, while `forward_to_enabled` is true.",
    }),
    forward_to_formatted: computed(
      ["forward_to"],
      z.string().nullable(),
      phoneFormatted,
      "The number that calls are forwarded to, as people read it.",
    ),
    forward_to_enabled: boolean({ default: false, doc: "Whether calls are forwarded to `forward_to`." }),
    press_1_to_accept: boolean({ default: false, doc: "Whoever is forwarded to presses 1 before they are connected." }),
    voicemail_greeting_url: formed((raw) => parseUrl(raw, { secure: true }), "must be a web address that begins with https://"),
    sms_enabled: boolean({ readOnly: true, default: true, doc: "Whether it sends and receives texts." }),
    mms_enabled: boolean({ readOnly: true, default: true, doc: "Whether it sends and receives pictures." }),
    supports_sms_to_countries: countries,
    supports_mms_to_countries: countries,
    is_premium: flag,
    is_verified: flag,
    was_ported: boolean({ readOnly: true, default: false, doc: "Whether it came over from another carrier by a port." }),
    last_billed_price: text({ readOnly: true, doc: "Only for clients that expect it: always empty here." }),
    next_billing_on: date({ readOnly: true, doc: "Only for clients that expect it: always empty here." }),
    address_id: text({ readOnly: true, doc: "The address at its carrier that it was rented with." }),
    bundle_id: text({ readOnly: true, doc: "The papers at its carrier that it was rented with." }),
  },
});

/** In any notation. A plus sign in a URL that was not encoded arrives as a space. */
function numberFilter(): Filter {
  return {
    doc: "Only the number that this is, however it is written.",
    sql(ctx, value, alias) {
      const forms = [dialable(value, ctx)?.phone, `+${phoneDigits(value)}`];
      return sql`${name(alias)}.number = any(${forms.filter((one) => one !== undefined)})`;
    },
  };
}
