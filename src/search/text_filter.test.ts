import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../test/support/given.ts";
import { createLead } from "../resources/leads/lead_verbs.ts";

const asked = (path: string, query: string, parameter = "query") =>
  `${path}${path.includes("?") ? "&" : "?"}${parameter}=${encodeURIComponent(query)}`;
const found = async (acme: Workspace, query: string, path = "/lead/"): Promise<string[]> =>
  (await acme.get(asked(path, query))).data.map((one: any) => one.name ?? one.note);
const reason = async (acme: Workspace, query: string, path = "/lead/") =>
  (await acme.refused(400, "GET", asked(path, query), undefined, "query"))["field-errors"].query;

describe("words find leads", () => {
  test("by their beginnings, in any case and without accents", async () => {
    const acme = await organization();
    await acme.lead({ name: "Müller Söhne" });
    await acme.lead({ name: "Zenith" });

    for (const query of ["muller", "MÜL", "söhne mü", "soh"]) assert.deepEqual(await found(acme, query), ["Müller Söhne"], query);
    assert.deepEqual(await found(acme, "ller"), []);
    assert.deepEqual(await found(acme, '"müller söhne"'), ["Müller Söhne"]);
    assert.deepEqual(await found(acme, '"söhne müller"'), []);
  });

  test("page by page, newest first, whether the word is the lead's own or one of its people's", async () => {
    const acme = await organization();
    const names = Array.from({ length: 12 }, (_, i) => `Lead ${i}`);
    for (const [i, name] of names.entries())
      await acme.lead(i % 3 === 0 ? { name, contacts: [{ name: "Gustav" }] } : { name, description: "gustav" });
    const newestFirst = names.toReversed();

    for (const [limit, skip] of [
      [1, 0],
      [5, 0],
      [5, 5],
      [5, 10],
      [4, 7],
    ] as const) {
      const page = await acme.get(`/lead/?query=gus&_limit=${limit}&_skip=${skip}`);

      assert.deepEqual(
        page.data.map((one: any) => one.name),
        newestFirst.slice(skip, skip + limit),
      );
      assert.equal(page.has_more, skip + limit < 12);
    }
    const first = await acme.get("/lead/?query=gus&_limit=5");
    const second = await acme.get(`/lead/?query=gus&_limit=7&_cursor=${first.cursor_next}`);
    assert.deepEqual(
      [...first.data, ...second.data].map((one: any) => one.name),
      newestFirst,
    );
  });

  test("newest first, whenever they were made: long ago, just now, or dated ahead", async () => {
    const acme = await organization();
    const years = [2019, 2031, 2014, 2025, 2030, 2016];
    for (const year of years) await datedAt(acme, `Year ${year}`, `${year}-05-05T00:00:00.000Z`);
    for (const name of ["Year one", "Year two", "Year three"]) await acme.lead({ name });
    const newestFirst = ["2031", "2030", "three", "two", "one", "2025", "2019", "2016", "2014"].map((word) => `Year ${word}`);

    for (const query of ["ye", "yea", "year", "yea ye"])
      for (const limit of [1, 2, 3, 5, 6, 8, 9, 50]) {
        const page = await acme.get(asked(`/lead/?_limit=${limit}`, query));

        assert.deepEqual(
          page.data.map((one: any) => one.name),
          newestFirst.slice(0, limit),
        );
        assert.equal(page.has_more, limit < 9);
      }
  });

  test("newest first, however many months ago they were made", async () => {
    const acme = await organization();
    const now = new Date();
    const months = Array.from({ length: 15 }, (_, i) => i + 1);
    for (const ago of months) {
      const made = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 11)).toISOString();
      await acme.lead({ name: `Month ${ago}`, date_created: made });
    }
    await acme.lead({ name: "Month 0" });
    const newestFirst = [0, ...months].map((ago) => `Month ${ago}`);

    for (const query of ["mon", "month", "mo", "mon month"])
      for (let limit = 1; limit <= 17; limit++)
        assert.deepEqual(await found(acme, query, `/lead/?_limit=${limit}`), newestFirst.slice(0, limit), `${query} ${limit}`);
  });

  test("newest first also when the time has come for which they were dated ahead", async () => {
    const acme = await organization();
    acme.service.clock.now = new Date("2021-03-01T00:00:00Z");
    await Promise.all(
      ["2021-04-01T00:00:00.000Z", "2021-04-02T00:00:00.000Z"].map((date_created) =>
        datedAt(acme, `Dated ahead ${date_created.slice(0, 10)}`, date_created),
      ),
    ).finally(() => (acme.service.clock.now = null));
    for (const date_created of ["2020-05-05T00:00:00Z", "2022-05-05T00:00:00Z", new Date().toISOString()])
      await acme.lead({ name: `Dated ${date_created.slice(0, 4)}`, date_created });

    const newestFirst = [
      `Dated ${new Date().getUTCFullYear()}`,
      "Dated 2022",
      "Dated ahead 2021-04-02",
      "Dated ahead 2021-04-01",
      "Dated 2020",
    ];
    for (const query of ["dat", "dated"])
      for (const limit of [1, 2, 3, 4, 5])
        assert.deepEqual(await found(acme, query, `/lead/?_limit=${limit}`), newestFirst.slice(0, limit));
  });

  test("newest first also where digits may be a number or words", async () => {
    const acme = await organization();
    const phones = [{ phone: "+1 650 123 4567" }];
    for (const name of ["By phone", "By phone too"]) await acme.lead({ name, phones, date_created: "2014-05-05T00:00:00Z" });
    await acme.lead({ name: "Box 650 123 456", date_created: "2019-05-05T00:00:00Z" });

    assert.deepEqual(await found(acme, "650 123 456", "/lead/?_limit=1"), ["Box 650 123 456"]);
    assert.equal((await found(acme, "650 123 456")).length, 3);
  });

  test("of their own, of their people and of their notes, together", async () => {
    const acme = await organization();
    const lead = await acme.lead({
      name: "Acme",
      description: "Makes anvils",
      url: "https://acme.example",
      contacts: [
        {
          name: "Anna Schmidt",
          title: "Buyer",
          emails: [{ email: "anna@work.example" }],
          phones: [{ phone: "+1 650 253 0000" }],
        },
      ],
    });
    await acme.note({ lead_id: lead.id, note: "Wants a discount" });
    await acme.lead({ name: "Other", contacts: [{ name: "Otto" }] });

    for (const query of [
      "anvils",
      "anna",
      "buyer",
      "anna@work.example",
      "acme.example",
      "discount",
      "+1 650 253 0000",
      "650 253",
      "acme anna",
      "discount anna anvils",
    ])
      assert.deepEqual(await found(acme, query), ["Acme"], query);
    assert.deepEqual(await found(acme, "acme otto"), []);
  });

  test("as long as they have them", async () => {
    const acme = await organization();
    const lead = await acme.lead({ name: "Acme" });
    const person = await acme.contact({ lead_id: lead.id, name: "Anna" });
    await acme.put(`/lead/${lead.id}/`, { name: "Zenith" });
    await acme.put(`/contact/${person.id}/`, { name: "Otto" });

    assert.deepEqual(await found(acme, "otto"), ["Zenith"]);
    assert.deepEqual([await found(acme, "acme"), await found(acme, "anna")], [[], []]);
    await acme.delete(`/contact/${person.id}/`);
    assert.deepEqual(await found(acme, "otto"), []);
  });

  test("with not, or and parentheses", async () => {
    const acme = await organization();
    for (const name of ["Acme West", "Acme East", "Zenith"]) await acme.lead({ name });

    assert.deepEqual(await found(acme, "acme -east"), ["Acme West"]);
    assert.deepEqual(await found(acme, "not acme"), ["Zenith"]);
    assert.deepEqual(await found(acme, "zenith or west sort:name"), ["Acme West", "Zenith"]);
    assert.deepEqual(await found(acme, "acme (east or zenith)"), ["Acme East"]);
    assert.equal((await found(acme, "*")).length, 3);
    assert.equal((await found(acme, "")).length, 3);
  });

  test("that everybody has, and that hardly anybody has, in the order of the list", async () => {
    const acme = await organization();
    for (let i = 0; i < 12; i++) await acme.lead({ name: `Common ${i}`, contacts: i === 3 ? [{ name: "Rare" }] : [] });

    const all = await acme.all(`${asked("/lead/", "common")}&_limit=5`);

    assert.deepEqual(
      all.map((one) => one.name),
      Array.from({ length: 12 }, (_, i) => `Common ${11 - i}`),
    );
    assert.deepEqual(await found(acme, "rare or common sort:date_created"), all.map((one) => one.name).reverse());
    assert.equal((await acme.get(`${asked("/lead/", "common -rare")}&_count=exact&_limit=0`)).total_results, 11);
  });
});

