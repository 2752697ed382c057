// What follows when a customer accepts a quote on its page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { textOfPdf } from "../../../test/support/pdf.ts";
import { serviceWithMail } from "../../../test/support/service_with_mail.ts";
import { withTwoWorkers, withWorker } from "../../../test/support/worker.ts";

const { mail, on } = await serviceWithMail();

let count = 0;
const address = () => `customer-${process.pid}-${++count}@example.com`;
const drained = (service = on): Promise<void> => withWorker(service, (worker) => worker.drained());

async function sent(ws: Workspace, body: object = {}): Promise<any> {
  const lead_id = (await ws.lead({ name: "Globex" })).id;
  const seat = { name: "Seat", unit_price: 1000, quantity: 3 };
  const { id } = await ws.post("/quote/", { lead_id, title: "Chairs", line_items: [seat], ...body });
  return ws.put(`/quote/${id}/`, { status: "open" });
}

async function answer(ws: Workspace, quote: any, email: string, decision = "accept", name = "Ann Lee"): Promise<string> {
  const page = quote.public_url.replace("http://localhost", ws.service.url);
  const [, edition] = /name="edition" value="([^"]*)"/.exec(await (await fetch(page)).text())!;
  const form = new URLSearchParams({ edition: edition!, decision, name, email });
  assert.equal((await fetch(page, { method: "POST", body: form, redirect: "manual" })).status, 303);
  return page;
}

const readPdf = async (url: string): Promise<string> => textOfPdf(Buffer.from(await (await fetch(url)).arrayBuffer()));

test("who accepts a quote gets it signed by mail, once, and the seller has the same as a file of the lead", async () => {
  const acme = await organization(on);
  await acme.put(`/organization/${acme.id}/`, { settings: { branding: { name: "Harbor Furniture" } } });
  const [quote, to] = [await sent(acme), address()];

  const page = await answer(acme, quote, to);
  await withTwoWorkers(on, (both) => both.drained());
  await drained();

  const [letter, ...more] = mail.to(to);
  assert.deepEqual(more, []);
  const { email: owner } = await acme.get("/me/");
  assert.deepEqual([letter!.from?.name, letter!.replyTo?.[0]?.address], ["Harbor Furniture", owner]);
  assert.match(letter!.subject!, /Q-000001, Chairs: accepted/);
  assert.ok(letter!.text!.includes(quote.public_url));
  const [attached] = letter!.attachments;
  assert.deepEqual([attached!.filename, attached!.mimeType], ["Q-000001-signed.pdf", "application/pdf"]);
  const printed = textOfPdf(Buffer.from(attached!.content as ArrayBuffer));
  assert.match(printed, /Accepted by Ann Lee on /);

  const after = await acme.get(`/quote/${quote.id}/`);
  const file = await acme.get(`/file/${after.signed_file_id}/`);
  assert.deepEqual([file.name, file.lead_id, file.subtype, file.is_system], [attached!.filename, quote.lead_id, "quote", true]);
  assert.notEqual(after.file_id, after.signed_file_id);
  assert.equal(await readPdf(`${page}pdf/`), printed);
  assert.equal((await acme.get(`/file/?lead_id=${quote.lead_id}`)).data.length, 2);
});

