// The calls of the Twilio server: people call us, members and phones are rung as our instructions say, and each step is reported
// by signed forms.
import { randomBytes } from "node:crypto";
import type { TwilioServer } from "./twilio.ts";

type Form = Record<string, string>;

/** An element of our instructions. */
export interface Verb {
  name: string;
  attributes: Form;
  text: string;
  children: Verb[];
}

export interface TwilioCall {
  sid: string;
  parent: string | null;
  from: string;
  to: string;
  status: string;
  duration: number;
  date_created: Date;
  /** Where it requests instructions, and reports its progress. */
  url: string | null;
  callback: string | null;
  /** How it finds out whether a machine answers, and where it says so. */
  detection: { mode: string; callback: string } | null;
}

/** A call, as the people in it experience it. */
export class Caller {
  readonly call: TwilioCall;
  /** The service's latest instructions for the call. */
  verbs: Verb[];
  status: number;
  private readonly twilio: TwilioServer;
  private readonly serviceUrl: string;

  constructor(twilio: TwilioServer, serviceUrl: string, call: TwilioCall, answer: { status: number; verbs: Verb[] }) {
    this.twilio = twilio;
    this.serviceUrl = serviceUrl;
    this.call = call;
    this.verbs = answer.verbs;
    this.status = answer.status;
  }

