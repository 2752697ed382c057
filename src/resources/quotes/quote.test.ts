import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { store } from "../../records/store.ts";
import { lineItem } from "../opportunities/line_item.ts";

const seat = { name: "Seat", unit_price: 1000, quantity: 3 };
const path = (of: { id: string }) => `/quote/${of.id}/`;

async function draft(ws: Workspace, body: object = {}): Promise<any> {
  const lead = "lead_id" in body || "opportunity_id" in body ? {} : { lead_id: (await ws.lead()).id };
  return ws.post("/quote/", { ...lead, line_items: [seat], ...body });
}

const sent = async (ws: Workspace, body: object = {}) => ws.put(path(await draft(ws, body)), { status: "open" });

test("a quote has the next number, a title with it, and thirty days", async () => {
  const acme = await organization();
  const { clock } = acme.service;
  clock.now = new Date("2026-01-30T12:00:00Z");

  const [first, second] = [await draft(acme), await draft(acme, { name: "Offer", valid_until: "2026-02-01" })];
  clock.now = null;

  assert.deepEqual([first.number, first.title, first.status, first.version], ["Q-000001", "Quote Q-000001", "draft", 1]);
  assert.deepEqual([first.expires_at, first.currency, first.public_url, first.file_id], ["2026-03-01", "USD", null, null]);
  assert.deepEqual([second.number, second.title, second.expires_at], ["Q-000002", "Offer", "2026-02-01"]);
});

test("quotes made at the same time are numbered without gaps, and a refused one uses up no number", async () => {
  const acme = await organization();
  const { id: lead_id } = await acme.lead();
  const wrong = { lead_id, line_items: [seat], discount: 101 };

  await Promise.all([1, 2, 3, 4, 5, 6].map((i) => acme.ask("POST", "/quote/", { body: i % 3 === 0 ? wrong : { lead_id } })));

  const numbers = (await acme.get("/quote/?_order_by=number")).data.map((one: any) => one.number);
  assert.deepEqual(numbers, ["Q-000001", "Q-000002", "Q-000003", "Q-000004"]);
});

test("a quote is for a lead, which a deal can say, and for people and deals of that lead", async () => {
  const acme = await organization();
  const [deal, person] = [await acme.opportunity(), await acme.contact()];

  const made = await draft(acme, { opportunity_id: deal.id });

  assert.equal(made.lead_id, deal.lead_id);
  await acme.refused(400, "POST", "/quote/", {}, "lead_id");
  await acme.refused(400, "POST", "/quote/", { lead_id: person.lead_id, opportunity_id: deal.id }, "opportunity_id");
  await acme.refused(400, "POST", "/quote/", { lead_id: deal.lead_id, contact_id: person.id }, "contact_id");
  await acme.refused(400, "PUT", path(made), { contact_id: person.id }, "contact_id");
  await acme.refused(400, "PUT", path(made), { lead_id: person.lead_id }, "lead_id");
});

test("a quote is for the person of its deal, unless it is given another or nobody", async () => {
  const acme = await organization();
  const lead = await acme.lead();
  const [ann, bob] = [await acme.contact({ lead_id: lead.id }), await acme.contact({ lead_id: lead.id })];
  const { id: opportunity_id } = await acme.opportunity({ lead_id: lead.id, contact_id: ann.id });

  const usual = await acme.post("/quote/", { opportunity_id });
  const other = await acme.post("/quote/", { opportunity_id, contact_id: bob.id });
  const nobody = await acme.post("/quote/", { opportunity_id, contact_id: null });
  const next = await acme.post("/quote/", { from_quote_id: nobody.id });

  assert.deepEqual([usual.contact_id, other.contact_id, nobody.contact_id, next.contact_id], [ann.id, bob.id, null, null]);
});

test("a quote begins with its deal's lines and currency, unless it is given others", async () => {
  const acme = await organization();
  const deal = await acme.opportunity({ value_currency: "EUR" });
  const product = await acme.product({ name: "Chair", unit_price: 500, currency: "EUR" });
  await acme.post(`/opportunity/${deal.id}/line_item/`, { product_id: product.id, quantity: 2 });

  const copied = await acme.post("/quote/", { opportunity_id: deal.id });
  const own = await acme.post("/quote/", { opportunity_id: deal.id, line_items: [] });

  const [line] = copied.line_items;
  assert.deepEqual(
    [copied.currency, line.product_id, line.name, line.quantity, line.total, copied.total_formatted],
    ["EUR", product.id, "Chair", 2, 1000, "€10.00"],
  );
  assert.deepEqual(own.line_items, []);
  await acme.refused(400, "POST", "/quote/", { opportunity_id: deal.id, currency: "USD" }, "currency");
});

