// Checks with the provider before a number to be rented is stored: whether it is available, and which number it is if only the
// country is given. A job then rents it.
import type { Ctx } from "../../core/context.ts";
import { type FieldErrors, invalid } from "../../core/errors.ts";
import type { Prepared } from "../../core/operation.ts";
import type { Create } from "../../core/resource.ts";
import { limitMax } from "../../records/list_input.ts";
import { NotDone, type OfferedNumber, type Telephony } from "../../services/telephony.ts";
import { parsePhone } from "../../values/phone.ts";
import type { phoneNumber } from "./phone_number.ts";
import { ownerOfNew } from "./phone_number_verbs.ts";
import { openFor } from "./port_states.ts";
import { connectedProvider } from "./provider.ts";
import { asRefusal } from "./provider_refusals.ts";
import { type Ordered, rentedKind, rentedKinds } from "./rented_kind.ts";

type Given = Create<typeof phoneNumber>;

/** The caller learns at once that none is available. */
export const withOffer = {
  doc: "Adds a number. An `internal` one is rented from the connected provider, or is one that the account there has already; with a `country` in place of a number one is picked.",
  prepare,
};

async function prepare(ctx: Ctx, { input }: { input: Given }): Promise<Prepared<Ordered>> {
  return { ready: await numberFor(ctx, input), settle: async () => {} };
}

/** The number to be rented, and its kind where the provider has told it. */
async function numberFor(ctx: Ctx, given: Given): Promise<Ordered> {
  ownerOfNew(ctx, given);
  const { number, country, type = "internal" } = given;
  const connected = type === "internal" ? await connectedProvider(ctx) : null;
  if (connected === null || (number === undefined && !country)) return { number };
  if (number === undefined) return pick(connected.provider, given, country!);
  if ((await openFor(ctx, [number])).length > 0) return { number };
  const carrier_type = await check(connected.provider, given, number).catch(unlessAway);
  return { number, carrier_type };
}

/** A caller who named the number need not wait for the provider: it is rented when the provider is back. */
function unlessAway(error: unknown): undefined {
  const isAway = error instanceof NotDone && error.kind !== "refused";
  if (!isAway) asRefusal("number")(error);
}

const picked = 20;

async function pick(provider: Telephony, given: Given, country: string): Promise<Ordered> {
  const type = rentedKind(given.carrier_type) ?? "local";
  const offers = await provider.offeredNumbers({ country, type, limit: picked }).catch(asRefusal("country"));
  const free = offers.find((one) => !one.address_required);
  if (free !== undefined) return free;
  if (offers[0] === undefined) throw invalid({ country: "has no number of this kind to be had", status: "error" });
  await checkPapers(provider, offers[0], (missing) => ({ country: `has only numbers of which each ${missing}` })).catch(
    asRefusal("country"),
  );
  return offers[0];
}

/** Papers are looked for here, so that the caller learns at once which are missing. */
async function checkPapers(
  provider: Telephony,
  { country, carrier_type }: OfferedNumber,
  reason: (missing: string) => FieldErrors,
): Promise<void> {
  const { missing } = await provider.papersFor(country, carrier_type);
  if (missing !== null) throw invalid({ ...reason(missing), status: "needs-more-info" });
}

/** A number that the account already has is only taken over. */
async function check(provider: Telephony, given: Given, number: string): Promise<Ordered["carrier_type"]> {
  if ((await provider.rentedNumber(number)) !== null) return undefined;
  const country = parsePhone(number, "US")?.country ?? "US";
  // However the provider writes the beginning, the number ends with these digits.
  const wanted = { country, contains: number.slice(-8), limit: limitMax };
  const kind = rentedKind(given.carrier_type);
  const asked = (kind === undefined ? rentedKinds : [kind]).map((type) => provider.offeredNumbers({ ...wanted, type }));
  const offers = (await Promise.all(asked)).flat();
  const found = offers.find((one) => one.number === number);
  if (found === undefined) throw invalid({ number: "is not to be had: see GET /phone_number/available/", status: "error" });
  if (found.address_required) await checkPapers(provider, found, (missing) => ({ number: missing }));
  return found.carrier_type;
}
