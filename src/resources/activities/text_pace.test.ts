// Texts are sent as fast as carriers accept them.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";

let service: Service;
let twilio: TwilioServer;
let acme: Workspace;
let person: any;

beforeEach(async () => {
  service = await outboundService();
  twilio = await startTwilio();
  acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  person = await acme.contact({ phones: [{ phone: "+12125559876" }] });
  service.clock.now = new Date();
});
afterEach(() => twilio.close());

async function number(values: object): Promise<void> {
  const { number } = values as { number: string };
  twilio.own(number);
  await acme.post("/phone_number/", { is_group_number: true, ...values });
}

const desk = "+12125551234";
const write = (who: Workspace, text = "Hello", local_phone = desk) =>
  who.post("/activity/sms/", { contact_id: person.id, status: "outbox", text, local_phone });

async function many(count: number, who: Workspace, ...rest: string[]): Promise<void> {
  for (let i = 0; i < count; i++) await write(who, ...rest);
}

/** How many were sent after this many seconds. */
async function leftAfter(seconds: number): Promise<number> {
  service.clock.now = new Date(service.clock.now!.getTime() + seconds * 1000);
  await withWorker(service, (worker) => worker.drained());
  return twilio.messages.length;
}

test("a handful leaves at once, more in the pace of the number, and all of them once", async () => {
  await number({ number: desk });
  await many(21, acme);

  const counts = [await leftAfter(0), await leftAfter(1), await leftAfter(1), await leftAfter(2), await leftAfter(10)];

  assert.deepEqual(counts, [11, 11, 12, 14, 21]);
  assert.deepEqual((await acme.get("/activity/sms/?status=outbox")).data, []);
});

test("who sends in bulk does not hold up others on the same number", async () => {
  await number({ number: desk });
  const member = await acme.member();
  await many(60, acme);
  await leftAfter(0);

  const single = await write(member, "Are you there?");
  await leftAfter(2);

  assert.equal((await acme.get(`/activity/sms/${single.id}/`)).status, "sent");
  assert.ok(twilio.messages.length < 20);
});

test("long texts count for as many segments as they have, and tollfree numbers send faster", async () => {
  await number({ number: desk });
  await number({ number: "+18005551234", carrier_type: "tollfree" });
  const long = "a".repeat(1530);
  await many(3, acme, long);
  const local = [await leftAfter(0), await leftAfter(10), await leftAfter(10)];
  twilio.messages.length = 0;
  await many(3, acme, long, "+18005551234");
  const tollfree = [await leftAfter(0), await leftAfter(5)];

  assert.deepEqual(local, [2, 2, 3]);
  assert.deepEqual(tollfree, [2, 3]);
});

test("numbers of an organization share its pace, and another organization has its own", async () => {
  const members = await Promise.all([...Array(24)].map(() => acme.member()));
  for (const [i, who] of members.entries()) {
    const own = `+121255512${String(i).padStart(2, "0")}`;
    await number({ number: own });
    await write(who, "Hello", own);
  }
  const other = await organization(service);
  await other.put("/credentials/twilio/", twilio.credentials);
  await other.post("/phone_number/", { number: "+12125551200" });
  const theirs = await other.contact({ phones: [{ phone: "+12125559876" }] });

  const counts = [await leftAfter(0), await leftAfter(1)];
  await other.post("/activity/sms/", { contact_id: theirs.id, status: "outbox", text: "Hi" });

  assert.deepEqual(counts, [10, 24]);
  assert.equal(await leftAfter(0), 25);
});

test("what is taken back gives up its turn, and takes another when it is sent again", async () => {
  await number({ number: desk });
  await many(12, acme);
  await leftAfter(0);
  const [waiting] = (await acme.get("/activity/sms/?status=outbox")).data;

  await acme.put(`/activity/sms/${waiting.id}/`, { status: "draft" });
  await leftAfter(60);
  const taken = (await acme.get(`/activity/sms/${waiting.id}/`)).status;
  await acme.put(`/activity/sms/${waiting.id}/`, { status: "outbox" });

  assert.equal(taken, "draft");
  assert.equal(await leftAfter(0), 12);
});

test("a text says in how many segments it is sent, and what goes with pictures goes as a whole", async () => {
  const drafts = await Promise.all(
    ["a".repeat(160), "a".repeat(161), "ж".repeat(71)].map((text) =>
      acme.post("/activity/sms/", { contact_id: person.id, text }),
    ),
  );
  const attachments = [{ url: "https://files.example/a.png", content_type: "image/png" }];
  const picture = await acme.post("/activity/sms/", { contact_id: person.id, text: "Look", attachments });

  assert.deepEqual(
    drafts.map(({ segments }) => segments),
    [1, 2, 2],
  );
  assert.equal(picture.segments, null);
});
