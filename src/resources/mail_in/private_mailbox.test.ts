// A mailbox is its owner's: no other member reads it by any path, whatever their role, until it is shared with them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { imapServer } from "../../../test/support/imap.ts";
import { letter } from "../../../test/support/letters.ts";
import { type Service, startService } from "../../../test/support/service.ts";
import { withWorker } from "../../../test/support/worker.ts";

let service: Service;

before(async () => {
  service = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
});
after(() => service?.close());

const secret = /secretive|Your results|negative/i;

/** A member's mailbox in which a stranger's message lies. */
async function given(): Promise<{ admin: Workspace; owner: Workspace; account: any; prospect: any }> {
  const admin = await organization(service);
  const owner = await admin.member();
  const box = (await imapServer()).mailbox();
  const imap = { ...box.login, password: "secret" };
  const account = await owner.post("/connected_account/", { email: box.address, imap, enabled_features: ["email_syncing"] });
  const attachments = [{ filename: "secretive.txt", type: "text/plain", content: "All negative" }];
  await box.deliver(
    letter({ from: "Dr <doctor@secretive.example>", to: box.address, subject: "Your results", text: "Negative", attachments }),
  );
  await withWorker(service, (worker) => worker.drained());
  const [prospect] = (await owner.get("/inbox_prospect/")).data;
  assert.match(prospect.subject, secret);
  return { admin, owner, account, prospect };
}

/** Every path that answers something about a prospect or its account, and every list. */
async function pathsThatTell(who: Workspace, ids: Record<string, string>): Promise<string[]> {
  const told: string[] = [];
  const reads = service.app.core.registry.operations.filter(({ method, path }) => method === "GET" && !path.includes("stream"));
  for (const { path } of reads) {
    const at = path.replace(/\{[^}]+\}/g, () => Object.entries(ids).find(([name]) => path.startsWith(`/${name}/`))?.[1] ?? "x_1");
    for (const asked of new Set([
      at,
      `${at}?status=all&_fields=id,subject,messages,body_text,message,email,name`,
      `${at}?query=results`,
    ])) {
      const { text } = await who.ask("GET", asked);
      if (secret.test(text)) told.push(asked);
    }
  }
  for (const object_type of ["lead", "contact", "conversation", "activity"]) {
    const query = { type: "object_type", object_type };
    const { text } = await who.ask("POST", "/data/search/", { body: { query } });
    if (secret.test(text)) told.push(`POST /data/search/ ${object_type}`);
  }
  return told;
}

test("no path tells another member of what lies in a mailbox, and none lets them do something with it", async () => {
  const { admin, owner, account, prospect } = await given();
  const other = await admin.member();
  const ids = { inbox_prospect: prospect.id, connected_account: account.id, event: prospect.id };

  assert.ok((await pathsThatTell(owner, ids)).length > 0);
  for (const who of [admin, other]) {
    assert.deepEqual(await pathsThatTell(who, ids), []);
    assert.deepEqual((await who.get(`/event/?object_id=${prospect.id}`)).data, []);
    await who.refused(404, "POST", `/inbox_prospect/${prospect.id}/convert/`, {});
    await who.refused(404, "POST", `/inbox_prospect/${prospect.id}/dismiss/`, {});
  }
  await other.refused(404, "PUT", `/connected_account/${account.id}/`, { shared_with: [other.userId] });
});

test("whoever shares a mailbox sees who writes to it, by themselves or by their group, and nobody else does", async () => {
  const { admin, owner, account, prospect } = await given();
  const [bob, eve, carl] = [await admin.member(), await admin.member(), await admin.member()];
  const group = await admin.post("/group/", { name: "Desk", user_ids: [carl.userId] });
  await owner.put(`/connected_account/${account.id}/`, { shared_with: [bob.userId, group.id] });

  const seen = async (who: Workspace) => (await who.get("/inbox_prospect/")).data.map((one: any) => one.subject);
  assert.deepEqual([await seen(bob), await seen(carl), await seen(eve)], [["Your results"], ["Your results"], []]);
  assert.equal((await bob.get(`/event/?object_id=${prospect.id}`)).data.length, 1);
  await owner.put(`/connected_account/${account.id}/`, { shared_with: [group.id] });
  assert.deepEqual([await seen(bob), await seen(carl)], [[], ["Your results"]]);
  await bob.refused(404, "POST", `/inbox_prospect/${prospect.id}/convert/`, {});
  const made = await carl.post(`/inbox_prospect/${prospect.id}/convert/`, {});
  assert.ok(made.lead.id);
});

