// Lists phone numbers that can be rented.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import { limitMax } from "../../records/list_input.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import type { OfferedNumber, WantedNumber } from "../../services/telephony.ts";
import { parseCountry } from "../../values/country.ts";
import { phoneDigits, phoneFormatted } from "../../values/phone.ts";
import { connectedProvider } from "./provider.ts";
import { asRefusal } from "./provider_refusals.ts";

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
  monthly_price: z.int().nullable().describe("In minor units; null where the provider does not say."),
  currency: text,
  address_required: z.boolean(),
});

export const availablePhoneNumbers = operation({
  name: "phone_number.available",
  method: "GET",
  path: "/phone_number/available/",
  doc: "Lists numbers that can be rented. Without a telephony provider there are none.",
  permission: "member",
  input: {
    country: z
      .string()
      .refine((raw) => parseCountry(raw) !== null, { error: "must be a country code such as US" })
      .optional()
      .describe("Their country; by default US."),
    area_code: part.describe("The digits after the country code."),
    prefix: part.describe("The same as `area_code`."),
    contains: part.describe("Digits anywhere in the number."),
    locality: part.describe("Their town."),
    region: part.describe("Their state."),
    type: z.enum(["local", "tollfree", "mobile"]).optional(),
    sms: ability.describe("Whether they support text messages."),
    mms: ability.describe("Whether they support pictures."),
    voice: ability.describe("Whether they support calls."),
    ...pageInput,
  },
  output: pageOf(offer),
  async run(ctx, given) {
    // An error in the page is reported before the provider is asked.
    page([], given);
    return page(await offers(ctx, wantedOf(given), prefixOf(given)), given);
  },
});

type Offer = z.output<typeof offer>;

interface Given {
  country?: string;
  area_code?: string;
  prefix?: string;
  contains?: string;
  locality?: string;
  region?: string;
  type?: WantedNumber["type"];
  sms?: string;
  mms?: string;
  voice?: string;
}

const isYes = (raw: string | undefined): boolean | undefined => (raw === undefined ? undefined : raw === "true" || raw === "1");

const wantedOf = ({ country, type = "local", contains, locality, region, sms, mms, voice, ...given }: Given): WantedNumber => ({
  country: parseCountry(country ?? "US")!,
  type,
  contains: contains ?? prefixOf(given),
  locality,
  region,
  sms: isYes(sms),
  mms: isYes(mms),
  voice: isYes(voice),
  limit: limitMax,
});

const prefixOf = ({ prefix, area_code }: Given): string | undefined => phoneDigits(prefix ?? area_code ?? "") || undefined;

async function offers(ctx: Ctx, wanted: WantedNumber, prefix = ""): Promise<Offer[]> {
  const connected = await connectedProvider(ctx);
  if (connected === null) return [];
  const { provider } = connected;
  const [found, price] = await Promise.all([
    provider.offeredNumbers(wanted).catch(asRefusal("country")),
    provider.monthlyPrice(wanted.country, wanted.type).catch(() => null),
  ]);
  return found.filter(({ number }) => nationalPart(number).startsWith(prefix)).map((one) => shown(one, price));
}

/** `+1 212-555-1234` starts with 212. */
const nationalPart = (number: string): string => phoneDigits(phoneFormatted(number)!.replace(/^\+\d+ /, ""));

const shown = ({ number, ...rest }: OfferedNumber, price: { amount: number; currency: string } | null): Offer => ({
  ...rest,
  phone_number: number,
  number,
  number_formatted: phoneFormatted(number)!,
  monthly_price: price?.amount ?? null,
  currency: price?.currency ?? null,
});