/** Nobody can date a lead in the future any more, but old ones may exist. */
const datedAt = (acme: Workspace, name: string, date_created: string) =>
  acme.inside((ctx) => createLead(ctx, { name, date_created }));

test("words of more than a thousand leads find the newest of them, with those whose people have them", async () => {
  const acme = await organization();
  const person = await acme.lead({ name: "Old", date_created: "2020-01-01T00:00:00Z", contacts: [{ name: "Commodore" }] });
  for (let i = 0; i < 1_010; i += 10)
    await Promise.all(Array.from({ length: 10 }, (_, j) => acme.lead({ name: `Common ${String(i + j).padStart(4, "0")}` })));
  const ahead = await datedAt(acme, "Ahead", "2099-01-01T00:00:00.000Z");
  await acme.contact({ lead_id: ahead.id, name: "Commissar" });

  for (const query of ["c", "com", "comm", "common", "comm com"]) {
    const page = await acme.get(`${asked("/lead/", query)}&_limit=3`);
    const all = await acme.all(`${asked("/lead/", query)}&_limit=200`);

    const ofPeople = query === "common" ? [] : [ahead.id, person.id];
    assert.equal(all.length, 1_010 + ofPeople.length, query);
    assert.deepEqual(
      page.data.map((one: any) => one.id),
      all.slice(0, 3).map((one) => one.id),
    );
    assert.deepEqual(
      [all[0].id, all.at(-1).id].filter((id) => ofPeople.includes(id)),
      ofPeople,
      query,
    );
    const dates = all.map((one) => one.date_created);
    assert.deepEqual(dates, dates.toSorted().reverse());
  }
});

