import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { outboundService } from "../../../test/support/outbound.ts";
import {
  acmeRockets,
  ada,
  type PeopleDataLabsServer,
  pdlKey,
  startPeopleDataLabs,
} from "../../../test/support/people_data_labs.ts";
import type { Service } from "../../../test/support/service.ts";
import { acmePage, website } from "../../../test/support/website.ts";
import { withWorker } from "../../../test/support/worker.ts";

let service: Service;
let acme: Workspace;
before(async () => {
  service = await outboundService();
  acme = await organization(service);
});

const work = () => withWorker(service, (worker) => worker.drained());

/** Enriches a record, and returns the enrichment as it ended. */
async function enriched(on: Workspace, path: string, body: object = {}): Promise<any> {
  const { id, status } = await on.post(`${path}enrich/`, body);
  assert.equal(status, "queued");
  await work();
  return on.get(`/enrichment/${id}/`);
}

const of = ({ applied }: any) => Object.fromEntries(applied.map((one: any) => [one.field, one.source]));

describe("without a provider", () => {
  test("the company's website fills the empty fields of a lead, and each says where it is from", async () => {
    const site = await website(acmePage);
    const { id } = await acme.lead({ name: null, url: site.url, industry: "Rockets" });

    const done = await enriched(acme, `/lead/${id}/`);

    const { name, description, phones, addresses, industry } = await acme.get(`/lead/${id}/`);
    assert.deepEqual([name, description, industry], ["Acme Rockets", "We build rockets & ramps.", "Rockets"]);
    assert.deepEqual([phones[0].phone, phones[0].country], ["+4930901820", "DE"]);
    assert.deepEqual([addresses[0].address_1, addresses[0].city, addresses[0].country], ["Unter den Linden 1", "Berlin", "DE"]);
    assert.deepEqual([done.status, done.provider, done.credits_used], ["completed", "internal", 0]);
    assert.deepEqual(of(done), { name: "website", description: "website", phones: "website", addresses: "website" });
    assert.deepEqual(done.providers, [
      { name: "website", status: "match", fields_found: ["name", "description", "phones", "addresses"], credits_used: 0 },
    ]);
    assert.ok(done.applied.every(({ confidence }: any) => confidence > 0 && confidence <= 1));
    const { linkedin_url, twitter_url, logo_url, founded_year, employee_count } = done.result.organization;
    assert.deepEqual([linkedin_url, twitter_url], ["https://www.linkedin.com/company/acme-rockets", "https://x.com/acmerockets"]);
    assert.deepEqual([logo_url, founded_year, employee_count], [`${site.url}logo.png`, 1958, 250]);
    const events = await acme.all(`/event/?object_id=${done.id}`);
    assert.deepEqual(events.map((one: any) => one.action).sort(), ["completed", "created"]);
  });

  test("a website that is away is said, and asked again", async () => {
    let isAway = true;
    const site = await website((_, response) =>
      isAway ? response.writeHead(500).end() : response.writeHead(200, { "content-type": "text/html" }).end(acmePage),
    );
    const { id } = await acme.lead({ name: null, url: site.url });

    const away = await enriched(acme, `/lead/${id}/`);
    isAway = false;
    const there = await enriched(acme, `/lead/${id}/`);

    assert.equal(away.status, "no_match");
    assert.deepEqual(
      [away, there].map(({ providers: [one] }) => [one.name, one.status]),
      [
        ["website", "unavailable"],
        ["website", "match"],
      ],
    );
    assert.match(away.error, /^127\.0\.0\.1:\d+ could not be read \(answered 500\): ask again later$/);
    assert.deepEqual([there.status, there.error, (await acme.get(`/lead/${id}/`)).name], ["completed", null, "Acme Rockets"]);
  });

  test("what a person wrote stays unless it may be overwritten, and what an enrichment wrote is renewed", async () => {
    let page = "<title>Acme</title><meta property='og:site_name' content='Acme One'><meta name=description content='First.'>";
    const site = await website((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(page));
    const { id } = await acme.lead({ name: "Ours", url: site.url });
    const first = await enriched(acme, `/lead/${id}/`);
    page = page.replace("First", "Second");
    service.clock.now = new Date(Date.now() + 91 * 86_400_000);
    const second = await enriched(acme, `/lead/${id}/`);
    const third = await enriched(acme, `/lead/${id}/`, { overwrite: true, fields: ["name"] });
    service.clock.now = null;

    assert.deepEqual(first.skipped, [{ field: "name", reason: "has_value" }]);
    assert.deepEqual(
      [second.fields_updated, second.applied[0].old, second.applied[0].new],
      [["description"], "First.", "Second."],
    );
    assert.deepEqual([third.fields_updated, third.requested_fields], [["name"], ["name"]]);
    assert.deepEqual([(await acme.get(`/lead/${id}/`)).name, site.visits], ["Acme One", 2]);
  });

  test("a lead's contacts follow it, and a contact's number tells its time zone", async () => {
    const { id, lead_id } = await acme.contact({ phones: [{ phone: "+12125551234" }], emails: [{ email: "a@gmail.com" }] });
    const done = await enriched(acme, `/lead/${lead_id}/`);

    assert.deepEqual([done.status, done.result.organization.domain, done.children_ids.length], ["no_match", undefined, 1]);
    const child = await acme.get(`/enrichment/${done.children_ids[0]}/`);
    assert.deepEqual([child.contact_id, child.status, of(child)], [id, "completed", { timezone: "phone" }]);
    const person = await acme.get(`/contact/${id}/`);
    assert.deepEqual([person.timezone, person.enrichment_status], ["America/New_York", "completed"]);
    assert.equal((await acme.all(`/event/?object_id=${id}`)).filter((one: any) => one.action === "enriched").length, 1);
  });

  test("the company's domain is that of an address, and never one of free mail", async () => {
    const emails = [{ email: "carla@googlemail.com" }, { email: "carla@Mail.Client-Industries.example" }];
    const { id } = await acme.contact({ emails });
    const { status, result } = await enriched(acme, `/contact/${id}/`);

    assert.deepEqual([status, result.organization], ["no_match", { domain: "mail.client-industries.example" }]);
  });

  test("who asks while one is on its way is answered with it", async () => {
    const { id } = await acme.lead();
    const one = await acme.post(`/lead/${id}/enrich/`, {});
    const again = await acme.ask("POST", `/lead/${id}/enrich/`, { body: {} });
    await work();
    const later = await acme.post(`/lead/${id}/enrich/`, {});

    assert.deepEqual([again.status, again.body.id], [200, one.id]);
    assert.notEqual(later.id, one.id);
  });

  test("it is refused with what is unknown, and to who cannot see the record", async () => {
    const { id, lead_id } = await acme.contact();
    const restricted = await acme.member("restricteduser");

    assert.ok((await acme.refused(400, "POST", `/contact/${id}/enrich/`, { fields: ["industry"] }))["field-errors"]["fields.0"]);
    assert.ok((await acme.refused(400, "POST", `/lead/${lead_id}/enrich/`, { provider: "clearbit" }))["field-errors"].provider);
    await acme.refused(402, "POST", `/lead/${lead_id}/enrich/`, { provider: "peopledatalabs" });
    await restricted.refused(404, "POST", `/contact/${id}/enrich/`, {});
    await restricted.refused(404, "POST", `/lead/${lead_id}/enrich/`, {});
    assert.deepEqual((await acme.get(`/enrichment/?lead_id=${lead_id}`)).data, []);
  });

  test("an enrichment goes on where its lead has moved to", async () => {
    const [site, there] = [await website(acmePage), await acme.another()];
    const { id } = await acme.lead({ name: null, url: site.url });
    const { id: made } = await acme.post(`/lead/${id}/enrich/`, {});
    await acme.post(`/lead/${id}/move/`, { target_organization_id: there.id });
    await work();
    const before = (await there.get(`/enrichment/${made}/`)).status;
    await atMoment(service, new Date(Date.now() + 120_000).toISOString(), "waiting_enrichments");
    await work();
    service.clock.now = null;

    assert.deepEqual([before, (await there.get(`/enrichment/${made}/`)).status], ["queued", "completed"]);
    assert.equal((await there.get(`/lead/${id}/`)).name, "Acme Rockets");
  });

  test("it is done with the rights that its author has then", async () => {
    const site = await website(acmePage);
    const bob = await acme.member("restricteduser");
    const { id } = await acme.lead({ name: null, url: site.url, owner_id: bob.userId });
    const { id: made } = await bob.post(`/lead/${id}/enrich/`, {});
    await acme.put(`/lead/${id}/`, { owner_id: acme.userId });
    await work();

    const { status, error } = await acme.get(`/enrichment/${made}/`);
    assert.deepEqual([status, site.visits, (await acme.get(`/lead/${id}/`)).name], ["failed", 0, null]);
    assert.match(error, /cannot see the record/);
  });
});

describe("pages of strangers", () => {
  const ends = async (page: Awaited<ReturnType<typeof website>>, on = acme) => {
    const { id } = await on.lead({ name: null, url: page.url });
    const { status } = await enriched(on, `/lead/${id}/`);
    return { status, ...(await on.get(`/lead/${id}/`)) };
  };

  test("no address of a private network is visited, by no redirect either", async () => {
    const inside = await website(acmePage);
    const careful = await organization();
    const { id } = await careful.lead({ name: null, url: inside.url });
    const { id: made } = await careful.post(`/lead/${id}/enrich/`, {});
    await withWorker(careful.service, (worker) => worker.drained());
    const toMetadata = await website((_, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end());

    assert.deepEqual([(await careful.get(`/enrichment/${made}/`)).status, inside.visits], ["no_match", 0]);
    assert.equal((await ends(toMetadata)).status, "no_match");
  });

  test("of a page of 10 MB the beginning is read, and what is packed is not unpacked", async () => {
    const html = { "content-type": "text/html" };
    const long = await website((_, response) => {
      response.writeHead(200, html).write("<meta property='og:site_name' content='Long'><p>");
      response.end("a".repeat(10 * 1024 * 1024));
    });
    const bomb = gzipSync(Buffer.concat([Buffer.from(acmePage), Buffer.alloc(64 * 1024 * 1024, " ")]));
    const packed = await website((_, response) => response.writeHead(200, { ...html, "content-encoding": "gzip" }).end(bomb));

    const deep = await website(`<meta property='og:site_name' content='Deep'>${"<div>".repeat(400_000)}`);

    assert.equal((await ends(deep)).name, "Deep");
    const { name, status } = await ends(long);
    assert.deepEqual([name, status, (await ends(packed)).status], ["Long", "completed", "no_match"]);
  });

  test("whatever a page says stays plain text of a limited length", async () => {
    const hostile = `<title>x</title><script type="application/ld+json">${"[".repeat(100_000)}</script>
      <script type="application/ld+json">{"@type": "Organization", "__proto__": {"name": "P"}, "name": "<script>alert(1)<\\/script>\\u0000\\ud800 {{ 7*7 }}\\nBcc: a@b.c",
        "telephone": "javascript:alert(1)", "logo": "javascript:alert(1)", "sameAs": ["javascript://linkedin.com/company/x", 7], "address": 7,
        "description": "${"long ".repeat(5_000)}"}</script><meta name="description" content="${"b".repeat(100)}">`;
    const { name, description, phones, addresses, status } = await ends(await website(hostile));

    assert.deepEqual([name, status], ["<script>alert(1)</script> \ufffd {{ 7*7 }} Bcc: a@b.c", "completed"]);
    assert.deepEqual([description.length, phones, addresses], [1_000, [], []]);
  });

  test("a page that is broken off, is no page, or has no name finds nothing", async () => {
    const broken = await website((_, response) => {
      response.writeHead(200, { "content-length": "1000", "content-type": "text/html" }).write("<title>A");
      setImmediate(() => response.destroy());
    });
    const image = await website((_, response) =>
      response.writeHead(200, { "content-type": "image/png" }).end("<title>Acme</title>"),
    );
    const nameless = await website("<title>Welcome to our beautiful home page</title>");

    for (const page of [broken, image, nameless]) assert.equal((await ends(page)).status, "no_match");
  });
});

describe("with People Data Labs", () => {
  let pdl: PeopleDataLabsServer;
  let rich: Workspace;
  const person = (more: object = {}) => rich.contact({ name: null, emails: [{ email: "ada@acme-rockets.example" }], ...more });
  before(async () => {
    pdl = await startPeopleDataLabs();
    rich = await organization(service);
    await rich.put("/credentials/peopledatalabs/", { api_key: pdlKey, base_url: pdl.url });
    pdl.people.set("ada@acme-rockets.example", ada);
    pdl.companies.set("Acme Rockets", acmeRockets);
  });

  test("a person and a company are looked up, and the answer is paid for once", async () => {
    const { id } = await person();
    const { id: lead_id } = await rich.lead({ name: "Acme Rockets" });
    const company = await enriched(rich, `/lead/${lead_id}/`);
    const done = await enriched(rich, `/contact/${id}/`);
    const twin = await enriched(rich, `/contact/${(await person()).id}/`);

    const found = await rich.get(`/contact/${id}/`);
    assert.deepEqual([found.name, found.title, found.timezone], ["Ada Lovelace", "Chief Engineer", "Europe/Berlin"]);
    assert.deepEqual([found.urls[0].url, found.phones[0].phone], ["https://linkedin.com/in/ada-lovelace", "+4915112345678"]);
    assert.deepEqual([done.status, done.provider, done.credits_used], ["completed", "peopledatalabs", 1]);
    assert.deepEqual([done.result.person.seniority, done.result.organization.domain], ["cxo", "acme-rockets.example"]);
    const lead = await rich.get(`/lead/${lead_id}/`);
    assert.deepEqual(
      [lead.industry, lead.url, lead.addresses[0].country],
      ["Aviation & Aerospace", "http://acme-rockets.example", "US"],
    );
    assert.deepEqual([company.result.organization.employee_count, company.applied[0].confidence], [250, 0.9]);
    assert.deepEqual([twin.credits_used, twin.result.person.name], [0, "Ada Lovelace"]);
    assert.deepEqual(
      pdl.asked.map(({ kind, query, key }) => [kind, query.getAll("email"), key]),
      [
        ["company", [], pdlKey],
        ["person", ["ada@acme-rockets.example"], pdlKey],
      ],
    );
  });

  test("who is not known costs nothing, and is not asked for again for 30 days", async () => {
    const asked = pdl.asked.length;
    const { id } = await person({ emails: [{ email: "nobody@acme-rockets.example" }] });
    const one = await enriched(rich, `/contact/${id}/`);
    await enriched(rich, `/contact/${id}/`);
    service.clock.now = new Date(Date.now() + 31 * 86_400_000);
    await enriched(rich, `/contact/${id}/`);
    service.clock.now = null;

    assert.deepEqual([one.status, one.credits_used, one.error, pdl.asked.length - asked], ["no_match", 0, null, 2]);
  });

  test("it is asked again after trouble, and says what an admin can do", async () => {
    const later = async (body: object, minutes: number) => {
      const { id } = await rich.post(`/contact/${(await person(body)).id}/enrich/`, {});
      for (let i = 0; i < minutes; i++) {
        service.clock.now = new Date((service.clock.now ?? new Date()).getTime() + 60_000);
        await work();
      }
      service.clock.now = null;
      return rich.get(`/enrichment/${id}/`);
    };
    pdl.people.set("bob@acme-rockets.example", { full_name: "Bob" });
    pdl.troubles = [{ status: 429, retryAfter: "90" }, { status: 503 }];
    const fine = await later({ emails: [{ email: "bob@acme-rockets.example" }] }, 5);
    pdl.troubles = [{ status: 402 }];
    const broke = await later({ emails: [{ email: "eve@acme-rockets.example" }] }, 1);
    const [service_row] = (await rich.all("/credentials/")).filter((one: any) => one.service === "peopledatalabs");

    assert.deepEqual([fine.status, fine.credits_used], ["completed", 1]);
    assert.deepEqual([broke.status, broke.credits_used], ["failed", 0]);
    assert.match(broke.error, /no credits left/);
    assert.match(service_row.last_error, /no credits left/);
  });

  test("the caps of the organization hold, and internal sources need no credit", async () => {
    const before = pdl.asked.length;
    await rich.put(`/organization/${rich.id}/`, { settings: { enrichment: { credits_per_month: 4 } } });
    for (const name of ["c1", "c2"]) pdl.people.set(`${name}@acme-rockets.example`, { full_name: name });
    const [one, two] = [
      await person({ emails: [{ email: "c1@acme-rockets.example" }] }),
      await person({ emails: [{ email: "c2@acme-rockets.example" }] }),
    ];
    const [made, late] = [await rich.post(`/contact/${one.id}/enrich/`, {}), await rich.post(`/contact/${two.id}/enrich/`, {})];
    await work();

    const ends = [await rich.get(`/enrichment/${made.id}/`), await rich.get(`/enrichment/${late.id}/`)];
    assert.deepEqual(ends.map(({ status, credits_used }) => [status, credits_used]).sort(), [
      ["completed", 1],
      ["failed", 0],
    ]);
    assert.equal(pdl.asked.length - before, 1);
    await rich.refused(402, "POST", `/contact/${one.id}/enrich/`, {});
    assert.equal((await enriched(rich, `/contact/${one.id}/`, { provider: "internal" })).status, "no_match");
  });

  test("after 90 days answers and counts of credits are forgotten", async () => {
    const left = () =>
      service.app.db.query(rich.id, {
        text: `select (select count(*) from enrichment_answer where organization_id = $1)::text, (select count(*) from enrichment_day where organization_id = $1)::text`,
        values: [rich.id],
      });
    const [before] = await left();
    const day = new Date(Date.now() + 200 * 86_400_000).toISOString();
    await atMoment(service, day, "enrichment_answers");
    await atMoment(service, day, "enrichment_days");
    service.clock.now = null;

    assert.ok(Number(before![0]) > 0 && Number(before![1]) > 0);
    assert.deepEqual(await left(), [["0", "0"]]);
  });
});
