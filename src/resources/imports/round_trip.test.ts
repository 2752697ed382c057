// An export of leads as JSON is a file that an import takes as it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { withWorker } from "../../../test/support/worker.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

/** All leads as records, as a file. */
async function exported(acme: Workspace, format: "json" | "jsonl"): Promise<string> {
  const { id } = await acme.post("/export/lead/", { format, sort: "name" });
  await work(acme);
  const { download_url } = await acme.get(`/export/${id}/`);
  const file = await fetch(download_url.replace(/^.*(?=\/api\/)/, acme.service.url), {
    headers: { authorization: `Basic ${Buffer.from(`${acme.key}:`).toString("base64")}` },
  });
  return file.text();
}

/** Imports a file with the targets that are suggested. Returns the draft and what became of it. */
async function imported(
  acme: Workspace,
  text: string,
  object_type = "lead",
): Promise<{ columns: any[]; done: any; rows: any[] }> {
  const draft = await acme.post("/import/", { object_type, content_base64: Buffer.from(text).toString("base64") });
  await acme.put(`/import/${draft.id}/`, {
    mapping: Object.fromEntries(draft.columns.map(({ name, suggested }: any) => [name, suggested])),
  });
  await work(acme);
  const done = await acme.get(`/import/${draft.id}/`);
  return { columns: draft.columns, done, rows: (await acme.get(`/import/${draft.id}/rows/`)).data };
}

const counts = ({ status, n_created, n_updated, n_skipped, n_failed, errors }: any) => [
  status,
  [n_created, n_updated, n_skipped, n_failed],
  errors,
];

/** The leads with everything that belongs to them, and the last event of any of them. */
async function state(acme: Workspace): Promise<{ leads: any[]; events: string[] }> {
  const events = (await acme.get("/event/?_limit=50")).data;
  const ofRecords = events.filter(({ object_type }: any) => ["lead", "contact", "opportunity"].includes(object_type));
  const leads = (await exported(acme, "jsonl"))
    .trimEnd()
    .split("\n")
    .map((one) => JSON.parse(one));
  return { leads, events: ofRecords.map(({ id }: any) => id) };
}

/** Two leads: one with a value of every kind, and one with hardly any. */
async function twoLeads(acme: Workspace): Promise<{ steel: any; field: Record<string, string> }> {
  const field: Record<string, string> = {};
  const add = async (type: string, more: object = {}, of = "lead") => {
    const { id } = await acme.customField(of, { type, name: `${of} ${type}`, ...more });
    return (field[`${of} ${type}`] = `custom.${id}`);
  };
  const custom = {
    [await add("text")]: "#1; [draft]",
    [await add("number")]: 1234.5,
    [await add("date")]: "2026-02-03",
    [await add("datetime")]: "2026-02-03T04:05:06.000Z",
    [await add("choices", { choices: ["a, b", "c;d"], accepts_multiple_values: true })]: ["c;d", "a, b"],
    [await add("user")]: acme.userId,
  };
  const steel = await acme.lead({
    name: "Steel",
    url: "https://steel.io/de?a=1",
    description: "Two\nlines; and, more",
    owner_id: acme.userId,
    mrr: 123_45,
    emails: [
      { email: "Office@steel.io", type: "office" },
      { email: "home@steel.io", type: "home" },
    ],
    phones: [{ phone: "+49 30 901820", type: "fax" }],
    addresses: [
      { label: "mailing", address_1: "Weg 1", city: "Bonn", country: "DE" },
      { label: "other", city: "Linz", country: "AT" },
    ],
    tags: ["one, two", "b"],
    ...custom,
    contacts: [
      {
        name: "Ann",
        title: "CEO",
        emails: [{ email: "ann@steel.io", type: "work" }],
        phones: [{ phone: "+49 30 901821", type: "mobile" }],
        urls: [{ url: "https://ann.io", type: "blog" }],
        tags: ["vip"],
        timezone: "Europe/Berlin",
        do_not_call: true,
        [await add("text", {}, "contact")]: "x",
      },
      { name: "Ann", title: "CFO" },
    ],
  });
  await acme.opportunity({ lead_id: steel.id, value: 500, note: "Deal" });
  await acme.lead({ name: "Wood" });
  return { steel, field };
}

