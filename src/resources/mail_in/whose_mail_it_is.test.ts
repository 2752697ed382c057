// What is in a member's mailbox comes to a contact by its address alone only where that member sees it, or confirmed it.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { imapServer, type TestMailbox } from "../../../test/support/imap.ts";
import { letter, newMessageId } from "../../../test/support/letters.ts";
import { type Service, startService } from "../../../test/support/service.ts";
import { withWorker } from "../../../test/support/worker.ts";

let service: Service;

before(async () => {
  service = await startService({ env: { OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8" } });
});
beforeEach(() => {
  service.clock.now = null;
});
after(() => service?.close());

/** Every mailbox is read within ten minutes. */
async function drained(): Promise<void> {
  service.clock.now = new Date((service.clock.now?.getTime() ?? Date.now()) + 600_000);
  await withWorker(service, (worker) => worker.drained());
}

interface Given {
  admin: Workspace;
  owner: Workspace;
  box: TestMailbox;
}

async function given(role?: string): Promise<Given> {
  const admin = await organization(service);
  const owner = await admin.member(role);
  return { admin, owner, box: await mailboxOf(owner) };
}

async function mailboxOf(who: Workspace): Promise<TestMailbox> {
  const box = (await imapServer()).mailbox();
  const imap = { ...box.login, password: "secret" };
  await who.post("/connected_account/", { email: box.address, imap, enabled_features: ["email_syncing"] });
  return box;
}

const lawyer = "lawyer@firm.example";

async function arrives({ box }: Pick<Given, "box">, subject: string, more: object = {}): Promise<void> {
  await box.deliver(letter({ from: lawyer, to: box.address, subject, text: "Between us", ...more }));
  await drained();
}

const subjectsAt = async (who: Workspace, lead_id: string): Promise<string[]> =>
  (await who.get(`/activity/email/?lead_id=${lead_id}&_order_by=activity_at`)).data.map((one: any) => one.subject);

const prospectsOf = async (who: Workspace): Promise<any[]> =>
  (await who.get("/inbox_prospect/?_fields=id,subject,message_count,lead_id")).data;

test("a contact that somebody makes of another member's prospect gets no mail until that member says so", async () => {
  const one = await given();
  await arrives(one, "First");
  const made = await one.admin.contact({ emails: [{ email: lawyer }] });

  await arrives(one, "Second");
  const kept = await prospectsOf(one.owner);
  const before = await subjectsAt(one.admin, made.lead_id);
  await one.owner.post(`/inbox_prospect/${kept[0].id}/convert/`, { lead_id: made.lead_id });
  await arrives(one, "Third");

  assert.deepEqual(
    kept.map(({ subject, message_count }) => [subject, message_count]),
    [["Second", 2]],
  );
  assert.deepEqual([before, await prospectsOf(one.admin)], [[], []]);
  assert.deepEqual(await subjectsAt(one.admin, made.lead_id), ["First", "Second", "Third"]);
  assert.deepEqual(await prospectsOf(one.owner), []);
});

test("a member's prospect becomes a contact of theirs by their own contact, or a lead that they own, and no dismissed one by another's", async () => {
  const one = await given();
  await arrives(one, "First");
  const [prospect] = await prospectsOf(one.owner);
  await one.owner.post(`/inbox_prospect/${prospect.id}/dismiss/`, {});
  const others = await one.admin.contact({ emails: [{ email: lawyer }] });
  await arrives(one, "Second");
  const own = await one.owner.contact({ emails: [{ email: lawyer }] });
  await arrives(one, "Third");
  await one.owner.delete(`/lead/${own.lead_id}/`);
  await one.admin.put(`/lead/${others.lead_id}/`, { owner_id: one.owner.userId });
  await arrives(one, "Fourth");

  assert.deepEqual(await subjectsAt(one.admin, others.lead_id), ["Fourth"]);
  assert.deepEqual(
    (await prospectsOf(one.owner)).map(({ subject }) => subject),
    ["Second"],
  );
});

test("a colleague's contact gets the mail of a person who had not written before", async () => {
  const one = await given();
  const made = await one.admin.contact({ emails: [{ email: lawyer }] });

  await arrives(one, "First");

  assert.deepEqual(await subjectsAt(one.owner, made.lead_id), ["First"]);
});

test("a colleague's newer contact with the same address takes no mail from a member's own, whether they ever wrote to it or not", async () => {
  for (const spoken of [false, true]) {
    const one = await given();
    const own = await one.owner.contact({ emails: [{ email: lawyer }] });
    if (spoken) await one.owner.post("/activity/call/", { contact_id: own.id, status: "completed" });
    const other = await one.admin.member("restricteduser");
    const taking = await other.contact({ emails: [{ email: lawyer }] });
    await other.post("/activity/call/", { contact_id: taking.id, status: "completed" });

    await arrives(one, "For me alone");

    assert.deepEqual(await subjectsAt(one.owner, own.lead_id), ["For me alone"]);
    assert.deepEqual(await subjectsAt(one.admin, taking.lead_id), []);
  }
});

test("of two contacts that others made, the one gets the mail at whose lead the member logged a call", async () => {
  const one = await given();
  const [spoken, newer] = [
    await one.admin.contact({ emails: [{ email: lawyer }] }),
    await one.admin.contact({ emails: [{ email: lawyer }] }),
  ];
  await one.owner.post("/activity/call/", { contact_id: spoken.id, status: "completed" });

  await arrives(one, "As we said");

  assert.deepEqual(await subjectsAt(one.owner, spoken.lead_id), ["As we said"]);
  assert.deepEqual(await subjectsAt(one.owner, newer.lead_id), []);
});

test("mail from a person at a lead that the owner does not see is the owner's prospect, and what they ask for holds for everybody", async () => {
  const one = await given("restricteduser");
  const hidden = await one.admin.contact({ emails: [{ email: lawyer }] });
  const address = (await one.admin.get(`/contact/${hidden.id}/`)).emails[0];

  await arrives(one, "Please stop", { text: "Please unsubscribe me from your list" });

  const [mine, ...more] = await prospectsOf(one.owner);
  const now = (await one.admin.get(`/contact/${hidden.id}/`)).emails[0];
  assert.deepEqual([mine.subject, more.length], ["Please stop", 0]);
  assert.deepEqual(await subjectsAt(one.admin, hidden.lead_id), []);
  assert.deepEqual([address.is_unsubscribed, now.is_unsubscribed], [false, true]);
});

test("an answer in a thread at a lead that the owner sees no more is there, and the owner is told", async () => {
  const one = await given("restricteduser");
  const sent = newMessageId();
  const contact = await one.owner.contact({ emails: [{ email: lawyer }] });
  await one.box.makeFolder("Sent");
  await one.box.deliver(letter({ from: one.box.address, to: lawyer, messageId: sent, subject: "Ours" }), { folder: "Sent" });
  await drained();
  await one.admin.put(`/lead/${contact.lead_id}/`, { owner_id: one.admin.userId });

  await arrives(one, "Re: Ours", { inReplyTo: sent });
  await arrives(one, "Something else");

  const told = (await one.owner.get("/notification/?type=message_received")).data;
  assert.deepEqual(await subjectsAt(one.admin, contact.lead_id), ["Ours", "Re: Ours"]);
  assert.deepEqual(
    told.map(({ title, lead_id }: any) => [title, lead_id]),
    [[`A mail came to your mailbox from ${lawyer}`, null]],
  );
  assert.doesNotMatch(JSON.stringify(told), /Ours|Between us/);
  assert.deepEqual(
    (await prospectsOf(one.owner)).map(({ subject }) => subject),
    ["Something else"],
  );
});

test("a message in two mailboxes is a prospect for who does not see the sender's lead, and at the lead for who does, whoever reads it first", async () => {
  for (const first of ["blind", "seeing"] as const) {
    const one = await given("restricteduser");
    const [blind, seeing] = [one.box, await mailboxOf(one.admin)];
    const { lead_id } = await one.admin.contact({ emails: [{ email: lawyer }] });
    const mail = letter({ from: lawyer, to: `${blind.address}, ${seeing.address}`, subject: "To both", text: "Hello" });
    for (const box of first === "blind" ? [blind, seeing] : [seeing, blind]) {
      await box.deliver(mail);
      await drained();
    }

    assert.deepEqual(await subjectsAt(one.admin, lead_id), ["To both"], first);
    const told = (await one.owner.get("/notification/?type=message_received")).data.length;
    assert.equal((await prospectsOf(one.owner)).length + told, 1, first);
  }
});
