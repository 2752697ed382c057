// Follows the guides to calendars, telephony and mail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connecting, open, press } from "../support/connecting.ts";
import { calendarsOf } from "../support/following.ts";
import { organization } from "../support/given.ts";
import { followRequests } from "../support/guides.ts";
import { imapServer } from "../support/imap.ts";
import { letter } from "../support/letters.ts";
import { ann } from "../support/oauth_provider.ts";
import { outboundService } from "../support/outbound.ts";
import { startMailServer } from "../support/smtp.ts";
import { startTwilio, type TwilioServer } from "../support/twilio.ts";
import { withWorker } from "../support/worker.ts";

test("who follows docs/calendars.md connects an account, and a meeting of theirs is on the lead of whom it is with", async () => {
  const { acme, provider, service } = await connecting();
  const [calendar] = calendarsOf(provider).of(ann.email);
  const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const event = { id: "demo", title: "Demo", starts: soon(24), ends: soon(25), guests: [{ email: "carla@client.example" }] };
  const drained = () => withWorker(service, (worker) => worker.drained());
  const lists: any[] = [];

  const followed = await followRequests(acme, "docs/calendars.md", {
    async after({ url, data }) {
      if (url !== undefined) {
        const page = await press(acme, await open(acme, await provider.visit(url)));
        assert.match(page.text, /is connected/);
        await drained();
        calendar!.put(event);
      }
      if (data !== undefined) lists.push(data);
      service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + 7 * 60_000);
      await drained();
    },
  });

  const [[account], [meeting]] = lists;
  assert.equal(followed, 4);
  assert.deepEqual(
    account.synced_calendars.map((one: any) => one.is_primary),
    [true],
  );
  assert.deepEqual([meeting.title, meeting.source], ["Demo", "calendar"]);
});

test("who follows docs/telephony.md rents a number, sends a text from it and calls, and finds answer and recording on the lead", async () => {
  const service = await outboundService();
  const [acme, twilio] = [await organization(service), await startTwilio()];
  twilio.forSale.push({ number: "+12125551234" });
  const drained = () => withWorker(service, (worker) => worker.drained());
  const [mine] = (await acme.get(`/membership/?user_id=${acme.userId}`)).data;
  await acme.put(`/membership/${mine.id}/`, { auto_record_calls: "enabled" });
  const lists: any[] = [];

  const followed = await followRequests(acme, "docs/telephony.md", {
    change: (body) => (body.includes("account_sid") ? JSON.stringify(twilio.credentials) : body),
    async after({ data, status, call_id, availability }) {
      await drained();
      if (call_id) await speak(twilio, service.url);
      if (availability === "offline") await leaveMessage(twilio, service.url);
      await drained();
      if (data !== undefined) lists.push(data);
      if (status === "sent") await twilio.receives(service.url, twilio.numbers[0]!.sms_url, { body: "Ten is fine!" });
    },
  });

  const [[offer], [answer, ...more], [conversation], [missed], [task]] = lists;
  assert.equal(followed, 17);
  assert.deepEqual([offer.number, offer.monthly_price, offer.currency], ["+12125551234", 115, "USD"]);
  assert.deepEqual(
    twilio.messages.map(({ from, to, body }) => [from, to, body]),
    [["+12125551234", "+12125559876", "Is Tuesday at ten all right?"]],
  );
  assert.deepEqual([answer.text, answer.conversation_id, more], ["Ten is fine!", conversation.id, []]);
  assert.deepEqual([conversation.is_read, conversation.channel], [false, "sms"]);
  assert.equal((await acme.get("/notification/?type=message_received")).data.length, 1);
  assert.deepEqual([missed.status, missed.disposition, missed.voicemail_duration], ["no-answer", "vm-left", 8]);
  assert.deepEqual([task.object_id, task.voicemail_url], [missed.id, missed.voicemail_url]);
});

const sound = Buffer.from(`ID3${"\0".repeat(7)}a sound`);

/** Ada picks up in her browser, Carla at her phone, and they speak for 42 seconds. */
async function speak(twilio: TwilioServer, serviceUrl: string): Promise<void> {
  const caller = await twilio.calls.picksUp(serviceUrl, twilio.calls.all.at(-1)!);
  const [carla] = caller.rings;
  await caller.recorded(sound, 42);
  await caller.hungUp(await caller.answeredBy(carla!), 42);
}

async function leaveMessage(twilio: TwilioServer, serviceUrl: string): Promise<void> {
  const caller = await twilio.calls.arrives(serviceUrl, twilio.numbers[0]!.voice_url);
  await caller.recorded(sound, 8);
}

test("who follows docs/mail.md connects a mailbox, writes, is answered, and sees the thread on the lead", async () => {
  const service = await outboundService();
  const acme = await organization(service);
  const server = await startMailServer();
  const box = (await imapServer()).mailbox("ada@acme.example");
  const here = { smtp: server.smtp, imap: box.login };
  const lists: any[] = [];

  const followed = await followRequests(acme, "docs/mail.md", {
    change(text) {
      const body = JSON.parse(text);
      return JSON.stringify(body.smtp ? { ...body, ...here } : body);
    },
    async after(answer) {
      if (answer.status === "sent") await box.deliver(answerTo(answer, new Date(service.clock.now!.getTime() + 60_000)));
      if (answer.data !== undefined) lists.push(answer.data);
      service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + 10 * 60_000);
      await withWorker(service, (worker) => worker.drained());
    },
  });

  const [[thread]] = lists;
  assert.equal(followed, 6);
  const said = new Map(thread.emails.map((one: any) => [one.status, [one.sender, one.subject]]));
  assert.deepEqual(said.get("sent"), ['"Ada Lovelace" <ada@acme.example>', "Our offer"]);
  assert.deepEqual(said.get("inbox"), ['"Carla Client" <carla@client.example>', "Re: Our offer"]);
  assert.equal(thread.n_emails, 2);
  const [arrived] = server.to("carla@client.example");
  assert.match(arrived!.text!, /Dear Carla,\s+here it is\.\s+-- \s+Ada Lovelace, Acme/);
  assert.equal((await box.list("Sent")).length, 1);
  await server.close();
});

const answerTo = ({ message_ids: [id] }: any, date: Date): string =>
  letter({
    from: "Carla Client <carla@client.example>",
    to: "ada@acme.example",
    subject: "Re: Our offer",
    text: "Yes, please.\n",
    date,
    inReplyTo: id,
  });
