// A person asks to be erased: afterwards nothing in the database or among the stored files names them, and what is about others is there.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { erase, placesWith } from "../../../test/support/erasing.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";
import { suppress } from "../contacts/suppress.ts";
import { exportWork } from "../exports/export_work.ts";
import { mailingExportWork } from "../mailing_exports/push_work.ts";
import { organizationExportWork } from "../organization_exports/work.ts";

const person = {
  name: "María O'Hara-Núñez",
  emails: [{ email: "Maria.Nunez@Mail.example" }, { email: "maria+old@mail.example" }],
  phones: [{ phone: "+49 30 9018 2012" }],
  urls: [{ url: "https://people.example/in/maria-nunez" }],
};
/** As a search by hand would look for them. */
const traces = [
  "maria.nunez@mail",
  "maria+old",
  "maria%2bold",
  "hara-núñez",
  "90182012",
  "9018 2012",
  "maria-nunez",
  "former.maria",
];

const base64 = (text: string) => Buffer.from(text).toString("base64");

test("nothing names a person who was erased, and what is about others stays", async () => {
  const acme = await organization();
  const lead = await acme.lead({
    name: "Fairs Ltd",
    description: "Ask María O'Hara-Núñez (maria.nunez@mail.example), or Bob",
    contacts: [{ name: "Bob Fair", emails: [{ email: "bob@fairs.example" }] }],
  });
  const maria = await acme.contact({
    ...person,
    lead_id: lead.id,
    emails: [...person.emails, { email: "former.maria@mail.example" }],
  });
  await acme.put(`/contact/${maria.id}/`, { emails: person.emails });
  const note = await acme.note({ lead_id: lead.id, note: "María O’Hara-Núñez is away; call 030 / 9018 2012 or +493090182012." });
  await acme.put(`/activity/note/${note.id}/`, {
    note: "María O'Hara-Núñez is away; call 030 / 9018 2012 or +493090182012. Bob is in.",
  });
  const said = { lead_id: lead.id, contact_id: maria.id };
  const mail = await acme.post("/activity/email/", {
    ...said,
    status: "inbox",
    direction: "incoming",
    sender: "maria.nunez@mail.example",
    subject: "A secret of mine",
    body_text: "Nobody else knows it",
    attachments: [],
  });
  const toBoth = await acme.post("/activity/email/", {
    lead_id: lead.id,
    status: "sent",
    to: ["bob@fairs.example", "maria.nunez@mail.example"],
    subject: "For both",
    body_text: "Dear María O'Hara-Núñez, dear Bob: https://x.example/?to=maria%2Bold%40mail.example",
  });
  await acme.post("/activity/sms/", {
    ...said,
    status: "inbox",
    direction: "inbound",
    text: "hi",
    remote_phone: "+493090182012",
    local_phone: "+15005550006",
  });
  const task = await acme.task({ lead_id: lead.id, text: "Write to maria.nunez@mail.example" });
  await acme.post("/file/", { ...said, name: "cv.txt", content_base64: base64("I am María") });
  await acme.post("/file/", { lead_id: lead.id, name: "list.csv", content_base64: base64("Bob\nmaria.nunez@mail.example\n") });
  const others = await acme.post("/file/", { lead_id: lead.id, name: "other.csv", content_base64: base64("Bob\n") });
  await acme.post("/import/", {
    object_type: "contact",
    csv: "Company,Name,Email\nFairs Ltd,María O'Hara-Núñez,maria.nunez@mail.example\n",
  });
  const quote = await acme.post("/quote/", { ...said, line_items: [{ name: "Seat", unit_price: 100 }] });
  const { public_url } = await acme.put(`/quote/${quote.id}/`, { status: "open" });

  const done = await erase(acme, maria.id);

  assert.equal(done.status, "completed");
  assert.deepEqual(await placesWith(acme, [...traces, "a secret of mine", "nobody else knows"]), []);
  assert.equal((await acme.get(`/lead/${lead.id}/`)).description, "Ask [erased] ([erased]), or Bob");
  assert.equal((await acme.get(`/activity/note/${note.id}/`)).note, "[erased] is away; call [erased] or [erased]. Bob is in.");
  assert.equal((await acme.get(`/task/${task.id}/`)).text, "Write to [erased]");
  const kept = await acme.get(`/activity/email/${toBoth.id}/`);
  assert.deepEqual([kept.to, kept.body_text], [["bob@fairs.example"], "Dear [erased], dear Bob: https://x.example/?to=[erased]"]);
  assert.equal((await acme.get(`/file/${others.id}/`)).name, "other.csv");
  const page = await (await fetch(public_url.replace("http://localhost", acme.service.url))).text();
  assert.ok(page.includes("Fairs Ltd") && !page.includes("Hara"), page);
  await acme.refused(404, "GET", `/contact/${maria.id}/`);
  await acme.refused(404, "GET", `/activity/email/${mail.id}/`);
  assert.equal((await acme.get("/contact/?query=bob")).data.length, 1);
  assert.equal((await acme.get("/lead/?query=nunez")).data.length, 0);
});