test("a quote is in the currency of its deal, whichever of the two is said last", async () => {
  const acme = await organization();
  const deal = await acme.opportunity({ value: 500, value_currency: "EUR" });
  const dollars = await draft(acme, { lead_id: deal.lead_id, currency: "USD" });
  const euros = await draft(acme, { opportunity_id: deal.id, line_items: [{ ...seat, currency: "EUR" }] });
  const inDollars = { opportunity_id: deal.id, currency: "USD", line_items: [seat] };

  const { "field-errors": reasons } = await acme.refused(400, "POST", "/quote/", inDollars, "currency");
  await acme.refused(400, "PUT", path(dollars), { opportunity_id: deal.id }, "currency");
  await acme.refused(400, "PUT", path(euros), { currency: "USD", line_items: [seat] }, "currency");
  await acme.refused(400, "POST", "/quote/", { from_quote_id: euros.id, currency: "USD", line_items: [seat] }, "currency");
  await acme.refused(400, "PUT", `/opportunity/${deal.id}/`, { value_currency: "USD" }, "value_currency");

  assert.equal(reasons.currency, "is not the deal's currency, EUR");
  await acme.put(path(euros), { status: "open" });
  await acme.put(path(euros), { status: "accepted" });
  const { value, value_currency } = await acme.get(`/opportunity/${deal.id}/`);
  assert.deepEqual([value, value_currency], [3000, "EUR"]);
  const apart = await acme.put(path(dollars), { opportunity_id: deal.id, currency: "EUR", line_items: [] });
  assert.equal((await acme.put(path(apart), { opportunity_id: null, currency: "USD" })).currency, "USD");
});

test("each rate of tax has its own share of the discount, to the cent, and its tax is rounded once", async () => {
  const acme = await organization();
  const at = (unit_price: number, tax_percent: number) => ({ name: "Seat", unit_price, tax_percent, tax_method: "exclusive" });

  // The exact discounts are 2.90 and 12.95, together 15.85. The rest is 74.925, 71.325 and 41.625, together 187.875.
  const two = await draft(acme, { discount: 5, line_items: [at(58, 19), at(259, 7)] });
  const three = await draft(acme, { discount: 7.5, line_items: [at(999, 19), at(951, 7), at(555, 0)] });
  const many = await draft(acme, { discount: 50, line_items: [at(1, 19), at(1, 7), at(1, 19), at(1, 7)] });

  const taxes = (of: any) => of.taxes.map((tax: any) => [tax.tax_percent, tax.base, tax.tax_total]);
  assert.deepEqual(taxes(two), [
    [19, 55, 10],
    [7, 246, 17],
  ]);
  assert.deepEqual([two.discount_total, two.tax_total, two.total], [16, 27, 328]);
  assert.deepEqual(taxes(three), [
    [19, 924, 176],
    [7, 880, 62],
  ]);
  assert.deepEqual(taxes(many), [
    [19, 1, 0],
    [7, 1, 0],
  ]);
});

test("a discount that is an amount is whole, on a quote, on its lines and on those of a deal", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  const half = { discount: 5.5, discount_type: "amount" };

  await acme.refused(400, "POST", "/quote/", { opportunity_id: deal.id, line_items: [seat], ...half }, "discount");
  await acme.refused(400, "PUT", path(await draft(acme)), half, "discount");
  const lines = { opportunity_id: deal.id, line_items: [{ ...seat, ...half }] };
  await acme.refused(400, "POST", "/quote/", lines, "line_items.0.discount");
  await acme.refused(400, "POST", `/opportunity/${deal.id}/line_item/`, { ...seat, ...half }, "discount");

  assert.equal((await draft(acme, { discount: 5.5 })).discount, 5.5);
});

test("a quote has 500 lines at most, copied ones too", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  await acme.inside(async (ctx) => {
    const { id: opportunity_id, lead_id } = deal;
    for (let position = 0; position <= 500; position++)
      store.insert(ctx, lineItem, { opportunity_id, lead_id, name: "Line", unit_price: 1, currency: "USD", position });
  });

  await acme.refused(400, "POST", "/quote/", { opportunity_id: deal.id }, "line_items");
  await acme.refused(400, "POST", "/quote/", { lead_id: deal.lead_id, line_items: Array(501).fill(seat) }, "line_items");
});

