// Twilio, by its own SDK over our guarded connections. The SDK is loaded when it is first needed, because it is large.
import type { Twilio } from "twilio";
import type { MessageInstance, MessageStatus } from "twilio/lib/rest/api/v2010/account/message.js";
import { type Asking, type AskLimits, askPublic, jsonOf } from "./ask_public.ts";
import { type Fetched, fetchPublic } from "./fetch_public.ts";
import { pieces } from "./pieces.ts";
import { NotPosted } from "./post_public.ts";
import type { PublicAddresses } from "./public_address.ts";
import { type CarriedText, type DeliveryState, NotDone, type ReceivedText, type Telephony } from "./telephony.ts";
import { messageAnswer, nonsense } from "./twilio_answers.ts";
import { callsAt, signToken } from "./twilio_calls.ts";
import { numbersAt } from "./twilio_numbers.ts";
import { portsAt, type Upload } from "./twilio_ports.ts";
import { twilioWords } from "./twilio_words.ts";

/** An organization's credentials at Twilio. */
export interface TwilioAccount {
  account_sid: string;
  auth_token: string;
  /** The messaging service to send texts with, if there is one. */
  messaging_service_sid?: string;
  /** To sign tokens for browsers with, and the TwiML app that their calls go through. */
  api_key_sid?: string;
  api_key_secret?: string;
  application_sid?: string;
  /** Replaces `https://api.twilio.com`. */
  base_url?: string;
}

/** `told` hears after each request whether Twilio takes the credentials: null, or why not. */
export function openTwilio(
  addresses: PublicAddresses,
  account: TwilioAccount,
  told: (problem: string | null) => Promise<void>,
): Telephony {
  const authorization = basicOf(account.account_sid, account.auth_token);
  const { origin } = new URL(account.base_url ?? "https://api.twilio.com");
  const ask = async <T>(what: (client: Twilio) => Promise<T>): Promise<T> => {
    try {
      const answer = await what(await clientFor(addresses, account));
      await told(null);
      return answer;
    } catch (error) {
      const failure = notDone(error as Error);
      if (failure.code === badCredentials) await told(failure.message);
      throw failure;
    }
  };

  const fetchMedia: Telephony["fetchMedia"] = (url, take, wholeMs) => {
    const read = ({ body, contentType }: Fetched) => take(pieces(body), contentType);
    return fetchPublic(addresses, url, read, null, { authorization, wholeMs });
  };

  return {
    carrier: "twilio",
    account: account.account_sid,
    ...numbersAt(ask),
    ...portsAt(ask, uploadBy(addresses, account, authorization), account.account_sid),
    async sendText({ from, to, text, media, callback }) {
      const service = account.messaging_service_sid && !from.includes(":") ? account.messaging_service_sid : undefined;
      const message = { from, to, body: text, mediaUrl: [...media], statusCallback: callback, messagingServiceSid: service };
      return ask(async (client) => carried(await client.messages.create(message)));
    },
    textsBetween: (from, to) => ask(async (client) => (await client.messages.list({ from, to, limit: 100 })).map(carried)),
    async hasSigned({ address, form, signature }) {
      const { default: webhooks } = await import("twilio/lib/webhooks/webhooks.js");
      return webhooks.validateRequest(account.auth_token, signature, address, form);
    },
    wrongIn: (form) => wrongIn(account, form),
    readState({ MessageSid = "", MessageStatus = "", ErrorCode, ErrorMessage = "" }) {
      const state = deliveryState(MessageStatus);
      return { id: MessageSid, state, failure: isFailure(state) ? failureOf(ErrorCode, ErrorMessage) : null };
    },
    readText,
    hasMedia: (url) => URL.parse(url)?.origin === origin,
    fetchMedia,
    fetchRecording: (id, take, wholeMs) =>
      fetchMedia(`${origin}/2010-04-01/Accounts/${account.account_sid}/Recordings/${id}.mp3`, take, wholeMs),
    token: (identity, seconds) => signToken(account, identity, seconds),
    ...callsAt(ask),
  };
}

/** Twilio's code for "Authenticate". */
const badCredentials = 20003;

const load = () => import("twilio");

