// The numbers of an account at Twilio: those that can be rented, and those it has.
import { NotDone, type OfferedNumber, type RentedNumber, type Telephony, type WantedNumber } from "./telephony.ts";
import { offeredAnswer, rentedAnswer } from "./twilio_answers.ts";
import type { Ask } from "./twilio_ask.ts";
import { papersAt, wantsPapers } from "./twilio_papers.ts";

type Numbers = Pick<
  Telephony,
  | "offeredNumbers"
  | "monthlyPrice"
  | "rentedNumber"
  | "papersFor"
  | "rentNumber"
  | "directNumber"
  | "releaseNumber"
  | "directWhatsapp"
>;

export const numbersAt = (ask: Ask): Numbers => ({
  offeredNumbers: ({ country, type, limit, ...wanted }) =>
    ask(async (client) => {
      const asked = { ...criteriaOf(wanted), limit };
      const { local, mobile, tollFree } = client.availablePhoneNumbers(country);
      const kinds = { local: () => local.list(asked), mobile: () => mobile.list(asked), tollfree: () => tollFree.list(asked) };
      const offered: unknown[] = await kinds[type]();
      return offered.map((one) => offer(one, type));
    }).catch(noneOfThisKind),
  monthlyPrice: (country, type) =>
    ask(async (client) => {
      const { phoneNumberPrices, priceUnit } = await client.pricing.v1.phoneNumbers.countries(country).fetch();
      const kinds = { local: "local", tollfree: "toll free", mobile: "mobile" };
      const price = Number(phoneNumberPrices.find((one) => one.numberType === kinds[type])?.currentPrice ?? Number.NaN);
      return Number.isFinite(price) ? { amount: Math.round(price * 100), currency: priceUnit.toUpperCase() } : null;
    }),
  rentedNumber: (number) =>
    ask(async (client) => {
      const [found] = await client.incomingPhoneNumbers.list({ phoneNumber: number, limit: 1 });
      return found === undefined ? null : rented(found);
    }),
  papersFor: (country, type) => papersAt(ask, country, type),
  async rentNumber(number, name, { country, type }) {
    const rent = (papers: { addressSid?: string; bundleSid?: string }) =>
      ask(async (client) =>
        rented(await client.incomingPhoneNumbers.create({ phoneNumber: number, friendlyName: name, ...papers })),
      );
    try {
      return await rent({});
    } catch (error) {
      if (!(error instanceof NotDone) || !wantsPapers.has(error.code)) throw error;
      const { address_id, bundle_id, missing } = await papersAt(ask, country, type);
      if (missing !== null) throw new NotDone("refused", missing, error.code);
      return rent({ ...(address_id && { addressSid: address_id }), ...(bundle_id && { bundleSid: bundle_id }) });
    }
  },
  async directNumber(id, { messages, calls, ends }) {
    const urls = {
      ...(messages !== undefined && { smsUrl: messages, smsMethod: "POST" }),
      ...(calls !== undefined && { voiceUrl: calls, voiceMethod: "POST" }),
      ...(ends !== undefined && { statusCallback: ends, statusCallbackMethod: "POST" }),
    };
    await ask((client) => client.incomingPhoneNumbers(id).update(urls));
  },
  async releaseNumber(id) {
    await ask((client) => client.incomingPhoneNumbers(id).remove());
  },
  async directWhatsapp(number, to) {
    const found = await ask(async (client) => {
      const senders = await client.messaging.v2.channelsSenders.list({ channel: "whatsapp" });
      const one = senders.find(({ senderId }) => senderId === `whatsapp:${number}`);
      return one === undefined ? null : { sid: one.sid, present: String(one.webhook?.callbackUrl ?? "") };
    }).catch(noSender);
    if (found === null) return;
    const callback_url = "messages" in to ? to.messages : found.present.startsWith(to.here) ? "" : found.present;
    if (callback_url === found.present) return;
    // The SDK passes the body on unchanged, whatever its types say.
    const webhook = { callback_url, callback_method: "POST" } as object;
    await ask((client) => client.messaging.v2.channelsSenders(found.sid).update({ webhook }));
  },
});

/** Twilio has no such page for kinds of numbers that it does not rent in a country. */
function noneOfThisKind(error: unknown): [] {
  if (error instanceof NotDone && error.code === 20404) return [];
  throw error;
}

/** Not every account may use WhatsApp. */
function noSender(error: unknown): null {
  if (error instanceof NotDone && error.kind === "refused") return null;
  throw error;
}

type Criteria = Omit<WantedNumber, "country" | "type" | "limit">;

const criteriaOf = ({ contains, locality, region, sms, mms, voice }: Criteria) => ({
  ...(contains && { contains }),
  ...(locality && { inLocality: locality }),
  ...(region && { inRegion: region }),
  ...(sms !== undefined && { smsEnabled: sms }),
  ...(mms !== undefined && { mmsEnabled: mms }),
  ...(voice !== undefined && { voiceEnabled: voice }),
});

function offer(answer: unknown, carrier_type: OfferedNumber["carrier_type"]): OfferedNumber {
  const one = offeredAnswer.parse(answer);
  return {
    number: one.phoneNumber,
    friendly_name: one.friendlyName,
    country: one.isoCountry,
    region: one.region || null,
    locality: one.locality || null,
    postal_code: one.postalCode || null,
    carrier_type,
    address_required: one.addressRequirements !== "none",
    capabilities: abilitiesOf(one.capabilities),
  };
}

function rented(answer: unknown): RentedNumber {
  const one = rentedAnswer.parse(answer);
  return {
    id: one.sid,
    number: one.phoneNumber,
    name: one.friendlyName,
    directions: { messages: one.smsUrl ?? "", calls: one.voiceUrl ?? "", ends: one.statusCallback ?? "" },
    capabilities: abilitiesOf(one.capabilities),
    address_id: one.addressSid || null,
    bundle_id: one.bundleSid || null,
  };
}

/** Twilio writes them in capitals for numbers that can be rented, and in lower case for those it has. */
function abilitiesOf(given: object): OfferedNumber["capabilities"] {
  const named = new Map(Object.entries(given).map(([name, has]) => [name.toLowerCase(), has === true]));
  const has = (name: string) => named.get(name) ?? false;
  return { voice: has("voice"), sms: has("sms"), mms: has("mms") };
}