for (const format of ["jsonl", "json"] as const)
  test(`leads exported as ${format} and imported again change nothing`, async () => {
    const acme = await organization();
    await twoLeads(acme);
    const before = await state(acme);

    const { columns, done, rows } = await imported(acme, await exported(acme, format));

    assert.deepEqual(counts(done), ["done", [0, 0, 2, 0], []]);
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["skipped", "skipped"],
    );
    assert.deepEqual(await state(acme), before);
    const about = new Map(columns.map(({ name, suggested, ignored }) => [name, suggested ?? ignored]));
    assert.deepEqual(
      ["id", "contacts", "emails", "mrr", "opportunities", "date_created", "status_label", "display_name", "owner_id"].map(
        (name) => about.get(name),
      ),
      [
        "id",
        "contact.contacts",
        "email",
        "mrr",
        "These are records of their own: they stay as they are.",
        "date_created",
        "status",
        "Only reads show it: it stays as it is.",
        "owner",
      ],
    );
    assert.deepEqual(
      columns.filter(({ suggested, ignored }) => suggested === null && ignored === undefined),
      [],
    );
  });

test("what was changed in an exported file is changed by its import, and nothing else", async () => {
  const acme = await organization();
  const { steel, field } = await twoLeads(acme);
  const before = await state(acme);
  const edited = structuredClone(before.leads);
  const lead = edited.find(({ id }) => id === steel.id);
  const ann = lead.contacts.find(({ title }: any) => title === "CEO");
  Object.assign(ann, { name: "Anna", emails: [{ ...ann.emails[0], email: "anna@steel.io" }] });

  const renamed = await imported(acme, edited.map((one) => JSON.stringify(one)).join("\n"));
  const person = await acme.get(`/contact/${ann.id}/`);
  Object.assign(lead, { name: "Stahl", [field["lead number"]!]: 7, emails: [{ ...lead.emails[0], type: "work" }] });
  const changed = await imported(acme, JSON.stringify([lead]));
  const after = await acme.get(`/lead/${steel.id}/`);

  assert.deepEqual(counts(renamed.done), ["done", [0, 1, 1, 0], []]);
  assert.deepEqual([person.name, person.title], ["Anna", "CEO"]);
  assert.deepEqual(
    person.emails.map(({ email }: any) => email),
    ["ann@steel.io", "anna@steel.io"],
  );
  const last = (await acme.events(ann.id)).at(-1)!;
  assert.deepEqual([last.action, last.changed_fields.includes("name")], ["updated", true]);
  assert.deepEqual(counts(changed.done), ["done", [0, 1, 0, 0], []]);
  assert.deepEqual(
    [after.name, after[field["lead number"]!], after.emails],
    [
      "Stahl",
      7,
      [
        { email: "Office@steel.io", type: "work" },
        { email: "home@steel.io", type: "home" },
      ],
    ],
  );
  assert.equal((await acme.get(`/contact/?lead_id=${steel.id}`)).data.length, 2);
});

test("a list or an object is refused where a field takes one value, and a person with an error is named", async () => {
  const acme = await organization();
  const rows = [
    { name: "Steel", boss: { name: "Ann" }, contacts: [{ name: "Bob" }, { name: "Eve", emails: [{ email: "eve" }] }] },
  ];
  const draft = await acme.post("/import/", { rows });

  const refusal = await acme.refused(400, "PUT", `/import/${draft.id}/`, { mapping: { name: "name", boss: "description" } });
  const { preview } = await acme.put(`/import/${draft.id}/`, {
    dry_run: true,
    mapping: { name: "name", contacts: "contact.contacts" },
  });

  assert.match(refusal["field-errors"].mapping, /"boss", which has lists or objects, to description, which takes one value/);
  assert.deepEqual(preview.errors, [{ row: 1, column: "contacts", error: "emails.0.email is not an e-mail address" }]);
});

test("a row does nothing at all when one of its people fits two contacts", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Steel", contacts: [{ name: "Ann", title: "CEO" }, { name: "Bob" }, { name: "Bob" }] });
  const before = await state(acme);

  const { done } = await imported(
    acme,
    JSON.stringify([
      {
        id: lead.id,
        industry: "Metal",
        contacts: [
          { name: "Ann", title: "CFO" },
          { name: "Bob", title: "x" },
        ],
      },
    ]),
  );

  assert.deepEqual(
    [done.n_failed, done.n_updated, done.errors[0].error],
    [1, 0, "fits 2 contacts of the lead: merge them first"],
  );
  assert.deepEqual(await state(acme), before);
});
