// What Twilio answers, checked: an address that is not Twilio's may answer anything, and nobody would learn that it is the address.
import { z } from "zod";
import { parsePhone } from "../values/phone.ts";
import { NotTheProvider } from "./telephony.ts";

const text = z.string();
const number = text.refine((raw) => parsePhone(raw, "US") !== null);
const date = z.date().refine((one) => !Number.isNaN(one.getTime()));

export const offeredAnswer = z.looseObject({
  phoneNumber: number,
  friendlyName: text,
  isoCountry: text,
  region: text.nullish(),
  locality: text.nullish(),
  postalCode: text.nullish(),
  addressRequirements: text.nullish(),
  capabilities: z.looseObject({}),
});

export const rentedAnswer = z.looseObject({
  sid: text,
  phoneNumber: text,
  friendlyName: text,
  smsUrl: text.nullish(),
  voiceUrl: text.nullish(),
  statusCallback: text.nullish(),
  addressSid: text.nullish(),
  bundleSid: text.nullish(),
  capabilities: z.looseObject({}),
});

export const messageAnswer = z.looseObject({ sid: text, status: text, body: text.nullish(), dateCreated: date });

export const callAnswer = z.looseObject({ sid: text, dateCreated: date });

/** `cause` is what could not be read of it. */
export const nonsense = (cause?: unknown): NotTheProvider =>
  Object.assign(
    new NotTheProvider("Twilio answered something that Twilio does not answer: look at base_url of the credentials"),
    { cause },
  );