describe("fields of a lead in a query", () => {
  const given = async () => {
    const acme = await organization();
    const acmeCorp = await acme.lead({
      name: "Acme Corp",
      url: "acme.example",
      description: "Anvils",
      industry: "Steel",
      mrr: 500,
      owner_id: acme.userId,
      tags: ["Hot"],
      status: "Qualified",
      emails: [{ email: "Info@Acme.example" }],
      phones: [{ phone: "(650) 253-0000" }],
      addresses: [{ city: "San José", state: "CA", country: "US" }],
    });
    await acme.lead({
      name: "Zenith",
      contacts: [
        { name: "Anna Schmidt", title: "CEO", emails: [{ email: "anna@zenith.example" }], phones: [{ phone: "+442079460958" }] },
      ],
    });
    return { acme, acmeCorp };
  };

  test("by name, label, id, address and number", async () => {
    const { acme, acmeCorp } = await given();
    const { email, first_name } = await acme.get("/me/");
    const queries = [
      "name:acme",
      'name:"Acme Co"',
      'name="ACME CORP"',
      "display_name:corp",
      "url:acme.example",
      "description:anvil",
      "industry:steel",
      "status:qualified",
      'status:"Qualified"',
      `status_id:${acmeCorp.status_id}`,
      "status in (Customer, Qualified)",
      "tag:hot",
      "tags:Hot",
      "owner:me",
      `owner:${first_name}`,
      `owner:${email}`,
      `owner:${acme.userId}`,
      "owner:*",
      "email:info@acme.example",
      "email_address:INFO@ACME.EXAMPLE",
      "email:info",
      "phone:6502530000",
      'phone_number:"+1 650-253-0000"',
      "phone:253000",
      'city:"san jose"',
      "state:ca",
      "country:US",
      'country:"United States"',
      `id:${acmeCorp.id}`,
      "mrr:500",
      "mrr>499",
      "mrr>=500",
      "mrr<=500 mrr>1",
      "mrr in (1, 500)",
    ]; // prettier-ignore

    for (const query of queries) assert.deepEqual(await found(acme, query), ["Acme Corp"], query);
  });

  test("can be searched for their absence too", async () => {
    const { acme } = await given();

    for (const query of [
      'owner:""',
      'mrr:""',
      "-name:acme",
      "status!=Qualified",
      "not city:*",
      "tag:none or -tag:hot",
      "mrr<500 or name:zenith",
      "contact:*",
    ])
      assert.deepEqual(await found(acme, query), ["Zenith"], query);
    for (const query of ["mrr>500", "name=acme", "status:Customer", "email:nobody@acme.example"])
      assert.deepEqual(await found(acme, query), [], query);
  });

  test("through their people", async () => {
    const { acme } = await given();

    for (const query of [
      "email:anna@zenith.example",
      "phone:+442079460958",
      "contact:schmidt",
      "contact:anna",
      "contact(name:anna title:ceo)",
      'contact(email:"anna@zenith.example")',
      "contact(*)",
    ])
      assert.deepEqual(await found(acme, query), ["Zenith"], query);
    assert.deepEqual(await found(acme, "-contact(*)"), ["Acme Corp"]);
    assert.deepEqual(await found(acme, "contact(name:anna title:cto)"), []);
  });

  test("by day, in the caller's words and the caller's time", async () => {
    const acme = await organization();
    await acme.lead({ name: "New" });

    for (const query of [
      "created:today",
      "date_created>=today",
      'created>"7 days ago"',
      "updated<=today",
      "created<tomorrow",
      "created>=2020-01-01",
      'date_updated>="2020-01-01T00:00" sort:date_updated',
      'created in (today, "last week")',
    ])
      assert.deepEqual(await found(acme, query), ["New"], query);
    for (const query of ["created:yesterday", "created>today", 'created<"2 days ago"', "updated<today"])
      assert.deepEqual(await found(acme, query), [], query);
  });

  test("by custom fields, under either name", async () => {
    const acme = await organization();
    const size = await acme.customField("lead", { name: "Deal Size", type: "number" });
    const grade = await acme.customField("lead", {
      name: "Grade",
      type: "choices",
      choices: ["Gold", "Silver"],
      accepts_multiple_values: true,
    });
    const due = await acme.customField("lead", { name: "Due", type: "date" });
    const boss = await acme.customField("lead", { name: "Boss", type: "user" });
    await acme.lead({
      name: "Acme",
      [`custom.${size.id}`]: 5,
      [`custom.${grade.id}`]: ["Gold", "Silver"],
      [`custom.${due.id}`]: "2026-03-04",
      [`custom.${boss.id}`]: acme.userId,
    });
    await acme.lead({ name: "Zenith" });

    for (const query of [
      '"custom.Deal Size">=5',
      `custom.${size.id}:5`,
      '"custom.deal size"<6',
      "custom.Grade:gold",
      'custom.Grade="Silver"',
      "custom.Due:2026-03-04",
      "custom.Due>2026-03-03",
      "custom.Due<=2026-03-04",
      "custom.Boss:me",
      "custom.Boss:*",
    ])
      assert.deepEqual(await found(acme, query), ["Acme"], query);
    assert.deepEqual(await found(acme, 'custom.Grade:""'), ["Zenith"]);
    assert.deepEqual(await found(acme, 'custom.Due:* sort:-"custom.Deal Size"'), ["Acme"]);
  });

  test("by what is worked out", async () => {
    const { acme } = await given();

    assert.deepEqual(await found(acme, "num_contacts>0"), ["Zenith"]);
    assert.deepEqual(await found(acme, "last_communication_date:*"), []);
    assert.deepEqual(await found(acme, "sort:-num_contacts"), ["Zenith", "Acme Corp"]);
  });
});