test("a switchboard, an address of the team and a namesake stay with those who have them too", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Fairs", contacts: [{ name: "Bob Fair", phones: [{ phone: "+493090182000" }] }] });
  const shared = { emails: [{ email: "sales@fairs.example" }], phones: [{ phone: "+493090182000" }] };
  await acme.contact({ name: "Eve Fair", lead_id: lead.id, emails: shared.emails });
  const ann = await acme.contact({ name: "Ann", lead_id: lead.id, ...shared });
  const note = await acme.note({ lead_id: lead.id, note: "Ann or Bob: +49 30 90182000, sales@fairs.example" });

  const done = await erase(acme, ann.id);

  assert.equal(done.receipt.n_shared, 2);
  assert.equal((await acme.get(`/activity/note/${note.id}/`)).note, "Ann or Bob: +49 30 90182000, sales@fairs.example");
  assert.equal((await acme.get("/contact/?phone=%2B493090182000")).data.length, 1);
});

test("the name of another lead, of a member or of a contact with other addresses stays; that of the person's own lead does not", async () => {
  const acme = await organization();
  const { name: member } = await acme.get(`/user/${acme.userId}/`);
  const neutral = await acme.lead({ name: "Neutral Co" });
  const own = await acme.lead({ name: "Otto Alone" });
  await acme.contact({ name: "Ann Lee", emails: [{ email: "ann@other.example" }] });
  const note = await acme.note({ lead_id: neutral.id, note: `Neutral Co, ${member}, Ann Lee, Otto Alone` });
  const people = ["Neutral Co", member, "Ann Lee", "Otto Alone"];

  const shared: number[] = [];
  for (const name of people) {
    const lead_id = name === "Otto Alone" ? own.id : (await acme.lead()).id;
    const { id } = await acme.contact({ lead_id, name, emails: [{ email: `${people.indexOf(name)}@home.example` }] });
    shared.push((await erase(acme, id)).receipt.n_shared);
  }

  assert.deepEqual(shared, [1, 1, 1, 0]);
  assert.equal((await acme.get(`/activity/note/${note.id}/`)).note, `Neutral Co, ${member}, Ann Lee, [erased]`);
  assert.equal((await acme.get(`/lead/${neutral.id}/`)).name, "Neutral Co");
  assert.equal((await acme.get(`/lead/${own.id}/`)).name, "[erased]");
});

test("the same person at another lead is erased, too; who knows a value finds it in the receipt, and it tells nobody else", async () => {
  const acme = await organization();
  const one = await acme.contact({ name: "Ann Lee", emails: [{ email: "ann.lee@home.example" }] });
  const other = await acme.contact({ name: "Ann Lee", emails: [{ email: "ann.lee@home.example" }] });

  const { receipt } = await erase(acme, one.id);

  await acme.refused(404, "GET", `/contact/${other.id}/`);
  const hash = (value: string) =>
    createHash("sha256")
      .update(receipt.salt + value)
      .digest("hex");
  assert.deepEqual(receipt.values, [
    { kind: "name", sha256: hash("Ann Lee") },
    { kind: "email", sha256: hash("ann.lee@home.example") },
  ]);
  assert.equal(receipt.deleted.contact, 2);
  assert.ok(!JSON.stringify(receipt).toLowerCase().includes("ann"));
});