test("what is wrong in a line is named by its place, and nothing is kept", async () => {
  const acme = await organization();
  const { id: lead_id } = await acme.lead();
  const old = await acme.product({ is_active: false });
  const wrong: [string, object][] = [
    ["line_items.1.name", { unit_price: 1 }],
    ["line_items.1.unit_price", { name: "Setup" }],
    ["line_items.1.quantity", { ...seat, quantity: 0 }],
    ["line_items.1.quantity", { ...seat, quantity: "two" }],
    ["line_items.1.discount", { ...seat, discount: 3001, discount_type: "amount" }],
    ["line_items.1.currency", { ...seat, currency: "EUR" }],
    ["line_items.1.product_id", { product_id: old.id }],
    ["line_items.1.product_id", { product_id: "prod_none" }],
  ];

  for (const [field, line] of wrong) await acme.refused(400, "POST", "/quote/", { lead_id, line_items: [seat, line] }, field);
  await acme.refused(
    400,
    "POST",
    "/quote/",
    { lead_id, line_items: [seat], discount: 3001, discount_type: "amount" },
    "discount",
  );
  await acme.refused(
    400,
    "POST",
    "/quote/",
    { lead_id, line_items: Array(3).fill({ name: "Much", unit_price: 5e13 }) },
    "line_items",
  );

  assert.deepEqual((await acme.get("/quote/")).data, []);
});

test("what was read can be sent back, although a product has gone and another was switched off", async () => {
  const acme = await organization();
  const [gone, off] = [await acme.product({ unit_price: 1 }), await acme.product({ unit_price: 2 })];
  const made = await draft(acme, { line_items: [{ product_id: gone.id }, { product_id: off.id }] });
  await acme.delete(`/product/${gone.id}/`);
  await acme.put(`/product/${off.id}/`, { is_active: false });

  const after = await acme.put(path(made), made);

  assert.deepEqual(after, made);
  assert.equal((await acme.events(made.id)).length, 1);
});

test("a quote goes only the steps there are", async () => {
  const acme = await organization();
  const states = ["draft", "open", "accepted", "declined", "expired", "canceled"];
  const next: Record<string, string[]> = {
    draft: ["open", "canceled"],
    open: ["accepted", "declined", "expired", "canceled", "draft"],
  };
  const { id: lead_id } = await acme.lead();
  const inState = async (state: string) => {
    const made = await draft(acme, { lead_id });
    if (state !== "draft" && state !== "canceled") await acme.put(path(made), { status: "open" });
    return state === "draft" || state === "open" ? acme.get(path(made)) : acme.put(path(made), { status: state });
  };

  for (const from of states) {
    for (const to of states.filter((one) => one !== from)) {
      const one = await inState(from);
      const answer = await acme.ask("PUT", path(one), { body: { status: to } });
      assert.equal(answer.status, next[from]?.includes(to) ? 200 : 400, `${from} to ${to}: ${answer.text}`);
      if (answer.status === 400) assert.ok("status" in answer.body["field-errors"]);
    }
  }
});

test("each step leaves its moment and its event", async () => {
  const acme = await organization();
  const made = await draft(acme);

  const open = await acme.put(path(made), { status: "open" });
  const back = await acme.put(path(made), { status: "draft" });
  const again = await acme.put(path(made), { status: "open" });
  const declined = await acme.put(path(made), { status: "declined" });

  assert.match(open.public_url, /^http:\/\/localhost\/q\/[\w-]{43}\/$/);
  assert.ok(open.date_sent);
  assert.deepEqual([back.public_url, back.date_sent, back.file_id], [null, null, null]);
  assert.equal(again.public_url, open.public_url);
  assert.ok(declined.date_declined);
  const actions = (await acme.events(made.id)).map((event) => event.action).filter((action) => action !== "updated");
  assert.deepEqual(actions, ["created", "sent", "sent", "declined"]);
});

