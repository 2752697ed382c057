// An incoming call, as the provider reports it. It is recorded with the lead of the caller's number, or else as a prospect, and
// the response says whom it rings. When nobody can answer or nobody does, the caller leaves a message.
import type { Ctx } from "../../core/context.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { createRecord, findRecords } from "../../records/records.ts";
import type { Rung, Step, ToldCall } from "../../services/telephony.ts";
import { parsePhone } from "../../values/phone.ts";
import { received } from "../inbox/receipt.ts";
import { strangerCalls, strangerOf } from "../inbox/stranger_calls.ts";
import { isFirst, signedRoute } from "../telephony/called.ts";
import { ourNumber } from "../telephony/own_numbers.ts";
import type { phoneNumber } from "../telephony/phone_number.ts";
import type { Connected } from "../telephony/provider.ts";
import { isRecorded, type WhomToRing, whomToRing } from "../telephony/whom_to_ring.ts";
import { call } from "./call.ts";
import { callJobs } from "./call_jobs.ts";
import { tellOfStrangersCall } from "./notices.ts";
import { whoseNumber } from "./placing.ts";

type PhoneNumber = Row<typeof phoneNumber>;

export const callReceived = signedRoute({
  name: "provider.call",
  parts: ["call"],
  doc: "An incoming call: returns whom it rings.",
  async run({ core, organization_id, connected, occasion, form }) {
    const told = connected.provider.readCall(form);
    const steps = await received(
      (act) => asSystem(core, organization_id, occasion, act),
      (ctx) => receive(ctx, connected, told),
    );
    return connected.provider.instruct(steps);
  },
});

async function receive(ctx: Ctx, { addressOf }: Connected, told: ToldCall): Promise<Step[]> {
  const number = ourNumber(ctx, phoneOf(told.to) ?? told.to);
  if (number === undefined || told.id === "") return [{ do: "reject" }];
  const whom = await whomToRing(ctx, number, {
    from: phoneOf(told.from) ?? told.from,
    forwarded_from: phoneOf(told.forwarded_from ?? ""),
  });
  const id = await noted(ctx, told, number, whom);
  const address: AddressOf = (...parts) => addressOf("call", id, ...parts);
  return ringsAnybody(whom) ? [ring(ctx, number, whom, address)] : takeMessage(number, address);
}

/** E.164. Null for callers who hide it. */
const phoneOf = (raw: string): string | null => {
  const { phone = "" } = parsePhone(raw, "US") ?? {};
  return /^\+\d{5,}$/.test(phone) ? phone : null;
};

const ringsAnybody = ({ members, phones }: WhomToRing): boolean => members.length + phones.length > 0;

// --- recording the call ---

/** The id in the addresses for this call: that of the call, or of the prospect. A repeated report finds it. */
async function noted(ctx: Ctx, told: ToldCall, number: PhoneNumber, whom: WhomToRing): Promise<string> {
  if (!(await isFirst(ctx, told.id))) {
    const [known] = await findRecords(ctx, call, [sql`t.provider_id = ${told.id}`]);
    return known?.id ?? (await strangerOf(ctx, told.id))?.prospect_id ?? told.id;
  }
  const phone = phoneOf(told.from);
  const whose = phone === null ? null : await whoseNumber(ctx, phone, number);
  const values = {
    direction: "inbound",
    status: ringsAnybody(whom) ? "created" : "no-answer",
    phone,
    local_phone: number.number,
    is_to_group_number: number.is_group_number,
    user_id: number.user_id,
    provider_id: told.id,
  } as const;
  if (whose === null) {
    const id = await strangerCalls(ctx, values);
    if (values.status === "no-answer") tellOfStrangersCall(ctx, values, id);
    return id;
  }

  const { id } = await createRecord(ctx, call, {
    ...values,
    ...whose,
    source: "Internal",
    ...({ call_method: "regular" } as Create<typeof call>),
  });
  wake(ctx, callJobs, [id], callJobs.firstLook(ctx.now));
  return id;
}

// --- the instructions ---

type AddressOf = (...parts: readonly string[]) => string;

const ringsFor = 25;

function ring(ctx: Ctx, number: PhoneNumber, { members, phones }: WhomToRing, address: AddressOf): Step {
  const recorded = number.is_group_number ? members : [number.user_id];
  return {
    do: "ring",
    clients: members.map((id) => ({ to: id, callback: address("state", id) })),
    phones: phones.map((to) => phoneFor(to, number, address)),
    shows: null,
    seconds: ringsFor,
    next: address("rung"),
    recording: isRecorded(ctx, recorded) ? address("recorded", "recording") : null,
  };
}

/** A phone on which somebody has to press a key has answered when they did. */
const phoneFor = (to: string, { press_1_to_accept }: PhoneNumber, address: AddressOf): Rung =>
  press_1_to_accept ? { to, callback: null, first: address("accept") } : { to, callback: address("state", "forwarded") };

const messageSeconds = 180;

/** Asks the caller for a message, and records it. */
export function takeMessage({ voicemail_greeting_url }: Pick<PhoneNumber, "voicemail_greeting_url">, address: AddressOf): Step[] {
  const greeting: Step = voicemail_greeting_url
    ? { do: "play", url: voicemail_greeting_url }
    : { do: "say", words: "Nobody can take your call at the moment. Please leave a message after the tone." };
  const take: Step = {
    do: "take_message",
    seconds: messageSeconds,
    next: address("over"),
    recording: address("recorded", "voicemail"),
  };
  return [greeting, take, { do: "hang_up" }];
}