test("what the customer read is what is signed, whatever the lead, the contact and the seller are called by then", async () => {
  const acme = await organization(on);
  const lead = await acme.lead({ name: "Globex" });
  const contact = await acme.contact({ lead_id: lead.id, name: "Ann Lee" });
  const brand = (branding: object) => acme.put(`/organization/${acme.id}/`, { settings: { branding } });
  const other = await acme.lead({ name: "Initech" });
  await brand({ name: "Harbor Furniture", address: "Pier 1" });
  const quote = await sent(acme, { lead_id: lead.id, contact_id: contact.id });
  const page = quote.public_url.replace("http://localhost", acme.service.url);
  const [, edition] = /name="edition" value="([^"]*)"/.exec(await (await fetch(page)).text())!;
  const pdf = await readPdf(`${page}pdf/`);

  await brand({ name: "Other Seller Inc", address: "Street 2" });
  await acme.put(`/organization/${acme.id}/`, { timezone: "Pacific/Kiritimati" });
  await acme.put(`/contact/${contact.id}/`, { name: "Bob Ray" });
  await acme.post("/lead/merge/", { source: lead.id, destination: other.id });
  const open = await (await fetch(page)).text();
  assert.equal(await readPdf(`${page}pdf/`), pdf);
  const to = address();
  const form = new URLSearchParams({ edition: edition!, decision: "accept", name: "Ann Lee", email: to });
  assert.equal((await fetch(page, { method: "POST", body: form, redirect: "manual" })).status, 303);
  await drained();

  const signed = await readPdf(`${page}pdf/`);
  for (const text of [open, await (await fetch(page)).text(), pdf, signed]) {
    for (const words of ["Harbor Furniture", "Pier 1", "Globex", "Ann Lee"])
      assert.ok(text.includes(words), `${words} in ${text}`);
    assert.ok(!/Other Seller|Street 2|Initech|Bob/.test(text), text);
  }
  const dates = (text: string) => text.match(/(?:Date|until) [A-Z].*/g);
  assert.deepEqual(dates(signed), dates(pdf));
  assert.equal(mail.to(to)[0]!.from?.name, "Harbor Furniture");
});

test("a quote that is sent again is of those who are there by then, and who read the earlier one reads it again", async () => {
  const acme = await organization(on);
  const quote = await sent(acme);
  const page = quote.public_url.replace("http://localhost", acme.service.url);
  const [, edition] = /name="edition" value="([^"]*)"/.exec(await (await fetch(page)).text())!;
  await acme.put(`/lead/${quote.lead_id}/`, { name: "Initech" });
  await acme.put(`/quote/${quote.id}/`, { status: "draft" });
  await acme.put(`/quote/${quote.id}/`, { status: "open" });

  const form = new URLSearchParams({ edition: edition!, decision: "accept", name: "Ann Lee" });
  const answer = await fetch(page, { method: "POST", body: form, redirect: "manual" });

  assert.equal(answer.status, 409);
  assert.match(await answer.text(), /Initech/);
  assert.match(await readPdf(`${page}pdf/`), /Initech/);
});

test("a quote sent by an earlier release is held to what was read, too", async () => {
  const acme = await organization(on);
  const quote = await sent(acme);
  const page = quote.public_url.replace("http://localhost", acme.service.url);
  await on.app.db.unscoped({ text: "update quote set parties = null where id = $1", values: [quote.id] });
  const [, edition] = /name="edition" value="([^"]*)"/.exec(await (await fetch(page)).text())!;
  const form = new URLSearchParams({ edition: edition!, decision: "accept", name: "Ann Lee" });
  const accept = () => fetch(page, { method: "POST", body: form, redirect: "manual" });

  await acme.put(`/lead/${quote.lead_id}/`, { name: "Initech" });
  assert.equal((await accept()).status, 409);
  await acme.put(`/lead/${quote.lead_id}/`, { name: "Globex" });
  assert.equal((await accept()).status, 303);
  await acme.put(`/lead/${quote.lead_id}/`, { name: "Initech" });

  assert.match(await (await fetch(page)).text(), /Globex/);
});

test("an answer is the customer's doing: no member's in events, and a line in the lead's history", async () => {
  const acme = await organization(on);
  const [accepted, declined] = [await sent(acme), await sent(acme)];

  await answer(acme, accepted, "ann@globex.example");
  await answer(acme, declined, "", "decline");

  const customer = { name: "Ann Lee", email: "ann@globex.example" };
  for (const [quote, name, who] of [
    [accepted, "quote.accepted", customer],
    [declined, "quote.declined", { ...customer, email: null }],
  ] as const) {
    const events = (await acme.events(quote.id)).filter((one) => one.request_id !== undefined && one.meta.customer !== undefined);
    assert.ok(events.some((one) => one.event === name));
    for (const one of events) assert.deepEqual([one.user_id, one.api_key_id, one.meta.customer], [null, null, who]);
  }
  const [note] = (await acme.get(`/activity/note/?lead_id=${accepted.lead_id}`)).data;
  assert.deepEqual(
    [note.note, note.user_id, note.created_by],
    ["Ann Lee (ann@globex.example) accepted Q-000001, Chairs, on its page.", null, null],
  );
  const [other] = (await acme.get(`/activity/note/?lead_id=${declined.lead_id}`)).data;
  assert.match(other.note, /^Ann Lee declined Q-000002/);
});