test("a quote that is sent changes once, its PDF and address included", async () => {
  const acme = await organization();
  const made = await draft(acme);

  const open = await acme.put(path(made), { status: "open" });

  const events = (await acme.events(made.id)).slice(1);
  assert.deepEqual(
    events.map((event) => event.action),
    ["updated", "sent"],
  );
  assert.equal(open.version, made.version);
  for (const event of events) assert.deepEqual([event.data.file_id, event.data.status], [open.file_id, "open"]);
});

test("a quote is sent with lines and before its last day is over", async () => {
  const acme = await organization();
  const made = await draft(acme, { line_items: [], expires_at: "2020-01-01" });

  await acme.refused(400, "PUT", path(made), { status: "open" }, "line_items");
  await acme.refused(400, "PUT", path(made), { status: "open", line_items: [seat] }, "expires_at");
  await acme.refused(400, "POST", "/quote/", { lead_id: made.lead_id, status: "open" }, "status");
  const open = await acme.put(path(made), { status: "open", line_items: [seat], expires_at: null });
  assert.equal(open.status, "open");
});

test("what is offered changes in a draft only; notes and sending back what was read are always fine", async () => {
  const acme = await organization();
  const open = await sent(acme);

  for (const change of [{ title: "Other" }, { line_items: [] }, { discount: 5 }, { expires_at: null }, { terms: "None" }])
    await acme.refused(400, "PUT", path(open), change, "status");
  const same = await acme.put(path(open), open);
  const noted = await acme.put(path(open), { notes: "They hesitate" });
  const revised = await acme.put(path(open), { status: "draft", title: "Other" });

  assert.equal(same.version, open.version);
  assert.equal(noted.notes, "They hesitate");
  assert.deepEqual([revised.status, revised.title], ["draft", "Other"]);
});

test("an open quote is expired once its last day is over in the organization's time zone, in reads and filters", async () => {
  const acme = await organization();
  await acme.put(`/organization/${acme.id}/`, { timezone: "America/New_York" });
  const { clock } = acme.service;
  clock.now = new Date("2026-01-10T12:00:00Z");
  const open = await sent(acme, { expires_at: "2026-01-11" });
  const found = async (status: string) => (await acme.get(`/quote/?status=${status}`)).data.length;

  clock.now = new Date("2026-01-12T04:59:00Z");
  const before = [(await acme.get(path(open))).status, await found("open"), await found("expired")];
  clock.now = new Date("2026-01-12T05:01:00Z");
  const after = [(await acme.get(path(open))).status, await found("open"), await found("expired")];
  await acme.refused(400, "PUT", path(open), { status: "accepted" }, "status");
  await acme.put(path(open), {});
  clock.now = null;

  assert.deepEqual(
    [before, after],
    [
      ["open", 1, 0],
      ["expired", 0, 1],
    ],
  );
  assert.equal((await acme.events(open.id)).at(-1).action, "expired");
});

test("an expired quote has its event once its last day is over in the organization's time zone, even if nobody reads it", async () => {
  const acme = await organization();
  await acme.put(`/organization/${acme.id}/`, { timezone: "America/New_York" });
  const { clock } = acme.service;
  const told = async (of: any) => (await acme.events(of.id)).filter((one) => one.event === "quote.expired").length;
  clock.now = new Date("2026-01-10T12:00:00Z");
  const over = await sent(acme, { expires_at: "2026-01-11" });
  const good = await sent(acme, { expires_at: "2026-01-12" });

  await atMoment(acme.service, "2026-01-12T04:59:59.999Z", "quotes");
  const before = await told(over);
  await atMoment(acme.service, "2026-01-12T05:00:00.000Z", "quotes");
  await atMoment(acme.service, "2026-01-12T06:00:00.000Z", "quotes");
  clock.now = null;

  assert.deepEqual([before, await told(over), await told(good)], [0, 1, 0]);
});

test("accepting makes the deal worth what was agreed, line by line", async () => {
  const acme = await organization();
  const deal = await acme.opportunity({ value: 5, value_currency: "EUR" });
  await acme.post(`/opportunity/${deal.id}/line_item/`, { name: "Before", unit_price: 99 });
  const open = await sent(acme, {
    opportunity_id: deal.id,
    line_items: [
      { name: "On top", unit_price: 1000, tax_percent: 20 },
      { name: "Odd", unit_price: 333, discount: 10 },
    ],
    discount: 7,
  });

  const accepted = await acme.put(path(open), { status: "accepted" });

  const { value, line_items_total, value_currency } = await acme.get(`/opportunity/${deal.id}/`);
  const lines = (await acme.get(`/opportunity/${deal.id}/line_item/`)).data;
  const worth = accepted.subtotal - accepted.discount_total;
  assert.deepEqual([value, line_items_total, value_currency], [worth, worth, "EUR"]);
  assert.deepEqual(
    lines.map((line: any) => line.name),
    ["On top", "Odd"],
  );
  assert.equal(
    lines.reduce((sum: number, line: any) => sum + line.tax_total, 0),
    accepted.tax_total,
  );
  const told = (await acme.events(deal.id)).at(-1);
  assert.deepEqual([told.event, told.data.value], ["opportunity.updated", worth]);
});

