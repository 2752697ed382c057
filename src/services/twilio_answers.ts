// What Twilio answers, checked: an address that is not Twilio's may answer anything, and nobody would learn that it is the address.
import { z } from "zod";
import { parsePhone } from "../values/phone.ts";
import { NotDone, NotTheProvider, type Telephony } from "./telephony.ts";

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

/** What comes of its requests and not of an answer of Twilio keeps its own errors. */
const ownErrors: ReadonlySet<string> = new Set<keyof Telephony>([
  "hasSigned",
  "fetchMedia",
  "fetchRecording",
  "token",
  "instruct",
]);

/** Turns the failure of reading an answer into words that say where to look. */
export function understood(provider: Telephony): Telephony {
  const guarded = Object.entries(provider).map(([name, member]) => {
    if (typeof member !== "function" || ownErrors.has(name)) return [name, member] as const;
    return [name, (...given: unknown[]) => orNonsense(Reflect.apply(member, provider, given))] as const;
  });
  return Object.fromEntries(guarded) as unknown as Telephony;
}

const orNonsense = (answer: unknown): unknown => (answer instanceof Promise ? answer.catch(sayNonsense) : answer);

function sayNonsense(error: unknown): never {
  if (error instanceof NotDone) throw error;
  throw Object.assign(nonsense(), { cause: error });
}

export const nonsense = (): NotTheProvider =>
  new NotTheProvider("Twilio answered something that Twilio does not answer: look at base_url of the credentials");