async function clientFor(addresses: PublicAddresses, { account_sid, auth_token, base_url }: TwilioAccount): Promise<Twilio> {
  // The SDK accepts no other form, and its error would look like our mistake.
  if (!account_sid.startsWith("AC")) throw new NotDone("refused", twilioWords(badCredentials, ""), badCredentials);
  const { default: twilio } = await load();
  const httpClient = guarded(addresses, base_url) as unknown as InstanceType<typeof twilio.RequestClient>;
  return twilio(account_sid, auth_token, { httpClient, autoRetry: false });
}

/** Documents have an address of their own, which the SDK does not know. */
const uploadBy =
  (
    addresses: PublicAddresses,
    { base_url = "https://numbers-upload.twilio.com" }: TwilioAccount,
    authorization: string,
  ): Upload =>
  async (body) => {
    const url = `${base_url.replace(/\/+$/, "")}/v1/Documents`;
    const { status, text } = await askPublic(addresses, { method: "POST", url, headers: { authorization }, body });
    const answer = (parsed(text) ?? {}) as { sid?: string; mime_type?: string; code?: number; message?: string };
    if (status < 400) return answer;
    throw Object.assign(new Error(answer.message ?? ""), { status, code: answer.code });
  };

// --- asking ---

/** The part of the SDK's requests that it uses. */
interface Asked {
  method: string;
  uri: string;
  username?: string;
  password?: string;
  headers?: Record<string, string>;
  params?: Record<string, unknown>;
  data?: Record<string, unknown>;
}

/** The longest answer is a list of 100 texts. */
const answerLimits: AskLimits = { wholeMs: 15_000, bytes: 4 * 1024 * 1024, cuts: true };

/** Replaces the SDK's own client, which would connect to any address. */
const guarded = (addresses: PublicAddresses, baseUrl: string | undefined) => ({
  async request({ method, uri, username, password, headers = {}, params, data }: Asked) {
    const url = new URL(uri);
    url.search = formOf(params ?? {});
    const asking: Asking = {
      method: method.toUpperCase() as Asking["method"],
      url: baseUrl === undefined ? url.href : baseUrl.replace(/\/+$/, "") + url.pathname + url.search,
      headers: { ...headers, authorization: basicOf(username!, password!) },
      ...(data !== undefined && { body: headers["Content-Type"] === "application/json" ? JSON.stringify(data) : formOf(data) }),
    };
    const { status, text, isCut } = await askPublic(addresses, asking, answerLimits);
    if (isCut) throw nonsense();
    // Nothing was done, and the address would be asked in vain again.
    if (status >= 300 && status < 400)
      throw new NotDone(
        "later",
        `Twilio answered with a redirect (${status}), which is not followed: look at base_url of the credentials`,
      );
    const answer = status < 500 ? parsed(text) : (jsonOf({ text }) ?? {});
    if (typeof answer !== "object" || answer === null) throw nonsense();
    return { statusCode: status, headers: {}, body: answer };
  },
});

const basicOf = (user: string, password: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** A list is written as one pair for each of its values. */
const formOf = (fields: Record<string, unknown>): string =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)])),
  ).toString();

/** Something else, such as a proxy, replied in place of Twilio. Whether Twilio has done the work is unknown. */
function parsed(body: string): unknown {
  try {
    return body === "" ? {} : JSON.parse(body);
  } catch {
    throw nonsense();
  }
}

// --- failing ---

/** The error that the SDK throws. */
interface Refusal extends Error {
  status?: number;
  code?: number;
}

function notDone(error: Refusal): NotDone {
  if (error instanceof NotPosted)
    return new NotDone(error.mayBeHeard ? "unknown" : "later", `Twilio ${error.message}; it is asked again`);
  if (error instanceof NotDone) return error;
  const { status, code = null, message } = error;
  if (status === undefined) return nonsense(error);
  if (status === 429 || code === 20429) return new NotDone("later", "Twilio has too much to do; it is asked again", code);
  // A proxy may reply with a 5xx after Twilio has done the work.
  if (status >= 500) return new NotDone("unknown", `Twilio answered ${status}; it is asked again`, code);
  return new NotDone("refused", twilioWords(code, message), code);
}