test("accepting quotes makes no server mail whatever to whomever: three an hour to one person, from however many sellers", async () => {
  const [acme, other] = [await organization(on), await organization(on)];
  const [name, host] = address().split("@");
  const spellings = [
    `${name}@${host}`,
    `${name}+a@${host}`,
    `${name!.toUpperCase()}@${host}`,
    `${name}+b@${host}`,
    `${name}@${host}`,
    `${name}@ｅxample.com`,
    `${name}@exａmple.com`,
    `ｃ${name!.slice(1)}@${host}`,
  ];

  const quotes = [];
  for (const [i, to] of spellings.entries()) {
    const ws = i % 2 === 0 ? acme : other;
    const quote = await sent(ws, { title: "Prizes at www.evil.example" });
    await answer(ws, quote, to, "accept", i === 0 ? "Victim, click evil。example" : "Victim, click https://evil.example/0");
    await drained();
    quotes.push([ws, quote] as const);
  }

  const letters = spellings.flatMap((to) => [...new Set(mail.to(to))]);
  const all = [...new Set(letters)];
  assert.equal(all.length, 3);
  for (const { subject, text } of all) {
    assert.ok(!/evil/.test(`${subject}${text}`), text);
    assert.match(text!, /^You accepted quote Q-00000\d of /);
  }
  const [ws, last] = quotes.at(-1)!;
  assert.ok((await ws.get(`/quote/${last.id}/`)).signed_file_id, "it is there all the same");
  const failed = (await ws.get("/notification/")).data.find((one: any) => one.type === "message_failed");
  assert.match(failed.body, /^3 signed quotes were mailed to this address within an hour/);
});

test("an organization mails a hundred signed quotes an hour, and is told of more", async () => {
  const acme = await organization(on);
  const quotes = [await sent(acme), await sent(acme), await sent(acme)];
  await on.app.db.unscoped({
    text: `insert into system_mail (organization_id, id, kind, quote_id, recipient, status, date_created, date_ended)
           select $1, 'smail_' || n || $2, 'signed_quote', $2, n::text, 'sent', $3, $3 from generate_series(1, 98) n`,
    values: [acme.id, quotes[0].id, on.clock.now ?? new Date()],
  });
  const people = quotes.map(address);

  for (const [i, quote] of quotes.entries()) await answer(acme, quote, people[i]!);
  await withTwoWorkers(on, (both) => both.drained());

  assert.equal(people.flatMap((one) => mail.to(one)).length, 2);
  const failed = (await acme.get("/notification/")).data.filter((one: any) => one.type === "message_failed");
  assert.deepEqual(
    failed.map((one: any) => one.body),
    ["100 signed quotes were mailed within an hour."],
  );
});

test("who a mail is from does not look like another address", async () => {
  const acme = await organization(on);
  await acme.put(`/organization/${acme.id}/`, {
    settings: { branding: { name: "Bank\r\nBcc: x@evil.example ＜security＠bank.example﹥" } },
  });
  const to = address();

  await answer(acme, await sent(acme), to);
  await drained();

  const [letter] = mail.to(to);
  assert.equal(letter!.from?.name, "Bank Bcc: x evil.example security bank.example");
  const refused = await acme.ask("PUT", `/organization/${acme.id}/`, {
    body: { settings: { branding: { name: "\u200b\u2800" } } },
  });
  assert.deepEqual(refused.body["field-errors"], { "settings.branding.name": "must not be empty" });
});