test("who wanted no more mail is not written to after the erasing, even if somebody enters them again", async () => {
  const acme = await organization();
  const address = "ann.gone@home.example";
  const ann = await acme.contact({ name: "Ann Gone", emails: [{ email: address }] });
  await acme.inside(async (ctx) => suppress(ctx, { address, reason: "unsubscribed", source: "link", source_id: null }));

  await erase(acme, ann.id);

  assert.deepEqual(await placesWith(acme, [address]), []);
  const again = await acme.contact({ name: "Ann Gone", emails: [{ email: address }] });
  assert.equal(again.emails[0].is_unsubscribed, true);
  await acme.inside(async (ctx) => suppress(ctx, { address, reason: "bounced", source: "bounce", source_id: null }));
  const [{ is_unsubscribed, is_invalid }] = (await acme.get(`/contact/${again.id}/`)).emails;
  assert.deepEqual([is_unsubscribed, is_invalid], [true, true], "what is known by the hash and by the address counts together");
});

test("files of other records can be kept on request, and the receipt lists them", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const ann = await acme.contact({ name: "Ann Paper", lead_id: lead.id });
  const contract = await acme.post("/file/", {
    lead_id: lead.id,
    name: "contract.txt",
    content_base64: base64("between us and Ann Paper"),
  });
  const own = await acme.post("/file/", { lead_id: lead.id, contact_id: ann.id, name: "cv.txt", content_base64: base64("me") });

  const { receipt } = await erase(acme, ann.id, { keep_files: true });

  assert.deepEqual([receipt.kept_file_ids, receipt.files.kept], [[contract.id], 1]);
  await acme.get(`/file/${contract.id}/`);
  await acme.refused(404, "GET", `/file/${own.id}/`);
});

test("only admins erase, a preview erases nothing, and nobody is erased twice at once", async () => {
  const acme = await organization();
  const [user, superuser] = [await acme.member("user"), await acme.member("superuser")];
  const ann = await acme.contact({ name: "Ann Once" });

  for (const member of [user, superuser]) await member.refused(403, "POST", `/contact/${ann.id}/erase/`);
  await acme.post(`/contact/${ann.id}/erase/?dry_run=true`);
  assert.deepEqual((await acme.get("/erasure/")).data, []);
  const first = await acme.post(`/contact/${ann.id}/erase/`);
  const { error } = await acme.refused(409, "POST", `/contact/${ann.id}/erase/`);

  assert.match(error, new RegExp(first.id));
  await (await organization()).refused(404, "POST", `/contact/${ann.id}/erase/`);
});

test("what was deleted before, and could still be undone, is gone as well", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Undone" });
  const ann = await acme.contact({ name: "Ann Undone", lead_id: lead.id, emails: [{ email: "ann.undone@home.example" }] });
  const note = await acme.note({ lead_id: lead.id, note: "ann.undone@home.example called" });
  await acme.ask("DELETE", `/activity/note/${note.id}/`, { headers: { "x-change-set": "clean-up" } });

  await erase(acme, ann.id);

  assert.deepEqual(await placesWith(acme, ["ann.undone", "ann undone"]), []);
});

test("a table for a mailing platform that names the person is removed, and its export stays without it", async () => {
  const acme = await organization();
  const ann = await acme.contact({ name: "Ann Exported", emails: [{ email: "ann.exported@home.example" }] });
  const { id } = await acme.post("/mailing_export/", { platform: "csv", filters: { has_email: true } });
  await withWorker(acme.service, (worker) => worker.drained());
  const { file_id } = await acme.get(`/mailing_export/${id}/`);

  const { status } = await erase(acme, ann.id);

  assert.equal(status, "completed");
  await acme.refused(404, "GET", `/file/${file_id}/`);
  assert.equal((await acme.get(`/mailing_export/${id}/`)).file_id, null);
});

