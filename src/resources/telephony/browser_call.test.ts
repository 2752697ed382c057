// Calls from a browser: the token for Twilio's SDK, and what Twilio is told to do.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import type { Caller } from "../../../test/support/twilio_calls.ts";
import { withWorker } from "../../../test/support/worker.ts";

const [ours, theirs] = ["+12125551234", "+12125559876"];
const keys = { api_key_sid: "SK0123", api_key_secret: "a secret of the key", application_sid: "AP0123" };
let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let person: any;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  await acme.post("/phone_number/", { number: ours });
  person = await acme.contact({ phones: [{ phone: theirs, type: "mobile" }] });
  await withWorker(service, (worker) => worker.drained());
});
afterEach(() => twilio.close());

/** The voice URL of the TwiML app, as the refusal says it. */
async function voiceUrl(): Promise<string> {
  const { error } = await acme.refused(400, "GET", "/dialer/token/");
  return /http\S+$/.exec(error)![0];
}

const calls = async () => (await acme.get("/activity/call/")).data;

/** A browser that is signed in as somebody connects. */
async function connects(who: Workspace, params: Record<string, string>, sid?: string): Promise<Caller> {
  const from = `client:${who.userId}`;
  const address = await voiceUrl();
  return twilio.calls.arrives(service.url, address, { from, to: "", ...(sid && { sid }) }, params);
}

const said = ({ verbs }: Caller) => verbs.map(({ name, text }) => (name === "Say" ? text : name));

test("a token lets one's browser make and take calls for an hour, signed with the key of the organization", async () => {
  await voiceUrl();
  await acme.put("/credentials/twilio/", keys);

  const { token, identity, ttl, provider, expires_at } = await acme.get("/dialer/token/");

  const [head, body, signature] = token.split(".");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  const expected = createHmac("sha256", keys.api_key_secret).update(`${head}.${body}`).digest("base64url");
  assert.equal(signature, expected);
  assert.deepEqual([claims.iss, claims.sub], [keys.api_key_sid, twilio.account_sid]);
  assert.deepEqual(claims.grants, {
    identity: acme.userId,
    voice: { incoming: { allow: true }, outgoing: { application_sid: keys.application_sid } },
  });
  assert.equal(claims.exp - claims.iat, 3600);
  assert.deepEqual([identity, ttl, provider], [acme.userId, 3600, "twilio"]);
  assert.ok(Date.parse(expires_at) > Date.now());
  const rightless = await acme.memberWith(["view_all_leads"]);
  await rightless.refused(403, "GET", "/dialer/token/");
});

test("a call from a browser is recorded in the member's name, rings the other side, and ends like any other", async () => {
  const caller = await connects(acme, { contact_id: person.id });
  const { rings } = caller;
  await connects(acme, { contact_id: person.id }, caller.call.sid);
  await caller.hungUp(await caller.answeredBy(theirs), 11);

  const [call, ...more] = await calls();
  assert.deepEqual(rings, [theirs]);
  assert.deepEqual([call.status, call.duration, call.user_id, call.local_phone], ["completed", 11, acme.userId, ours]);
  assert.deepEqual(more, []);
});

test("a call that waits is taken up from its member's browser, once", async () => {
  const waiting = await acme.post("/dialer/call/", { contact_id: person.id });
  const other = await acme.member();
  await withWorker(service, (worker) => worker.drained());

  const foreign = await connects(other, { call_id: waiting.id });
  const caller = await connects(acme, { call_id: waiting.id });
  const again = await connects(acme, { call_id: waiting.id });
  await caller.hungUp(await caller.answeredBy(theirs), 3);

  assert.deepEqual(said(foreign), ["This call cannot be taken up any more.", "Hangup"]);
  assert.deepEqual(said(again), ["This call cannot be taken up any more.", "Hangup"]);
  assert.deepEqual(
    (await calls()).map((one: any) => [one.id, one.status]),
    [[waiting.id, "completed"]],
  );
});

test("who may not call, or says nobody who can be called, hears why and calls nobody", async () => {
  const rightless = await acme.memberWith(["view_all_leads"]);
  const numberless = await acme.member();
  const outsider = await organization(service);

  const heard = await Promise.all([
    connects(rightless, { phone: theirs }),
    connects(outsider, { phone: theirs }),
    connects(acme, { phone: "call me" }),
    connects(numberless, { phone: theirs }),
  ]);

  assert.deepEqual(heard.map(said), [
    ["You may not make calls here.", "Hangup"],
    ["You may not make calls here.", "Hangup"],
    ["phone is not a phone number", "Hangup"],
    ["There is no number to call from: set phone_number_id", "Hangup"],
  ]);
});