test("whose deal it is hears that a quote was accepted", async () => {
  const acme = await organization();
  const seller = await acme.member();
  const deal = await seller.opportunity();
  const open = await sent(acme, { opportunity_id: deal.id });

  await acme.put(path(open), { status: "accepted" });

  const rows = await acme.service.app.db.unscoped({
    text: "select type, object_id from notification where organization_id = $1 and user_id = $2",
    values: [acme.id, seller.userId],
  });
  assert.deepEqual(rows, [["quote_accepted", open.id]]);
});

test("a new version copies what is not given, counts on, and leaves the old one alone", async () => {
  const acme = await organization();
  const color = await acme.customField("quote", { type: "text" });
  const open = await sent(acme, { title: "Offer", terms: "Net 30", discount: 5, [`custom.${color.id}`]: "Red" });

  const next = await acme.post("/quote/", { from_quote_id: open.id, title: "Better offer" });

  assert.deepEqual(
    [next.version, next.from_quote_id, next.lead_id, next.title, next.terms, next.total, next.status, next.number],
    [2, open.id, open.lead_id, "Better offer", "Net 30", open.total, "draft", "Q-000002"],
  );
  assert.equal(next[`custom.${color.id}`], "Red");
  assert.notEqual(next.line_items[0].id, open.line_items[0].id);
  assert.equal((await acme.post("/quote/", { from_quote_id: (await sent(acme)).id })).title, "Quote Q-000004");
  assert.equal((await acme.get(path(open))).status, "open");
});

test("only what was never sent or was canceled is deleted", async () => {
  const acme = await organization();
  const [open, canceled] = [await sent(acme), await sent(acme)];
  await acme.put(path(canceled), { status: "canceled" });

  await acme.refused(400, "DELETE", path(open), undefined, "status");
  await acme.delete(path(canceled));
  await acme.delete(path(await draft(acme)));
});

test("a quote outlives its lead and keeps the lead's name", async () => {
  const acme = await organization();
  const lead = await acme.lead({ name: "Globex" });
  const made = await draft(acme, { lead_id: lead.id });

  await acme.delete(`/lead/${lead.id}/`);

  const after = await acme.get(path(made));
  assert.deepEqual([after.lead_id, after.lead_name, after.number], [null, "Globex", made.number]);
});

test("quotes are seen as their lead is, and another's takes manage_others_opportunities", async () => {
  const acme = await organization();
  const [seller, reader] = [await acme.memberWith([]), await acme.memberWith(["view_all_leads"])];
  const mine = await acme.lead({ owner_id: seller.userId });
  const [visible, hidden] = [await draft(acme, { lead_id: mine.id }), await draft(acme)];

  const listed = (await seller.get("/quote/")).data.map((one: any) => one.id);

  assert.deepEqual(listed, [visible.id]);
  await seller.refused(404, "GET", path(hidden));
  await seller.refused(403, "PUT", path(visible), { title: "Mine" });
  await reader.refused(403, "DELETE", path(hidden));
});

test("quotes are found by number, state, deal and words, and sorted by what they come to", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  const large = await draft(acme, { opportunity_id: deal.id, title: "Café chairs" });
  const small = await draft(acme, { line_items: [] });
  const found = async (query: string) => (await acme.get(`/quote/?${query}`)).data.map((one: any) => one.id);

  assert.deepEqual(await found("_order_by=total"), [small.id, large.id]);
  assert.deepEqual(await found("number=Q-000002"), [small.id]);
  assert.deepEqual(await found(`opportunity_id=${deal.id}`), [large.id]);
  assert.deepEqual(await found("query=cafe"), [large.id]);
  assert.deepEqual(await found("status__in=draft,open&_order_by=-total"), [large.id, small.id]);
});