test("who writes a customer's address, or anybody's, into an account of their own keeps no mail from the others", async () => {
  const admin = await organization(service);
  const owner = await admin.member();
  const box = (await imapServer()).mailbox();
  const imap = { ...box.login, password: "secret" };
  await owner.post("/connected_account/", { email: box.address, imap, enabled_features: ["email_syncing"] });
  const { id } = await admin.lead({ contacts: [{ name: "Dora", emails: [{ email: "dora@customer.example" }] }] });
  const smtp = { host: "127.0.0.1", port: 1, username: "x", password: "secret" };
  for (const email of ["dora@customer.example", "stranger@elsewhere.example"])
    await (await admin.member()).post("/connected_account/", { email, smtp });

  await box.deliver(letter({ from: "Dora <dora@customer.example>", to: box.address, subject: "Our order", text: "Two, please" }));
  await box.deliver(letter({ from: "Who <stranger@elsewhere.example>", to: box.address, subject: "Hello", text: "New here" }));
  await withWorker(service, (worker) => worker.drained());

  const [mail] = (await owner.get(`/activity/email/?lead_id=${id}`)).data;
  assert.deepEqual([mail?.subject, mail?.status], ["Our order", "inbox"]);
  assert.equal((await owner.get("/inbox_prospect/")).data[0]?.subject, "Hello");
});

test("a rule makes a lead of mail in a mailbox only where its author shares it, and says what it does not do", async () => {
  const admin = await organization(service);
  const owner = await admin.member();
  const box = (await imapServer()).mailbox();
  const imap = { ...box.login, password: "secret" };
  const account = await owner.post("/connected_account/", { email: box.address, imap, enabled_features: ["email_syncing"] });
  const rule = {
    name: "New",
    conditions: { subject_contains: "results" },
    actions: { create_lead: true, forward_to: ["books@acct.example"] },
  };
  const ours = await admin.post("/inbox_rule/", rule);
  const forOwner = await admin.post("/inbox_rule/", { ...rule, user_id: owner.userId });
  const arrives = async (subject: string) => {
    await box.deliver(letter({ from: "doctor@secretive.example", to: box.address, subject, text: "Negative" }));
    service.clock.now = new Date((service.clock.now?.getTime() ?? Date.now()) + 600_000);
    await withWorker(service, (worker) => worker.drained());
  };

  await arrives("Your results");
  const [prospect] = (await owner.get("/inbox_prospect/")).data;
  const tried = await owner.post("/inbox_rule/try/", { message_id: prospect.id });
  const errors = (await admin.get("/inbox_rule/")).data.map((one: any) => one.latest_error);

  assert.equal(prospect.status, "new");
  assert.deepEqual([tried.outcome.create_lead, tried.outcome.forward_to], [false, []]);
  assert.deepEqual(
    tried.held_back.map((one: any) => [one.rule_id, one.action]).sort(),
    [ours, forOwner]
      .flatMap(({ id }) => [
        [id, "create_lead"],
        [id, "forward_to"],
      ])
      .sort(),
  );
  for (const error of errors) assert.match(error, /^create_lead: the mailbox is not shared .* add create_lead$/);

  await owner.put(`/connected_account/${account.id}/`, { shared_with: [admin.userId] });
  const strangers = { unknown_sender: true, subject_contains: "other" };
  await admin.post("/inbox_rule/", {
    name: "Of strangers",
    conditions: strangers,
    actions: { forward_to: ["desk@acct.example"] },
  });
  await arrives("Your other results");
  const [made] = (await admin.get("/inbox_prospect/?status=converted")).data;
  assert.equal(made.id, prospect.id);
  const mails = (await admin.get(`/activity/email/?lead_id=${made.lead_id}`)).data;
  const forwarded = mails.find((one: any) => one.subject === "Fwd: Your other results");
  assert.deepEqual(forwarded?.to.toSorted(), ["books@acct.example", "desk@acct.example"]);
});
