// Writes text messages and WhatsApp messages into the outbox, from where the provider's own machinery sends each once at most.
import { emailKey } from "../../../values/email.ts";
import { canGetTexts, mobileOf } from "../../activities/own_side.ts";
import { smsMax } from "../../activities/sms.ts";
import { suppressedAmong } from "../../contacts/unsubscribed_email.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";
import { type Whom, whom } from "./whom.ts";
import { checkLength, filledText, mendable, type Reader, readerAt, templateOf } from "./wording.ts";
import { createOf, idOf } from "./writing.ts";

export async function sendSms(call: Call): Promise<Outcome> {
  const { config } = call;
  const to = await reachable(call);
  if ("reason" in to) return { port: "suppressed", output: to };
  const words = async (reader: Reader) => {
    if (templateOf(call, "text") === "") return { template_id: config.template_id };
    const text = await filledText(call, "text", reader);
    checkLength(text, smsMax);
    return { text };
  };
  return write(call, to, "activity_sms", words, { local_phone: numberOf(call, config.from_number) });
}

const carried: readonly unknown[] = ["whatsapp", "sms"];

/** The provider carries these. Messages of other channels are only logged by members; for an e-mail there is a step of its own. */
export const messageLacks = ({ channel }: Record<string, any>): string | null =>
  carried.includes(channel) ? null : "sends messages of the channels whatsapp and sms; for an e-mail use email.send";

export async function sendMessage(call: Call): Promise<Outcome> {
  const to = await reachable(call);
  if ("reason" in to) return { port: "suppressed", output: to };
  const { channel, conversation_id } = call.config;
  const words = async (reader: Reader) => {
    const text = await filledText(call, "text", reader);
    if (channel === "sms") checkLength(text, smsMax);
    return { text };
  };
  const within = conversation_id && { conversation_id };
  if (channel === "sms") return write(call, to, "activity_sms", words, { ...within });
  return write(call, to, "activity_channel_message", words, { channel, ...within });
}

interface Recipient {
  person: Whom["person"];
  lead_id: string | null;
  phone: string;
}

function write(
  call: Call,
  to: Recipient,
  kind: string,
  words: (reader: Reader) => Promise<object>,
  more: object,
): Promise<Outcome> {
  const { person, phone } = to;
  return mendable(call, async () => {
    const reader = await readerAt(call, to.lead_id, person);
    const place = { lead_id: reader.at.id, contact_id: person?.id ?? null, remote_phone: phone };
    const filled = await words(reader);
    const body = { ...filled, ...more, ...place, status: "outbox" };
    return { output: { ...idOf(await createOf(call, kind, body)), to: phone }, input: { ...call.config, ...filled } };
  });
}

async function reachable(call: Call): Promise<Recipient | { reason: string; to: string | null }> {
  const [one] = await whom(call, call.config.to, (person) => mobileOf(person) !== null);
  const phone = one?.written ?? mobileOf(one?.person ?? null);
  if (phone === null) return { reason: "no_number", to: null };
  if (!canGetTexts(phone)) return { reason: "invalid_number", to: phone };
  const reasons = await suppressedAmong(call.ctx, [phone], { channel: "sms", scope: "marketing" });
  const reason = reasons.get(emailKey(phone));
  if (reason !== undefined) return { reason, to: phone };
  return { person: one!.person, lead_id: one!.person?.lead_id ?? call.run.lead_id, phone };
}

/** A number by its id, or as it is written. */
function numberOf({ ctx }: Call, given: unknown): string {
  const found = ctx.directory.find("phone_number", String(given)) as { number: string } | undefined;
  const number = found?.number ?? given;
  if (typeof number !== "string" || !number.startsWith("+"))
    throw new StepFailure("phone_number_missing", "config", "The number to send it from is gone: name another one");
  return number;
}