test("a name beside a query narrows what it finds", async () => {
  const acme = await organization();
  for (const name of ["Acme", "Acme Corp", "Zenith", "Café ???", "???"])
    await acme.lead({ name, industry: "Steel", contacts: [{ name }] });

  for (const query of ["industry:steel", "*", "acme", "sort:name"])
    for (const name of ["Acme", "acme", "ACMÉ"])
      assert.deepEqual(await found(acme, query, `/lead/?name=${encodeURIComponent(name)}`), ["Acme"], `${query} ${name}`);
  for (const name of ["cafe ???", "???", "zenith"])
    for (const path of ["/lead/", "/contact/"]) assert.equal((await acme.get(asked(path, name, "name"))).data.length, 1, name);
  assert.deepEqual(await found(acme, "zenith", "/lead/?name=acme"), []);
  assert.deepEqual(await found(acme, "acme", "/contact/?name=acme"), ["Acme"]);
});

test("true and false are understood as Python sends them", async () => {
  const acme = await organization();
  const vip = await acme.customField("lead", { name: "VIP", type: "boolean" });
  const lead = await acme.lead({ name: "Acme", [`custom.${vip.id}`]: true });
  await acme.lead({ name: "Zenith", [`custom.${vip.id}`]: false });
  for (const is_complete of [true, false]) await acme.task({ lead_id: lead.id, text: `${is_complete}`, is_complete });
  const tasks = async (path: string) => (await acme.get(path)).data.map((one: any) => one.text);

  assert.deepEqual(await tasks("/task/?query=is_complete:True"), ["true"]);
  assert.deepEqual(await tasks("/task/?query=is_complete=False"), ["false"]);
  assert.deepEqual(await tasks("/task/?is_complete=True"), ["true"]);
  assert.deepEqual(await found(acme, "custom.VIP:True"), ["Acme"]);
  assert.deepEqual(await found(acme, "*", `/lead/?custom.${vip.id}=False`), ["Zenith"]);
  await acme.get(`/activity/?thread_emails=True&lead_id=${lead.id}`);
  assert.equal((await acme.get("/opportunity/?is_stalled=True")).data.length, 0);
});

