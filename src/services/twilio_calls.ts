// Calls at Twilio: their instructions, in TwiML, and their states.
import type VoiceResponse from "twilio/lib/twiml/VoiceResponse.js";
import {
  type CallState,
  type Detection,
  NotDone,
  type PlacedCall,
  type Ring,
  type Rung,
  type Step,
  type Telephony,
  type ToldAnswer,
  type ToldCall,
} from "./telephony.ts";
import { callAnswer } from "./twilio_answers.ts";
import type { Ask } from "./twilio_ask.ts";

type Calls = Pick<
  Telephony,
  | "placeCall"
  | "readAnswer"
  | "redirectCall"
  | "stopRinging"
  | "callsBetween"
  | "instruct"
  | "readCall"
  | "callOf"
  | "readRecording"
  | "deleteRecording"
>;

export const callsAt = (ask: Ask): Calls => ({
  readRecording({ RecordingSid: id = "", RecordingStatus = "completed", RecordingDuration, CallSid: call_id = "" }) {
    if (RecordingStatus !== "completed" || !recordingSid.test(id)) return null;
    return { id, call_id, seconds: Number(RecordingDuration) || 0 };
  },
  async deleteRecording(id) {
    await ask((client) => client.recordings(id).remove()).catch(orNone);
  },
  placeCall: ({ from, to, seconds, next, callback, detection }) =>
    ask(async (client) =>
      placed(
        await client.calls.create({
          from,
          to,
          timeout: seconds,
          url: next,
          statusCallback: callback,
          statusCallbackEvent: ["answered", "completed"],
          ...(detection !== null && {
            machineDetection: detectionMode(detection),
            asyncAmd: "true",
            asyncAmdStatusCallback: detection.callback,
          }),
        }),
      ),
    ),
  readAnswer: ({ CallSid: id = "", AnsweredBy = "" }) => ({ id, by: answerers.get(AnsweredBy) ?? "person" }),
  async redirectCall(id, next) {
    await ask((client) => client.calls(id).update({ url: next, method: "POST" }));
  },
  async stopRinging(id) {
    await ask((client) => client.calls(id).update({ status: "canceled" })).catch(orNone);
  },
  callsBetween: (from, to) => ask(async (client) => (await client.calls.list({ from, to, limit: 100 })).map(placed)),
  async instruct(steps) {
    const { default: Response } = await import("twilio/lib/twiml/VoiceResponse.js");
    const response = new Response();
    for (const step of steps) write(response, step);
    return response.toString();
  },
  readCall,
  callOf: (id) =>
    ask(async (client) => {
      const { status, duration } = await client.calls(id).fetch();
      const rang = await client.calls.list({ parentCallSid: id, limit: 100 });
      return {
        id,
        ...endOf(status, duration),
        rang: rang.map((one) => ({ id: one.sid, to: one.to, ...endOf(one.status, one.duration) })),
      };
    }).catch(orNone),
});

const endOf = (status: string, duration: string) => ({ state: stateOf(status), seconds: Number(duration) || 0 });

const detectionMode = ({ waitsForEnd }: Detection): string => (waitsForEnd ? "DetectMessageEnd" : "Enable");

/** Twilio's words for who has answered. */
const answerers = new Map<string, ToldAnswer["by"]>([
  ["machine_start", "machine"],
  ["fax", "machine"],
  ["machine_end_beep", "mailbox"],
  ["machine_end_silence", "mailbox"],
  ["machine_end_other", "mailbox"],
]);

function placed(answer: unknown): PlacedCall {
  const { sid, dateCreated } = callAnswer.parse(answer);
  return { id: sid, placed_at: dateCreated };
}

/** It becomes part of an address at Twilio. */
const recordingSid = /^RE[0-9a-f]{32}$/;

const unknownSid = 20404;

function orNone(error: unknown): null {
  if (error instanceof NotDone && error.code === unknownSid) return null;
  throw error;
}

// --- browsers ---

interface Keys {
  account_sid: string;
  api_key_sid?: string;
  api_key_secret?: string;
  application_sid?: string;
}

export async function signToken(
  { account_sid, api_key_sid, api_key_secret, application_sid }: Keys,
  identity: string,
  seconds: number,
): Promise<string | null> {
  if (!api_key_sid || !api_key_secret || !application_sid) return null;
  const { default: AccessToken } = await import("twilio/lib/jwt/AccessToken.js");
  const token = new AccessToken(account_sid, api_key_sid, api_key_secret, { identity, ttl: seconds });
  token.addGrant(new AccessToken.VoiceGrant({ incomingAllow: true, outgoingApplicationSid: application_sid }));
  return token.toJwt();
}

// --- instructions ---

function write(response: VoiceResponse, step: Step): void {
  switch (step.do) {
    case "reject":
      return void response.reject();
    case "hang_up":
      return void response.hangup();
    case "say":
      return void response.say(step.words);
    case "play":
      return void response.play(step.url);
    case "wait":
      response.pause({ length: step.seconds });
      return void response.redirect(step.next);
    case "ring":
      return ring(response, step);
    case "take_message":
      return void response.record({
        action: step.next,
        maxLength: step.seconds,
        playBeep: true,
        trim: "trim-silence",
        recordingStatusCallback: step.recording,
      });
    case "ask_for_key":
      return void response.gather({ numDigits: 1, action: step.next }).say(step.words);
  }
}

/** The caller hears ringing until somebody answers. */
function ring(response: VoiceResponse, { clients, phones, shows, seconds, next, recording }: Ring): void {
  const dial = response.dial({
    action: next,
    timeout: seconds,
    answerOnBridge: true,
    ...(shows !== null && { callerId: shows }),
    ...(recording !== null && { record: "record-from-answer-dual", recordingStatusCallback: recording }),
  });
  for (const one of clients) dial.client(toldOf(one), one.to);
  for (const one of phones) dial.number({ ...toldOf(one), ...detectedBy(one) }, one.to);
}

const toldOf = ({ callback, first }: Rung) => ({
  ...(callback !== null && { statusCallback: callback, statusCallbackEvent: ["answered" as const, "completed" as const] }),
  ...(first !== undefined && { url: first }),
});

const detectedBy = ({ detection }: Rung) =>
  detection ? { machineDetection: detectionMode(detection), amdStatusCallback: detection.callback } : {};

// --- what it tells us ---

/** Our states for Twilio's call statuses. */
const states = new Map<string, CallState>([
  ["in-progress", "talking"],
  ["answered", "talking"],
  ["completed", "completed"],
  ["busy", "busy"],
  ["no-answer", "no-answer"],
  ["canceled", "canceled"],
  ["failed", "failed"],
]);

const stateOf = (status: string): CallState => states.get(status) ?? "ringing";

function readCall(form: Record<string, string>): ToldCall {
  const { CallSid: id = "", ParentCallSid: parent = null, From: from = "", To: to = "", CallStatus = "", CallDuration } = form;
  const seconds = CallDuration === undefined ? null : Number(CallDuration) || 0;
  const { ForwardedFrom: forwarded_from = null, Digits: key = null } = form;
  return { id, parent, from, to, forwarded_from, state: stateOf(CallStatus), seconds, rang: whatItRang(form), key };
}

/** Somebody may pick up and hang up again before they are connected. */
function whatItRang({ DialCallStatus, DialCallDuration, DialBridged }: Record<string, string>): ToldCall["rang"] {
  if (DialCallStatus === undefined) return null;
  const state = DialCallStatus === "answered" ? "completed" : stateOf(DialCallStatus);
  return { isAnswered: state === "completed" && DialBridged !== "false", state, seconds: Number(DialCallDuration) || 0 };
}
