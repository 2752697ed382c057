import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../test/support/smtp.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { store } from "../../records/store.ts";
import { unsubscribedEmail } from "../contacts/unsubscribed_email.ts";

let server: MailServer;
let on: Service;

before(async () => {
  server = await startMailServer();
  on = await outboundService();
});
after(() => server?.close());

const work = () => withWorker(on, (worker) => worker.drained());
let count = 0;
const address = (name: string) => `${name}-${process.pid}-${++count}@client.example`;
const contactOf = (name: string, email: string | null = address(name)) => ({
  name,
  emails: email === null ? [] : [{ email }],
});

/** An organization with a mailbox, and a template. */
async function outreach(): Promise<{ acme: Workspace; template: any }> {
  const acme = await organization(on);
  await acme.post("/connected_account/", { email: address("ada"), smtp: server.smtp });
  const template = await acme.post("/email_template/", {
    name: "Hello",
    is_shared: true,
    subject: "Hello {{ contact.name }}",
    body: "<p>Of {{ lead.name }}</p>",
  });
  return { acme, template };
}

test("a bulk e-mail reaches each address once, with a way to unsubscribe, and nobody who has done so", async () => {
  const { acme, template } = await outreach();
  const [ann, bob, cid, dot] = ["ann", "bob", "cid", "dot"].map((name) => address(name)) as [string, string, string, string];
  await acme.lead({ name: "Steel", contacts: [contactOf("Ann", ann), contactOf("Bob", bob)] });
  await acme.lead({ name: "Twin", contacts: [contactOf("Ann", ann.toUpperCase())] });
  await acme.lead({ name: "Wood", contacts: [contactOf("Cid", cid)] });
  await acme.lead({ name: "Bare", contacts: [contactOf("Eve", null)] });
  await acme.lead({ name: "Empty" });
  await acme.inside(async (ctx) =>
    store.insert(ctx, unsubscribedEmail, { address: cid, reason: "unsubscribed", scope: "marketing" }),
  );
  const body = { template_id: template.id, all: true, sort: "date_created" };

  const { id } = await acme.post("/bulk_action/email/", body);
  await work();

  const done = await acme.get(`/bulk_action/${id}/`);
  const { status, n_objects, n_succeeded, n_skipped, n_failed } = done;
  assert.deepEqual([status, n_objects, n_succeeded, n_skipped, n_failed], ["done", 5, 1, 4, 0], JSON.stringify(done.errors));
  const items = (await acme.get(`/bulk_action/${id}/items/?status=skipped`)).data;
  assert.deepEqual(
    items.map((one: any) => one.error),
    [
      "has got it already at the same address",
      "has unsubscribed, or cannot be reached",
      "has no e-mail address",
      "has no contact",
    ],
  );
  const [mail, ...others] = server.to(ann);
  assert.deepEqual([mail?.subject, others.length, server.to(cid).length], ["Hello Ann", 0, 0]);
  assert.ok(mail!.header("list-unsubscribe-post"));
  const [sent] = (await acme.get(`/activity/email/`)).data;
  assert.deepEqual([sent.bulk_email_action_id, sent.template_id, sent.status], [id, template.id, "sent"]);

  const toAll = { ...body, contact_preference: "all", subject: "News", query: "name:steel", all: undefined };
  const preview = await acme.ask("POST", "/bulk_action/email/", { body: { ...toAll, dry_run: true } });
  assert.deepEqual([preview.body.n_objects, preview.body.n_leads], [2, 1]);
  await acme.post("/bulk_action/email/", toAll);
  await work();
  assert.deepEqual([server.to(ann).at(-1)!.subject, server.to(bob).map(({ subject }) => subject)], ["News", ["News"]]);
  assert.equal(server.to(dot).length, 0);
});

test("a bulk e-mail needs the permission and a mailbox of one's own", async () => {
  const { acme, template } = await outreach();
  const [rep, restricted] = [await acme.member("user"), await acme.member("restricteduser")];
  await acme.lead();
  const body = { template_id: template.id, all: true };

  await restricted.refused(403, "POST", "/bulk_action/email/", body);
  await rep.refused(400, "POST", "/bulk_action/email/", body, "sender");
  await restricted.refused(403, "POST", "/bulk_action/sequence_subscription/", { action_type: "pause", all: true });
});