test("a list is ordered by what its query asks, unless _order_by asks otherwise", async () => {
  const acme = await organization();
  for (const [name, mrr] of [
    ["B", 1],
    ["A", 2],
    ["C", 2],
  ] as const)
    await acme.lead({ name, mrr });

  assert.deepEqual(await found(acme, "sort:name"), ["A", "B", "C"]);
  assert.deepEqual(await found(acme, "sort:-mrr sort:-name"), ["C", "A", "B"]);
  assert.deepEqual(await found(acme, "sort:created"), ["B", "A", "C"]);
  assert.deepEqual(
    (await acme.get(`${asked("/lead/", "sort:name")}&_order_by=-name`)).data.map((one: any) => one.name),
    ["C", "B", "A"],
  );
  assert.deepEqual(
    (await acme.all(`${asked("/lead/", "sort:-mrr,name")}&_limit=1`)).map((one) => one.name),
    ["A", "C", "B"],
  );
});

test("what cannot be understood is refused with what to write", async () => {
  const acme = await organization();

  assert.match(await reason(acme, "(acme"), /parenthesis is never closed/);
  assert.match(await reason(acme, "indusrty:steel"), /^indusrty is not a field of lead; did you mean industry\?/);
  assert.match(await reason(acme, "mrr>many"), /^mrr is a number, not many/);
  assert.match(await reason(acme, "name>5"), /^name is text/);
  assert.match(await reason(acme, "created:soon"), /^created is a date: write created:2026-01-31/);
  assert.match(await reason(acme, "owner>5"), /^owner names a record/);
  assert.match(await reason(acme, "owner:nobody"), /^owner must be one of Ada Admin/);
  assert.match(await reason(acme, "planet(name:x)"), /is not related to lead; the nearest are .*call/);
  assert.match(await reason(acme, "sort:planet"), /^planet is nothing to sort by/);
});

