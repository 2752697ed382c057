// Follows the guides to sequences, to mailing platforms and to enrichment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../support/given.ts";
import { followRequests } from "../support/guides.ts";
import { imapServer } from "../support/imap.ts";
import { letter } from "../support/letters.ts";
import { brevo } from "../support/mailing_platforms.ts";
import { outboundService } from "../support/outbound.ts";
import { ada, startPeopleDataLabs } from "../support/people_data_labs.ts";
import { startMailServer } from "../support/smtp.ts";
import { acmePage, website } from "../support/website.ts";
import { withWorker } from "../support/worker.ts";

test("who follows docs/sequences.md sees a mail leave and a reply end the sequence, and tries each thing that sequences do", async (t) => {
  const service = await outboundService();
  // A Thursday, when it is eleven in Berlin.
  service.clock.now = new Date("2031-01-02T10:00:00Z");
  const [acme, server, imap] = [await organization(service), await startMailServer(), await imapServer()];
  const box = imap.mailbox(`ada-${acme.id}@acme.example`.toLowerCase());
  const account = await acme.post("/connected_account/", { email: box.address, smtp: server.smtp, imap: box.login });
  t.after(() => server.close());
  const pass = async (minutes: number) => {
    service.clock.now = new Date(service.clock.now!.getTime() + minutes * 60_000);
    await withWorker(service, (worker) => worker.drained());
  };

  const arrives = async (name: string, subject: string, text: string) => {
    const [mail] = server.to(`${name}@client.example`);
    const reply = { from: `${name}@client.example`, to: box.address, subject, text, date: service.clock.now! };
    await box.deliver(letter({ ...reply, inReplyTo: mail!.messageId }));
    await pass(6);
  };

  const followed = await followRequests(acme, "docs/sequences.md", {
    given: { organization: acme, account },
    meanwhile: {
      "a minute": () => pass(1),
      // A mailbox is read every few minutes, and a step waits until it has been.
      "a day": () => pass(24 * 60).then(() => pass(6)),
      "a week": () => pass(7 * 24 * 60).then(() => pass(6)),
      "Carla answers": () => arrives("carla", "Re: Your roof, Carla", "Yes, please.\n"),
      async "Dora is away"() {
        await pass(1);
        const away = "I am out of the office.\n";
        await arrives("dora", "Automatic reply: Your roof, Dora", away);
      },
      "Dora wants no more mail": () => arrives("dora", "Unsubscribe", "Please unsubscribe me from your mailing list.\n"),
      "the mailbox is away": () => imap.stop().then(() => pass(3 * 60)),
      "the mailbox is back": () =>
        imap
          .start()
          .then(() => pass(60))
          .then(() => pass(6)),
    },
  });

  assert.equal(followed, 35);
  const subjects = (name: string) => server.to(`${name}@client.example`).map(({ subject }) => subject);
  assert.deepEqual(["carla", "dora"].map(subjects), [["Your roof, Carla"], ["Your roof, Dora"]]);
  assert.deepEqual(subjects("emil").slice(1), ["Once more", "The next step"]);
});

test("who follows docs/mailing-exports.md has a contact at Brevo", async () => {
  const service = await outboundService();
  const acme = await organization(service);
  const server = await brevo("xkeysib-your-key").start();

  const followed = await followRequests(acme, "docs/mailing-exports.md", {
    change(text) {
      const body = JSON.parse(text);
      return JSON.stringify(body.api_key ? { ...body, base_url: server.url } : body);
    },
    after: () => withWorker(service, (worker) => worker.drained()),
  });

  assert.equal(followed, 4);
  assert.deepEqual([...server.people.keys()], ["carla@client.example"]);
});

test("who follows docs/enrichment.md has a lead from its website and a contact from People Data Labs", async () => {
  const service = await outboundService();
  const [acme, pdl, site] = [await organization(service), await startPeopleDataLabs(), await website(acmePage)];
  pdl.people.set("ada@acme-rockets.example", ada);

  const followed = await followRequests(acme, "docs/enrichment.md", {
    change(text) {
      const body = JSON.parse(text);
      if (body.api_key) return JSON.stringify({ ...body, base_url: pdl.url });
      return JSON.stringify(body.url ? { ...body, url: site.url } : body);
    },
    after: () => withWorker(service, (worker) => worker.drained()),
  });

  assert.equal(followed, 9);
});