  /** The first verb of this name in the instructions. */
  verb(name: string): Verb {
    const found = this.verbs.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no ${name} among ${this.verbs.map((one) => one.name).join(", ") || "nothing"}`);
    return found;
  }

  /** Whom it rings: `client:` before the name of a browser. */
  get rings(): string[] {
    const dial = this.verbs.find(({ name }) => name === "Dial");
    return (dial?.children ?? []).map(({ name, text }) => (name === "Client" ? `client:${text}` : text));
  }

  /** One of the rung phones answers, and they talk. Returns a function to report the end. */
  async answeredBy(to: string): Promise<TwilioCall> {
    const leg = this.legTo(to);
    leg.status = this.call.status = "in-progress";
    await this.tellOfLeg(leg);
    return leg;
  }

  /** They have talked for this long, and one hangs up. */
  async hungUp(leg: TwilioCall, seconds: number): Promise<void> {
    leg.status = "completed";
    leg.duration = seconds;
    await this.tellOfLeg(leg);
    await this.isAfterDial({
      DialCallStatus: "completed",
      DialCallSid: leg.sid,
      DialCallDuration: String(seconds),
      DialBridged: "true",
    });
  }

  /** What to do when it no longer rings, by the instructions. */
  async isAfterDial(more: Form): Promise<void> {
    await this.goesTo(this.verb("Dial").attributes.action!, more);
  }

  /** Requests the next instructions. */
  async goesTo(address: string, more: Form = {}): Promise<void> {
    const answer = await this.twilio.callBack(this.serviceUrl, address, { ...this.form(), ...more });
    this.status = answer.status;
    this.verbs = read(await answer.text());
  }

  form(call: TwilioCall = this.call): Form {
    const { sid, from, to, status, parent } = call;
    return {
      AccountSid: this.twilio.account_sid,
      CallSid: sid,
      From: from,
      To: to,
      CallStatus: status,
      ...(parent !== null && { ParentCallSid: parent }),
    };
  }

  /** A recording is ready, as the instructions asked to be told of. */
  async recorded(bytes: Buffer, seconds: number, more: Form = {}): Promise<string> {
    const [{ attributes }] = this.verbs.filter(({ name }) => name === "Dial" || name === "Record") as [Verb];
    const sid = this.twilio.calls.record(bytes);
    const form = { RecordingSid: sid, RecordingStatus: "completed", RecordingDuration: String(seconds), ...more };
    await this.twilio.callBack(this.serviceUrl, attributes.recordingStatusCallback!, { ...this.form(), ...form });
    return sid;
  }

  /** The call to one of the rung phones. */
  legTo(to: string): TwilioCall {
    const made = this.twilio.calls.all.find((one) => one.parent === this.call.sid && one.to === to);
    return made ?? this.twilio.calls.add({ parent: this.call.sid, from: this.call.from, to, status: "ringing" });
  }

  /** It has found out who answers. */
  async isAnsweredBy(what: string, leg: TwilioCall = this.call): Promise<void> {
    const rung = this.verbs.flatMap(({ children }) => children).find(({ text }) => leg.to === text);
    const address = leg.detection?.callback ?? rung?.attributes.amdStatusCallback;
    if (address === undefined) throw new Error("nobody asked who answers");
    const form = { CallSid: leg.sid, AnsweredBy: what, MachineDetectionDuration: "2900" };
    await this.twilio.callBack(this.serviceUrl, address, form);
  }

  /** Reports what the instructions asked for. */
  async tellOfLeg(leg: TwilioCall): Promise<void> {
    const rung = this.verbs
      .flatMap(({ children }) => children)
      .find(({ name, text }) => leg.to === (name === "Client" ? `client:${text}` : text));
    const address = rung?.attributes.statusCallback;
    if (address === undefined) return;
    const over: Form = leg.status === "completed" ? { CallDuration: String(leg.duration) } : {};
    await this.twilio.callBack(this.serviceUrl, address, { ...this.form(leg), ...over });
  }
}

export class TwilioCalls {
  readonly all: TwilioCall[] = [];
  /** By their names. */
  readonly recordings = new Map<string, Buffer>();
  /** Called when a call is placed, before the response. */
  onPlaced: ((call: TwilioCall) => Promise<void> | void) | null = null;
  private readonly twilio: TwilioServer;

  constructor(twilio: TwilioServer) {
    this.twilio = twilio;
  }

  add(call: Partial<TwilioCall>): TwilioCall {
    const sid = `CA${randomBytes(16).toString("hex")}`;
    const blank = {
      sid,
      parent: null,
      from: "",
      to: "",
      status: "queued",
      duration: 0,
      url: null,
      callback: null,
      detection: null,
    };
    const added: TwilioCall = { ...blank, date_created: this.moment(), ...call };
    this.all.push(added);
    return added;
  }

  record(bytes: Buffer): string {
    const sid = `RE${randomBytes(16).toString("hex")}`;
    this.recordings.set(sid, bytes);
    return sid;
  }

  /** Somebody calls one of our numbers. The request goes to the address that the service gave for it. */
  async arrives(serviceUrl: string, address: string, given: Partial<TwilioCall> = {}, form: Form = {}): Promise<Caller> {
    const { from = "+12125559876", to = "+12125551234", ...more } = given;
    const call = this.all.find(({ sid }) => sid === given.sid) ?? this.add({ from, to, status: "ringing", ...more });
    const caller = new Caller(this.twilio, serviceUrl, call, { status: 0, verbs: [] });
    await caller.goesTo(address, form);
    return caller;
  }

  /** The person rung by the API answers. */
  async picksUp(serviceUrl: string, call: TwilioCall): Promise<Caller> {
    call.status = "in-progress";
    const caller = new Caller(this.twilio, serviceUrl, call, { status: 0, verbs: [] });
    await caller.goesTo(call.url!);
    return caller;
  }

  /** Reports the progress of a call that the API placed. */
  async tells(serviceUrl: string, call: TwilioCall, status: string): Promise<void> {
    call.status = status;
    const caller = new Caller(this.twilio, serviceUrl, call, { status: 0, verbs: [] });
    await this.twilio.callBack(serviceUrl, call.callback!, caller.form());
  }

  /** Twilio's dates have no milliseconds. */
  private moment = (): Date => new Date(Math.floor(this.twilio.clock().getTime() / 1000) * 1000);

  async answerTo(method: string, path: string, form: Form): Promise<{ status: number; body: unknown }> {
    const [, recording] = /^Recordings\/(\w+)$/.exec(path) ?? [];
    if (method === "DELETE" && recording && this.recordings.delete(recording)) return { status: 204, body: {} };
    const [, sid] = /^Calls\/(\w+)$/.exec(path) ?? [];
    const found = this.all.find((one) => one.sid === sid);
    if (method === "GET" && found !== undefined) return { status: 200, body: this.shown(found) };
    if (method === "POST" && found !== undefined) {
      if (form.Url !== undefined && found.status !== "in-progress")
        return { status: 400, body: { code: 21220, message: "Call is not in-progress. Cannot redirect.", status: 400 } };
      found.url = form.Url ?? found.url;
      if (form.Status === "canceled" && ["queued", "ringing"].includes(found.status)) found.status = "canceled";
      return { status: 200, body: this.shown(found) };
    }
    if (method === "GET" && path === "Calls") {
      const { ParentCallSid, From, To } = form;
      const calls = this.all.filter(
        (one) => (!ParentCallSid || one.parent === ParentCallSid) && (!From || one.from === From) && (!To || one.to === To),
      );
      return { status: 200, body: { calls: calls.map((one) => this.shown(one)).reverse(), next_page_uri: null } };
    }
    if (method === "POST" && path === "Calls") {
      const { From: from = "", To: to = "", Url: url = "", StatusCallback: callback = null } = form;
      const { MachineDetection: mode, AsyncAmdStatusCallback } = form;
      const detection =
        mode && AsyncAmdStatusCallback && form.AsyncAmd === "true" ? { mode, callback: AsyncAmdStatusCallback } : null;
      const call = this.add({ from, to, url, callback, detection });
      await this.onPlaced?.(call);
      return { status: 201, body: this.shown(call) };
    }
    return { status: 404, body: { code: 20404, message: `${method} ${path} was not found`, status: 404 } };
  }

  private shown = ({ duration, parent, date_created, url: _, callback: __, detection: ___, ...call }: TwilioCall): object => ({
    ...call,
    date_created: date_created.toUTCString(),
    duration: String(duration),
    parent_call_sid: parent,
    account_sid: this.twilio.account_sid,
  });
}

/** The verbs of TwiML, with their attributes, as far as the SDK writes them. */
export function read(xml: string): Verb[] {
  const root: Verb = { name: "", attributes: {}, text: "", children: [] };
  const open = [root];
  for (const [, closing, name, attributes = "", selfClosed, text] of xml.matchAll(/<(\/?)([A-Z]\w*)([^>]*?)(\/?)>|([^<]+)/g)) {
    if (text !== undefined) open.at(-1)!.text += plain(text);
    else if (closing) open.pop();
    else {
      const verb: Verb = { name: name!, attributes: {}, text: "", children: [] };
      for (const [, key, value] of attributes.matchAll(/(\w+)="([^"]*)"/g)) verb.attributes[key!] = plain(value!);
      open.at(-1)!.children.push(verb);
      if (!selfClosed) open.push(verb);
    }
  }
  return root.children[0]?.children ?? [];
}

const plain = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