test("contacts and opportunities have query languages of their own", async () => {
  const acme = await organization();
  const lead = await acme.lead({
    name: "Acme",
    contacts: [{ name: "Anna", title: "CEO", emails: [{ email: "anna@acme.example" }], tags: ["VIP"] }, { name: "Otto" }],
  });
  await acme.opportunity({ lead_id: lead.id, note: "Big one", value: 1000, confidence: 80, status: "Won" });
  await acme.opportunity({ lead_id: (await acme.lead({ name: "Zenith" })).id, note: "Small one", value: 10, status: "Lost" });

  for (const query of [
    "anna",
    "ceo",
    "email:anna@acme.example",
    "title:CEO",
    "tag:vip",
    "name:anna lead:acme",
    "lead(name:acme) -otto",
  ])
    assert.deepEqual(await found(acme, query, "/contact/"), ["Anna"], query);
  for (const query of [
    "big",
    "note:big",
    "value>=1000",
    "confidence:80",
    "status:won",
    "status_type:won",
    "user:me value>10",
    "date_won:today",
    "lead:acme",
    "lead(name:acme)",
    "pipeline:sales -status:lost",
  ])
    assert.deepEqual(await found(acme, query, "/opportunity/"), ["Big one"], query);
  assert.deepEqual(
    (await acme.get(asked("/opportunity/", "name:zenith", "lead_query"))).data.map((one: any) => one.note),
    ["Small one"],
  );
  assert.deepEqual(
    (await acme.get(asked("/opportunity/", "acme contact(*)", "lead_query"))).data.map((one: any) => one.note),
    ["Big one"],
  );
  assert.deepEqual(await found(acme, "opportunity(status:won)"), ["Acme"]);
  assert.match(await reason(acme, "value:x", "/opportunity/"), /^value is a number/);
  assert.match(await reason(acme, "value>=9007199254740993", "/opportunity/"), /between -9007199254740991 and 9007199254740991/);
});

test("a search shows nothing of other organizations, nor of leads the role does not see", async () => {
  const [acme, other] = [await organization(), await organization()];
  await other.lead({ name: "Secret", contacts: [{ name: "Agent" }] });
  const restricted = await acme.member("restricteduser");
  await acme.lead({ name: "Hidden", contacts: [{ name: "Hanna" }] });
  await acme.lead({ name: "Own", owner_id: restricted.userId, contacts: [{ name: "Hanna" }] });

  for (const query of ["secret", "agent", "name:secret", "contact:agent", "*"])
    assert.ok(!(await found(acme, query)).includes("Secret"), query);
  for (const query of ["hanna", "contact:hanna", "hidden or own", "contact(name:hanna)", "*"])
    assert.deepEqual(await found(restricted, query), ["Own"], query);
  assert.equal((await found(restricted, "hanna", "/contact/")).length, 1);
});

test("who asks the same after somebody else is answered for themselves", async () => {
  const [acme, other] = [await organization(), await organization()];
  const restricted = await acme.member("restricteduser");
  await acme.lead({ name: "Hidden", contacts: [{ name: "Hanna" }] });
  await acme.lead({ name: "Own", owner_id: restricted.userId, contacts: [{ name: "Hanna" }] });
  await other.lead({ name: "Foreign", contacts: [{ name: "Hanna" }] });

  for (const query of ["hanna", "han", "ha"]) {
    for (const asked of [acme, restricted, other, restricted, acme]) {
      const expected = new Map([
        [acme, ["Own", "Hidden"]],
        [restricted, ["Own"]],
        [other, ["Foreign"]],
      ]).get(asked);
      assert.deepEqual(await found(asked, query), expected, query);
    }
    assert.equal((await found(restricted, query, "/contact/")).length, 1);
    assert.equal((await found(acme, query, "/contact/")).length, 2);
  }
});

