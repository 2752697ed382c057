// What a rule cannot do loses no message, whichever way it came: by mail, as a text or as a call.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { imapServer } from "../../../test/support/imap.ts";
import { letter } from "../../../test/support/letters.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { startTwilio, type TwilioServer } from "../../../test/support/twilio.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { write } from "../../core/context.ts";

const ours = "+12125551234";
let service: Service;
let twilio: TwilioServer;

before(async () => {
  service = await outboundService();
  twilio = await startTwilio();
});
after(() => twilio?.close());

/** An organization with a mailbox, a number, and a rule that makes a lead of whatever a stranger sends. */
async function ruled() {
  const acme = await organization(service);
  await acme.put("/credentials/twilio/", twilio.credentials);
  twilio.own(ours);
  await acme.post("/phone_number/", { number: ours });
  const box = (await imapServer()).mailbox();
  await acme.post("/connected_account/", { email: box.address, imap: box.login, enabled_features: ["email_syncing"] });
  const conditions = { unknown_sender: true };
  await acme.post("/inbox_rule/", { name: "New", conditions, actions: { create_lead: true } });
  const [[token]] = (await acme.service.app.db.query(acme.id, {
    text: "select webhook_token from credential where organization_id = $1",
    values: [acme.id],
  })) as [[string]];
  const address = (part: string) => `http://localhost/provider/twilio/${token}/${part}/`;

  const all = async () => {
    await box.deliver(letter({ from: "stranger@else.example", to: box.address, subject: "Hello", text: "Hello" }));
    const { status } = await twilio.receives(service.url, address("message"), { from: "+12125557001", body: "Hello" });
    await twilio.calls.arrives(service.url, address("call"), { from: "+12125558001" });
    service.clock.now = new Date((service.clock.now?.getTime() ?? Date.now()) + 600_000);
    await withWorker(service, (worker) => worker.drained());
    return status;
  };
  const channels = async (status: string): Promise<string[]> =>
    (await acme.get(`/inbox_prospect/?status=${status}`)).data.map((one: any) => one.channel).sort();
  return { acme, all, channels, isNow: async () => (await acme.get("/inbox_rule/")).data[0] };
}

/** Then no lead can be stored. */
const loseStatuses = (acme: Workspace) =>
  acme.inside(async (ctx) =>
    write(ctx, { text: "/* a test */ delete from lead_status where organization_id = $1", values: [ctx.organization_id] }),
  );

test("a stranger's mail, text and call become leads by a rule", async () => {
  const { all, channels, isNow } = await ruled();

  const answer = await all();

  const { match_count, latest_error } = await isNow();
  assert.deepEqual([answer, match_count, latest_error], [200, 3, null]);
  assert.deepEqual([await channels("converted"), await channels("new")], [["call", "email", "sms"], []]);
});

test("what a rule fails at is received all the same, and the message and the rule say why", async () => {
  const { acme, all, channels, isNow } = await ruled();
  await loseStatuses(acme);

  const answer = await all();

  const { data } = await acme.get("/inbox_prospect/");
  const { match_count, latest_error } = await isNow();
  const reasons = [latest_error, ...data.map((one: any) => one.message.rule_refused?.reason)];
  assert.deepEqual([answer, match_count], [200, 3]);
  assert.deepEqual([await channels("converted"), await channels("new")], [[], ["call", "email", "sms"]]);
  // Which of them depends on whether the process has the lost statuses still in memory.
  const words = /^(status_id does not exist|the service failed( \(23503\))?: tell its operator)$/;
  assert.equal(reasons.length, 4);
  for (const reason of reasons) assert.match(reason, words);
});
