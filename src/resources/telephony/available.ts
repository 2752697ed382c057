// Lists phone numbers that can be rented.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { parseCountry } from "../../values/country.ts";

const part = z.string().max(50, { error: "must be 50 characters or fewer" }).optional();
const ability = z.enum(["true", "false", "1", "0"], { error: "must be true or false" }).optional();
const text = z.string().nullable();

const offer = z.strictObject({
  phone_number: z.string(),
  number: z.string(),
  number_formatted: z.string(),
  friendly_name: z.string(),
  country: z.string(),
  region: text,
  locality: text,
  postal_code: text,
  carrier_type: z.string(),
  capabilities: z.strictObject({ voice: z.boolean(), sms: z.boolean(), mms: z.boolean() }),
  monthly_price: z.int(),
  currency: z.string(),
  address_required: z.boolean(),
});

export const availablePhoneNumbers = operation({
  name: "phone_number.available",
  method: "GET",
  path: "/phone_number/available/",
  doc: "Lists numbers that could be rented. Without a telephony provider there are none.",
  permission: "member",
  input: {
    country: z
      .string()
      .refine((raw) => parseCountry(raw) !== null, { error: "must be a country code such as US" })
      .optional()
      .describe("The country they are of; US by default."),
    area_code: part.describe("What they begin with after the country code."),
    prefix: part.describe("The same as `area_code`."),
    contains: part.describe("Digits they have in them."),
    locality: part.describe("The town they are of."),
    region: part.describe("The state they are of."),
    type: z.enum(["local", "tollfree", "mobile"]).optional(),
    sms: ability.describe("Whether they take text messages."),
    mms: ability.describe("Whether they take pictures."),
    voice: ability.describe("Whether they take calls."),
    ...pageInput,
  },
  output: pageOf(offer),
  run: async (_ctx, given) => page<z.output<typeof offer>>([], given),
});