test("a name that is read from right to left leaves the direction of the sentence in the mail as it is", async () => {
  const acme = await organization(on);
  await acme.put(`/organization/${acme.id}/`, { settings: { branding: { name: "شركة الأثاث (Harbor) ذ.م.م" } } });
  const to = address();

  await answer(acme, await sent(acme, { title: "כיסאות 7" }), to, "accept", "דנה לוי");
  await drained();

  const { text, html, subject } = mail.to(to)[0]!;
  const sentence =
    "\u2068דנה לוי\u2069 accepted quote Q-000001, \u2068כיסאות 7\u2069 of \u2068شركة الأثاث (Harbor) ذ.م.م\u2069. It is attached";
  assert.ok(text!.startsWith(sentence), text);
  assert.ok(/<p dir="ltr"[^>]*>([^<]*)</.exec(html!)![1]!.startsWith(sentence), html!);
  assert.ok(!html!.includes('dir="auto"'), html!);
  assert.equal(subject, "Q-000001, כיסאות 7: accepted");
});

test("without an address of their own, the mail goes to the contact whom the quote is for", async () => {
  const acme = await organization(on);
  const [lead, to] = [await acme.lead(), address()];
  const contact = await acme.post("/contact/", { lead_id: lead.id, name: "Ann", emails: [{ email: to }] });
  const quote = await sent(acme, { lead_id: lead.id, contact_id: contact.id });

  await answer(acme, quote, "");
  await drained();

  assert.equal(mail.to(to).length, 1);
});

test("a mail that the server refuses is told to whoever looks after the deal, and the quote stays accepted", async () => {
  const acme = await organization(on);
  const deal = await acme.opportunity();
  const [quote, to] = [await sent(acme, { lead_id: deal.lead_id, opportunity_id: deal.id }), address()];
  mail.refuses = { at: "recipient", code: 550, words: "5.1.1 no such mailbox" };

  await answer(acme, quote, to);
  await drained();

  const notices = (await acme.get("/notification/")).data;
  const failed = notices.find((one: any) => one.type === "message_failed");
  assert.match(failed.title, new RegExp(`Q-000001 could not be sent to ${to}`));
  assert.deepEqual([failed.object_id, failed.lead_id], [quote.id, quote.lead_id]);
  assert.match(failed.body, /no such mailbox/);
  assert.equal((await acme.get(`/quote/${quote.id}/`)).status, "accepted");
});

test("a server that is down gets the mail later", async () => {
  const acme = await organization(on);
  const [quote, to] = [await sent(acme), address()];
  await mail.close();

  await answer(acme, quote, to);
  await drained();
  await mail.open();
  on.clock.now = new Date(Date.now() + 10 * 60_000);
  await drained();

  assert.equal(mail.to(to).length, 1);
});

test("an answer that a member writes down, and one where no mail is set up, make the file and send nothing", async () => {
  const acme = await organization(on);
  const lead = await acme.lead();
  const to = address();
  const contact = await acme.post("/contact/", { lead_id: lead.id, name: "Ann", emails: [{ email: to }] });
  const byMember = await sent(acme, { lead_id: lead.id, contact_id: contact.id });
  await acme.put(`/quote/${byMember.id}/`, { status: "accepted" });
  await drained();

  const other = await organization();
  const quote = await sent(other);
  const page = await answer(other, quote, to);
  const before = await readPdf(`${page}pdf/`);
  await drained(other.service);

  assert.ok((await other.get(`/quote/${quote.id}/`)).signed_file_id);
  assert.equal(await readPdf(`${page}pdf/`), before);
  assert.ok((await acme.get(`/quote/${byMember.id}/`)).signed_file_id);
  assert.deepEqual(mail.to(to), []);
  const [accepted] = (await acme.events(byMember.id)).filter((one) => one.event === "quote.accepted");
  assert.equal(accepted.user_id, acme.userId);
});