// --- what it tells us ---

/**
 * The first field that Twilio would not send so. Its signature joins names and values without separators, so a form that was cut at
 * other places has the same one: only the form of the fields tells them apart.
 */
function wrongIn({ account_sid }: TwilioAccount, form: Record<string, string>): string | null {
  if (form.AccountSid !== account_sid) return "AccountSid";
  const isWrong = ([name, value]: [string, string]) => !fieldName.test(name) || forms.get(name)?.test(value) === false;
  return Object.entries(form).find(isWrong)?.[0] ?? null;
}

const fieldName = /^[A-Za-z][\w-]*$/;

const sid = (prefix: string) => new RegExp(`^${prefix}\\w{1,64}$`);
/** A number, a short code, a name of at most 11 characters, a browser, an address of SIP, or nothing where a caller hides. */
const party =
  /^(?:(?:[a-z]+:)?\+?\d{1,20}|(?:whatsapp:|rcs:|messenger:)?[\w.-]{1,64}|(?:client|sips?):[^\s\0]{1,255}|[\p{L}\p{N} .&'_+-]{0,11})$/u;

const forms: ReadonlyMap<string, RegExp> = new Map([
  ["MessageSid", sid("(?:SM|MM)")],
  ["CallSid", sid("CA")],
  ["ParentCallSid", sid("CA")],
  ["DialCallSid", sid("CA")],
  ["From", party],
  ["To", party],
]);

function readText(form: Record<string, string>): ReceivedText {
  const { MessageSid: id = "", From = "", To = "", NumMedia, ProfileName: name = null, OptOutType } = form;
  const media = Array.from({ length: Math.min(Number(NumMedia) || 0, mediaMost) }, (_, i) => ({
    url: form[`MediaUrl${i}`] ?? "",
    content_type: form[`MediaContentType${i}`] ?? null,
  })).filter(({ url }) => url !== "");
  const channel = From.startsWith("whatsapp:") ? "whatsapp" : "sms";
  const [from, to] = [From, To].map((one) => one.replace(/^[a-z]+:/, "")) as [string, string];
  const wish = OptOutType === "STOP" ? "stop" : OptOutType === "START" ? "start" : null;
  return { id, channel, from, to, name, text: wordsIn(form), media, wish };
}

/** A shared location comes without a text. */
function wordsIn({ Body = "", Latitude, Longitude, Label, Address }: Record<string, string>): string {
  if (Body !== "" || !Latitude || !Longitude) return Body;
  const names = [Label, Address].filter((one) => one !== undefined && one !== "");
  return `Location: ${Latitude}, ${Longitude}${names.length > 0 ? ` (${names.join(", ")})` : ""}`;
}

/** Twilio allows ten attachments. */
const mediaMost = 10;

// --- what it answers ---

function carried(message: MessageInstance): CarriedText {
  const { sid, body, status, dateCreated } = messageAnswer.parse(message);
  const { price, errorCode, errorMessage } = message;
  const state = deliveryState(status);
  const failure = isFailure(state) ? failureOf(errorCode, errorMessage) : null;
  return { id: sid, text: body ?? "", state, taken_at: dateCreated, cost: cents(price), failure };
}

const isFailure = (state: DeliveryState): boolean => state === "failed" || state === "undelivered";

const failureOf = (code: string | number | null | undefined, words: string | null): string =>
  twilioWords(code ? Number(code) : null, words ?? "");

/** Our states for Twilio's message statuses. */
const states = new Map<string, DeliveryState>([
  ["sent", "sent"],
  ["delivered", "delivered"],
  ["partially_delivered", "delivered"],
  ["undelivered", "undelivered"],
  ["failed", "failed"],
  ["canceled", "failed"],
  ["read", "read"],
]);

const deliveryState = (status: MessageStatus | string): DeliveryState => states.get(status) ?? "queued";

/** `-0.0079` dollars are `0.79` cents. */
const cents = (price: string | null): string | null => {
  const amount = Math.abs(Number(price ?? Number.NaN)) * 100;
  return Number.isFinite(amount) ? String(Math.round(amount * 10_000) / 10_000) : null;
};