test("many are subscribed to a sequence, paused, reassigned and resumed", async () => {
  const { acme } = await outreach();
  const bob = await acme.member();
  const steps = [{ step_type: "task", text: "Call", delay: 864_000 }];
  const sequence = await acme.post("/sequence/", { name: "Outreach", status: "active", steps });
  const [ann] = (await acme.lead({ contacts: [contactOf("Eve", null), contactOf("Ann")] })).contacts.slice(1);
  await acme.lead({ contacts: [contactOf("Bob")] });
  await acme.lead();
  const change = async (body: object) => {
    const { id } = await acme.post("/bulk_action/sequence_subscription/", { sequence_id: sequence.id, all: true, ...body });
    await work();
    const { n_succeeded, n_skipped, n_failed } = await acme.get(`/bulk_action/${id}/`);
    return [n_succeeded, n_skipped, n_failed];
  };
  const ways = async () => (await acme.get(`/sequence_subscription/?sequence_id=${sequence.id}`)).data;

  assert.deepEqual(await change({ action_type: "subscribe" }), [2, 1, 0]);
  assert.deepEqual(await change({ action_type: "subscribe" }), [0, 1, 2]);
  assert.ok((await ways()).some((one: any) => one.contact_id === ann.id));
  assert.deepEqual(await change({ action_type: "pause" }), [2, 1, 0]);
  assert.deepEqual(
    (await ways()).map((one: any) => [one.status, one.status_reason]),
    [
      ["paused", "bulk-action"],
      ["paused", "bulk-action"],
    ],
  );
  const onlyAnn = { contact_preference: "contact", contact_ids: [ann.id], all: undefined };
  assert.deepEqual(await change({ action_type: "reassign", calls_assigned_to: [bob.userId], ...onlyAnn }), [1, 0, 0]);
  assert.deepEqual(await change({ action_type: "resume", ...onlyAnn }), [1, 0, 0]);
  const [first] = (await ways()).filter((one: any) => one.contact_id === ann.id);
  assert.deepEqual([first.status, first.calls_assigned_to], ["active", [bob.userId]]);
});

test("a bulk e-mail without its template writes to nobody, and neither does one without a subject or a text", async () => {
  const { acme, template } = await outreach();
  const to = address("ann");
  await acme.lead({ contacts: [contactOf("Ann", to)] });
  const empty = await acme.post("/email_template/", { name: "Empty", subject: "Hello" });
  const body = { template_id: template.id, all: true };

  await acme.refused(400, "POST", "/bulk_action/email/", { ...body, template_id: empty.id }, "template_id");
  const emptied = await acme.post("/bulk_action/email/", body);
  await acme.put(`/email_template/${template.id}/`, { body: " " });
  await work();
  const stopped = await acme.get(`/bulk_action/${emptied.id}/`);
  await acme.put(`/email_template/${template.id}/`, { body: "<p>Hi</p>" });
  const deleted = await acme.post("/bulk_action/email/", body);
  await acme.delete(`/email_template/${template.id}/`);
  await work();
  const gone = await acme.get(`/bulk_action/${deleted.id}/`);

  assert.deepEqual([stopped.status, stopped.n_objects_processed], ["error", 0]);
  assert.match(stopped.error, /template_id names a template without a subject or without a text/);
  assert.deepEqual(
    [gone.status, gone.n_objects_processed, gone.error],
    ["error", 0, "Its template was deleted: start another with one that exists"],
  );
  assert.equal(server.to(to).length, 0);
});

test("a bulk action whose sequence or field is gone stops before its records", async () => {
  const { acme } = await outreach();
  await acme.lead({ contacts: [contactOf("Ann")] });
  const steps = [{ step_type: "task", text: "Call", delay: 864_000 }];
  const sequence = await acme.post("/sequence/", { name: "Outreach", status: "active", steps });
  const field = await acme.customField("lead", { type: "text" });
  const begun = await acme.post("/bulk_action/sequence_subscription/", {
    action_type: "subscribe",
    sequence_id: sequence.id,
    all: true,
  });
  const edit = await acme.post("/bulk_action/edit/", {
    type: "set_custom_field",
    custom_field_id: field.id,
    custom_field_value: "x",
    all: true,
  });

  await acme.delete(`/sequence/${sequence.id}/`);
  await acme.delete(`/custom_field/lead/${field.id}/`);
  await work();

  const [one, other] = await Promise.all([begun, edit].map(({ id }) => acme.get(`/bulk_action/${id}/`)));
  assert.deepEqual([one.status, one.n_objects_processed, other.status, other.n_objects_processed], ["error", 0, "error", 0]);
  assert.match(one.error, /sequence_id does not exist/);
  assert.match(other.error, /custom_field_id is not a custom field/);
});
