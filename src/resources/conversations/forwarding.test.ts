// Inbox rules forward messages as they came, and no message goes in circles.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { imapServer } from "../../../test/support/imap.ts";
import { type LetterParts, letter } from "../../../test/support/letters.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import type { Service } from "../../../test/support/service.ts";
import { type MailServer, startMailServer } from "../../../test/support/smtp.ts";
import { withWorker } from "../../../test/support/worker.ts";

let server: MailServer;
let service: Service;

before(async () => {
  [server, service] = await Promise.all([startMailServer(), outboundService()]);
});
after(() => server?.close());

async function drained(ms = 600_000): Promise<void> {
  service.clock.now = new Date((service.clock.now?.getTime() ?? Date.now()) + ms);
  await withWorker(service, (worker) => worker.drained());
}

let count = 0;

/** A mailbox with a rule that forwards invoices to the books. */
async function scene() {
  const acme = await organization(service);
  const box = (await imapServer()).mailbox();
  await acme.post("/connected_account/", { email: box.address, imap: box.login, smtp: server.smtp });
  const [ann, hop, books] = ["ann", "hop", "books"].map((name) => `${name}-${++count}@client.example`);
  const { lead_id } = await acme.contact({ emails: [{ email: ann }, { email: hop }] });
  const rule = await acme.post("/inbox_rule/", {
    name: "Invoices",
    conditions: { subject_contains: "Invoice" },
    actions: { forward_to: [books] },
  });
  const deliver = (parts: LetterParts) => box.deliver(letter({ from: ann!, to: box.address, ...parts }));
  const latestError = async (): Promise<string | null> =>
    (await acme.get("/inbox_rule/")).data.find((one: any) => one.id === rule.id).latest_error;
  return {
    acme,
    box,
    ann: ann!,
    hop: hop!,
    books: books!,
    lead_id,
    rule,
    deliver,
    latestError,
    forwards: () => server.to(books!),
  };
}

test("a forward has what was attached, and answers to it go to whoever wrote", async () => {
  const at = await scene();
  const offer = { filename: "invoice.pdf", type: "application/pdf", content: "%PDF-1.4 17" };
  await at.deliver({ from: `Ann Lee <${at.ann}>`, subject: "Invoice 17", text: "Please pay.", attachments: [offer] });

  await drained();
  await drained();

  const [forwarded, ...more] = at.forwards();
  assert.deepEqual(more, []);
  assert.equal(forwarded!.subject, "Fwd: Invoice 17");
  assert.match(forwarded!.text!, /Please pay\./);
  assert.deepEqual(forwarded!.replyTo, [{ name: "Ann Lee", address: at.ann }]);
  const [file, ...others] = forwarded!.attachments;
  assert.deepEqual([file!.filename, file!.mimeType, others.length], ["invoice.pdf", "application/pdf", 0]);
  assert.equal(Buffer.from(file!.content as ArrayBuffer).toString(), "%PDF-1.4 17");
  assert.deepEqual([forwarded!.header("auto-submitted"), forwarded!.header("x-loop")], ["auto-generated", at.acme.id]);
  assert.equal(await at.latestError(), null);
});

test("what does not fit into a mail is named in the forward", async () => {
  const at = await scene();
  const file = (filename: string, size: number) => ({ filename, type: "application/zip", content: Buffer.alloc(size, filename) });
  await at.deliver({ subject: "Invoice 18", attachments: [file("small.zip", 100), file("large.zip", 25_000_000)] });

  await drained();
  await drained();

  const [forwarded] = at.forwards();
  assert.deepEqual(
    forwarded!.attachments.map(({ filename }) => filename),
    ["small.zip"],
  );
  assert.match(forwarded!.text!, /Not attached, because it is too large: large\.zip/);
});

test("a forward that comes back is not forwarded again, whoever sends it", async () => {
  const at = await scene();
  await at.deliver({ subject: "Invoice 19" });
  await drained();
  await drained();
  const [forwarded] = at.forwards();

  const marked: LetterParts = { from: at.hop, subject: "Fwd: Invoice 19", headers: { "X-Loop": forwarded!.header("x-loop")! } };
  const back: LetterParts[] = [marked, { from: at.hop, subject: "Re: Invoice 19", inReplyTo: forwarded!.messageId! }];
  for (const parts of back) {
    await at.deliver(parts);
    await drained();
    await drained();
    assert.equal(await at.latestError(), "forward_to: the message was forwarded by a rule before and came back");
  }

  assert.equal(at.forwards().length, 1);
  await at.deliver({ subject: "Invoice 20", headers: { "X-Loop": "somebody@else.example" } });
  await drained();
  await drained();
  assert.deepEqual([at.forwards().length, await at.latestError()], [2, null]);
});

test("a circle without any mark ends by itself, and the rule says why", async () => {
  const at = await scene();
  for (let turn = 0; turn < 24; turn++) await at.deliver({ from: at.hop, subject: "Fwd: Invoice 21" });

  await drained();
  await drained();

  assert.equal(at.forwards().length, 20);
  assert.equal(await at.latestError(), `forward_to: 20 messages of ${at.hop} were forwarded within the hour, and no more are`);
  await at.deliver({ from: at.ann, subject: "Invoice 22" });
  await drained();
  await drained();
  assert.equal(at.forwards().length, 21);
  await drained(3_600_000);
  await at.deliver({ from: at.hop, subject: "Invoice 23" });
  await drained();
  await drained();
  assert.equal(at.forwards().length, 22);
});