test("an address of several is forgotten where it stands for the person who was erased", async () => {
  const acme = await organization();
  const emails = [{ email: "team@home.example" }];
  const ann = await acme.contact({ name: "Ann Exported", emails });
  const bob = await acme.contact({ name: "Bob Exported", emails });
  const { id } = await acme.post("/mailing_export/", { platform: "csv", filters: { has_email: true } });
  await withWorker(acme.service, (worker) => worker.drained());
  const items = async () => (await acme.get(`/mailing_export/${id}/items/`)).data;
  const of = async (contact: any) => (await items()).find(({ contact_id }: any) => contact_id === contact.id)?.address ?? null;
  assert.deepEqual(
    [await of(ann), await of(bob)].filter((one) => one !== null),
    ["team@home.example"],
  );
  const [taken] = (await of(ann)) === null ? [bob] : [ann];

  await erase(acme, taken.id);

  assert.equal(await of(taken), null);
});

/** An export, an archive of the workspace and a table for a mailing platform, with the addresses at which each is found. */
async function startCopies(ws: Workspace): Promise<string[]> {
  const exported = await ws.post("/export/lead/", { format: "jsonl", type: "contacts" });
  const archive = await ws.post(`/organization/${ws.id}/export/`, {});
  const table = await ws.post("/mailing_export/", { platform: "csv", filters: { has_email: true } });
  return [`/export/${exported.id}/`, `/organization_export/${archive.id}/`, `/mailing_export/${table.id}/`];
}

test("exports, archives of the workspace and tables for mailing platforms that were made before are removed", async () => {
  const acme = await organization();
  const zeb = await acme.contact({ name: "Zebedee Quill", emails: [{ email: "zeb.quill@home.example" }] });
  const copies = await startCopies(acme);
  await withWorker(acme.service, (worker) => worker.drained());
  assert.ok((await placesWith(acme, ["zeb.quill"])).length > 3, "three files and rows");

  const { status, receipt } = await erase(acme, zeb.id, { keep_files: true });

  assert.deepEqual([status, receipt.files], ["completed", { removed: 3 }]);
  assert.deepEqual(await placesWith(acme, ["zeb.quill", "zebedee quill"]), []);
  for (const path of copies.slice(0, 2)) await acme.refused(404, "GET", `${path}download/`);
  assert.equal((await acme.get(copies[2]!)).file_id, null);
});

test("those that are being written when an erasing ends are written anew, without the person", async () => {
  const acme = await organization();
  const lead = await acme.lead({ contacts: [{ name: "Bob Stays", emails: [{ email: "bob.stays@home.example" }] }] });
  const zeb = await acme.contact({ name: "Zebedee Quill", lead_id: lead.id, emails: [{ email: "zeb.quill@home.example" }] });
  const copies = await startCopies(acme);
  const { core } = acme.service.app;
  const { storage } = core.settings;
  const [allRead, erased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let n_read = 0;
  // Writes slowly what was read before.
  const slow: typeof storage = {
    ...storage,
    async receive(chunks, bytesMax) {
      const received = await storage.receive(chunks, bytesMax);
      if (++n_read === copies.length) allRead.resolve();
      await erased.promise;
      return received;
    },
  };
  const service = {
    ...acme.service,
    app: { ...acme.service.app, core: { ...core, settings: { ...core.settings, storage: slow } } },
  };
  const works = [exportWork, mailingExportWork, organizationExportWork];

  const erasing = await withWorker(
    service,
    async (worker) => {
      const written = worker.drained();
      await allRead.promise;
      const done = await erase(acme, zeb.id).finally(erased.resolve);
      await written;
      return done;
    },
    { does: { works, consumers: [], timers: [] } },
  );

  assert.deepEqual([erasing.status, erasing.receipt.files], ["completed", { begun_anew: 3 }]);
  assert.deepEqual(await placesWith(acme, ["zeb.quill", "zebedee quill"]), []);
  assert.equal(n_read, 2 * copies.length);
  for (const path of copies.slice(0, 2)) assert.match((await acme.ask("GET", `${path}download/`)).text, /bob\.stays/);
  assert.notEqual((await acme.get(copies[2]!)).file_id, null);
});