test("every list with text has a query, and lists of something with a name find by part of it", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Acme" });
  await acme.note({ lead_id: lead.id, note: "Likes anvils" });
  await acme.task({ lead_id: lead.id, text: "Call back" });
  await acme.product({ name: "Anvil", code: "A-1" });
  await acme.customField("lead", { name: "Deal Size", type: "number" });
  const count = async (path: string) => (await acme.get(path)).data.length;

  for (const path of [
    "/activity/note/?query=anvils",
    "/activity/?query=anvils",
    "/task/?query=call",
    "/task/?query=assigned_to:me",
    "/product/?query=a-1",
    "/product/?q=anv",
    "/lead/?q=acm",
    "/lead/?search=acme",
    "/status/lead/?q=OTENTIA",
    "/status/lead/?search=potential",
    "/custom_field/lead/?q=size",
    "/pipeline/?q=ale",
  ])
    assert.equal(await count(path), 1, path);
  for (const path of ["/activity/note/?query=hammers", "/task/?query=mail", "/status/lead/?q=%25", "/custom_field/lead/?q=%5C"])
    assert.equal(await count(path), 0, path);
  await acme.refused(400, "GET", "/task/?query=(", undefined, "query");
});

test("a lead is found by the addresses and numbers of its people, exactly", async () => {
  const acme = await organization();
  const restricted = await acme.member("restricteduser");
  const emails = (email: string) => [{ email }];
  await acme.lead({
    name: "Acme",
    emails: emails("info@acme.example"),
    contacts: [{ name: "Anna", emails: emails("Anna@Work.example"), phones: [{ phone: "+1 650 253 0000" }] }],
  });
  await acme.lead({
    name: "Zenith",
    phones: [{ phone: "+44 20 7946 0958" }],
    contacts: [{ emails: emails("info@acme.example") }],
  });
  const by = async (filter: string, of = acme) => (await of.get(`/lead/?${filter}`)).data.map((one: any) => one.name);

  assert.deepEqual(await by("email=anna@work.EXAMPLE"), ["Acme"]);
  assert.deepEqual(await by("email=info@acme.example"), ["Zenith", "Acme"]);
  assert.deepEqual(await by("email=info@acme.example&name=acme&_count=exact"), ["Acme"]);
  assert.deepEqual(await by(`phone=${encodeURIComponent("(650) 253-0000")}`), ["Acme"]);
  assert.deepEqual(await by(`phone=${encodeURIComponent("+442079460958")}`), ["Zenith"]);
  for (const none of ["email=anna", "email=work.example", "phone=650", "email="]) assert.deepEqual(await by(none), [], none);
  assert.deepEqual(await by("email=anna@work.example", restricted), []);
});

test("a query names a list of leads or contacts by its id or its name", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "On it", contacts: [{ name: "Ann" }] });
  await acme.lead({ name: "Not on it", contacts: [{ name: "Bob" }] });
  const { contact_ids } = await acme.get(`/lead/${lead.id}/?_fields=contact_ids`);
  const leads = await acme.post("/lead_list/", { name: "Very VIP" });
  const people = await acme.post("/contact_list/", { name: "Guests" });
  await acme.post(`/lead_list/${leads.id}/members/`, { lead_ids: [lead.id] });
  await acme.post(`/contact_list/${people.id}/members/`, { contact_ids });

  for (const query of [`list_id:${leads.id}`, `list:${leads.id}`, 'list:"very vip"'])
    assert.deepEqual(await found(acme, query), ["On it"], query);
  assert.deepEqual(await found(acme, `not list_id:${leads.id}`), ["Not on it"]);
  assert.deepEqual(await found(acme, "list:guests", "/contact/"), ["Ann"]);
  assert.match(await reason(acme, "list:x", "/task/"), /only leads and contacts are on lists/);
});

test("spaces around a colon change nothing before a number, and the currency of a deal has its short name", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Rich", mrr: 1000 });
  await acme.lead({ name: "Poor", mrr: 1 });
  await acme.post("/opportunity/", { lead_id: lead.id, note: "Euros", value: 1, value_currency: "EUR" });
  await acme.post("/opportunity/", { lead_id: lead.id, note: "Dollars", value: 1, value_currency: "USD" });

  for (const query of ["mrr:1000", "mrr : 1000", "mrr :1000", "mrr: 1000"])
    assert.deepEqual(await found(acme, query), ["Rich"], query);
  assert.deepEqual(await found(acme, "currency:EUR", "/opportunity/"), ["Euros"]);
  assert.deepEqual(await found(acme, "Rich : Poor"), []);
});
