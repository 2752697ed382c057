import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { textOfPdf } from "../../../test/support/pdf.ts";
import { withWorker } from "../../../test/support/worker.ts";

const seat = { name: "Seat", unit_price: 1000, quantity: 3 };
const path = (of: { id: string }) => `/quote/${of.id}/`;

async function sent(ws: Workspace, body: object = {}): Promise<any> {
  const lead = "opportunity_id" in body || "lead_id" in body ? {} : { lead_id: (await ws.lead({ name: "Globex" })).id };
  const { id } = await ws.post("/quote/", { ...lead, line_items: [seat], ...body });
  return ws.put(path({ id }), { status: "open" });
}

interface Page {
  status: number;
  text: string;
  headers: Headers;
}

/** Opens the page of a quote as a browser would, or submits its form. */
async function visit(ws: Workspace, of: { public_url: string }, form?: Record<string, string>, suffix = ""): Promise<Page> {
  const address = of.public_url.replace("http://localhost", ws.service.url) + suffix;
  const answer = await fetch(address, {
    redirect: "manual",
    ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

const editionOf = (page: Page): string => /name="edition" value="([^"]*)"/.exec(page.text)![1]!;

/** The values that the form of the open page submits. */
async function answering(ws: Workspace, of: any, decision: string, more: object = {}): Promise<Record<string, string>> {
  return { edition: editionOf(await visit(ws, of)), decision, name: "Ann Lee", email: "ann@globex.com", ...more };
}

test("anybody with the address reads the quote, but not its notes", async () => {
  const acme = await organization();
  const quote = await sent(acme, { title: "New chairs", terms: "Net 30", notes: "They hesitate", discount: 10 });

  const page = await visit(acme, quote);

  assert.equal(page.status, 200);
  for (const text of ["New chairs", quote.number, "Globex", "Seat", "$30.00", "-$3.00", "$27.00", "Net 30", "Accept", "Decline"])
    assert.ok(page.text.includes(text), text);
  assert.ok(!page.text.includes("They hesitate"));
});

test("the table adds up for its reader, to the cent, and the page, the PDF and the API say the same", async () => {
  const acme = await organization();
  const percent = fc.constantFrom(0, 5, 7.5, 19, 33.33);
  const line = fc.record({
    name: fc.constant("Seat"),
    unit_price: fc.integer({ min: 0, max: 100_000 }),
    quantity: fc.integer({ min: 1, max: 10_000 }).map((value) => value / 1000),
    discount: percent,
    tax_percent: percent,
    tax_method: fc.constantFrom("exclusive", "inclusive", "none"),
    billing_period: fc.constantFrom("one_time", "monthly", "annual"),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 6 }), percent, async (line_items, discount) => {
      const quote = await sent(acme, { line_items, discount });
      const page = (await visit(acme, quote)).text;
      const pdf = textOfPdf(Buffer.from(await (await fetch(pdfOf(acme, quote))).arrayBuffer()));

      const rows = [...page.matchAll(/<tr[^>]*>.*?<\/tr>/gs)].map(([row]) =>
        [...row.matchAll(/>([^<>]+)</g)].map(([, cell]) => cell!),
      );
      const sums = new Map(rows.slice(1 + line_items.length).map((cells) => [cells[0]!, cents(cells[1]!)]));
      const amounts = rows.slice(1, 1 + line_items.length).map((cells) => cents(cells.at(-1)!));
      const onTop = [...sums].filter(([label]) => /^Tax [\d.]+%$/.test(label));
      const off = [...sums].filter(([label]) => label.startsWith("Discount"));

      const steps = [...off, ...onTop].map(([, amount]) => amount);
      assert.equal(sums.get("Subtotal"), quote.subtotal);
      assert.equal(sums.get("Subtotal")! + (sums.get("Discounts on items") ?? 0), total(amounts));
      assert.equal(total(off.map(([, amount]) => -amount)), quote.discount_total);
      assert.equal(sums.get("Total"), total([quote.subtotal, ...steps]));
      assert.equal(sums.get("Total"), quote.total);
      assert.equal(quote.total, quote.subtotal - quote.discount_total + total(onTop.map(([, amount]) => amount)));
      assert.deepEqual(
        onTop,
        quote.taxes
          .filter((tax: any) => tax.tax_method === "exclusive" && tax.base !== 0)
          .map((tax: any) => [`Tax ${tax.tax_percent}%`, tax.tax_total]),
      );
      for (const [label, amount] of sums) assert.ok(pdf.includes(`${label} ${dollars(amount)}`), `${label} in ${pdf}`);
    }),
    { numRuns: 15 },
  );
});

test("numbers are printed as people write them", async () => {
  const acme = await organization();
  const taxed = { name: "Seat", unit_price: 100_000, tax_percent: 7.000000000000001, tax_method: "exclusive" };
  const quote = await sent(acme, {
    line_items: [0.1 + 0.2, 1e-9, 12345678.5].map((quantity) => ({ ...taxed, quantity })),
    discount: 0.1 + 0.7,
  });

  const { text } = await visit(acme, quote);

  for (const shown of [">0.3<", ">0.000000001<", ">12345678.5<", ">7%<", "Tax 7%<", "Discount 0.8%<"])
    assert.ok(text.includes(shown), `${shown} in ${text}`);
});

test("a tax on nothing is not printed", async () => {
  const acme = await organization();
  const free = { name: "Trial", unit_price: 0, tax_percent: 5, tax_method: "exclusive" };
  const gift = { name: "Chair", unit_price: 1000, discount: 100, tax_percent: 7, tax_method: "inclusive" };
  const quote = await sent(acme, {
    line_items: [free, gift, { name: "Seat", unit_price: 1000, tax_percent: 19, tax_method: "exclusive" }],
  });

  const page = (await visit(acme, quote)).text;
  const pdf = textOfPdf(Buffer.from(await (await fetch(pdfOf(acme, quote))).arrayBuffer()));

  for (const text of [page, pdf]) assert.deepEqual(text.match(/Tax \d+%/g), ["Tax 19%"]);
  assert.equal(quote.taxes.length, 3);
});

const pdfOf = (ws: Workspace, of: { public_url: string }) => of.public_url.replace("http://localhost", ws.service.url) + "pdf/";
const total = (amounts: readonly number[]) => amounts.reduce((sum, one) => sum + one, 0);
const cents = (text: string) => Number(text.replaceAll(/[$,.]/g, ""));
const dollars = (amount: number) =>
  `${amount < 0 ? "-" : ""}$${(Math.abs(amount) / 100).toLocaleString("en-US", { minimumFractionDigits: 2 })}`;

test("the page runs nothing, shows nothing from elsewhere and tells nobody its address", async () => {
  const acme = await organization();
  const evil = `"><script>alert(1)</script><img src=x onerror='a'>`;
  const quote = await sent(acme, {
    title: evil,
    header: evil,
    terms: evil,
    lead_id: (await acme.lead({ name: evil })).id,
    line_items: [{ ...seat, name: evil, description: evil }],
  });

  const page = await visit(acme, quote);
  const refused = await visit(acme, quote, { edition: editionOf(page), decision: evil, name: evil, email: evil });

  for (const one of [page, refused]) {
    assert.ok(!/<script|<img/i.test(one.text));
    assert.match(
      one.headers.get("content-security-policy")!,
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/,
    );
    assert.equal(one.headers.get("referrer-policy"), "no-referrer");
    assert.match(one.headers.get("cache-control")!, /no-store/);
    assert.match(one.headers.get("x-robots-tag")!, /noindex/);
    assert.equal(one.headers.getSetCookie().length, 0);
  }
});

test("accepting it writes down who did, tells the seller and makes the deal worth it", async () => {
  const acme = await organization();
  const deal = await acme.opportunity();
  const quote = await sent(acme, { opportunity_id: deal.id });

  const answer = await visit(acme, quote, await answering(acme, quote, "accept"));

  assert.equal(answer.status, 303);
  assert.ok(quote.public_url.endsWith(answer.headers.get("location")));
  const after = await acme.get(path(quote));
  assert.deepEqual([after.status, after.accepted_by_name, after.accepted_by_email], ["accepted", "Ann Lee", "ann@globex.com"]);
  assert.ok(after.date_accepted);
  assert.equal((await acme.get(`/opportunity/${deal.id}/`)).value, 3000);
  const [event] = (await acme.events(quote.id)).filter((one) => one.event === "quote.accepted");
  assert.ok(!JSON.stringify(event.meta).includes(quote.public_url.split("/q/")[1]));
  const [notice] = (await acme.get("/notification/")).data;
  assert.deepEqual([notice.type, notice.object_id, notice.actor_id], ["quote_accepted", quote.id, null]);
  assert.match(notice.title, /Ann Lee/);
  const page = await visit(acme, quote);
  assert.match(page.text, /Accepted by Ann Lee on /);
  assert.ok(!page.text.includes("<form"));
});

test("whoever accepts it writes a name and nothing else above the seller's: no lines, and no letters in another order", async () => {
  const acme = await organization();
  const lines = "Ann Lee\r\n\r\nThe seller owes\u2028a refund\u202e of $9,999.00";
  const names = new Map([
    [lines, "Ann Lee The seller owes a refund of $9,999.00"],
    ["\u202eevil", "evil"],
    ["דנה לוי 7", "\u2068דנה לוי 7\u2069"],
  ]);

  for (const [name, shown] of names) {
    const quote = await sent(acme);
    assert.equal((await visit(acme, quote, await answering(acme, quote, "accept", { name }))).status, 303);

    const { accepted_by_name } = await acme.get(path(quote));
    const { text } = await visit(acme, quote);
    const pdf = textOfPdf(Buffer.from(await (await fetch(pdfOf(acme, quote))).arrayBuffer()));
    assert.equal(accepted_by_name, shown.replaceAll(/[\u2068\u2069]/g, ""));
    assert.ok(text.includes(`>Accepted by ${shown} on `), text);
    assert.match(pdf, /Accepted by .*on [A-Z][a-z]+ \d+, \d{4}\n/);
  }
});

test("only a form answers it: a body of another kind is refused, whatever it says", async () => {
  const acme = await organization();
  const quote = await sent(acme);
  const address = quote.public_url.replace("http://localhost", acme.service.url);
  const bodies = [
    ["application/json", '{"decision":"accept","name":12}'],
    ["application/json", '{"decision":null}'],
    ["text/plain", "decision=accept"],
  ];

  for (const [type, body] of bodies) {
    const answer = await fetch(address, { method: "POST", headers: { "content-type": type! }, body });
    assert.equal(answer.status, 400, body);
  }
  assert.equal((await acme.get(path(quote))).status, "open");
});

test("declining it is told to who made it where there is no deal", async () => {
  const acme = await organization();
  const quote = await sent(acme);

  await visit(acme, quote, await answering(acme, quote, "decline", { email: "" }));

  assert.equal((await acme.get(path(quote))).status, "declined");
  assert.ok((await acme.events(quote.id)).some((one) => one.event === "quote.declined"));
  assert.deepEqual((await acme.get("/notification/")).data[0].data, { status: "declined" });
});

test("it is answered once: again does nothing, otherwise is refused", async () => {
  const acme = await organization();
  const quote = await sent(acme);
  const form = await answering(acme, quote, "accept");

  const both = await Promise.all([visit(acme, quote, form), visit(acme, quote, { ...form, name: "Bob" })]);
  const other = await visit(acme, quote, { ...form, decision: "decline" });

  assert.deepEqual(
    both.map((one) => one.status),
    [303, 303],
  );
  assert.equal(other.status, 409);
  assert.match(other.text, /Accepted by (Ann Lee|Bob) on /);
  assert.equal((await acme.events(quote.id)).filter((one) => one.event === "quote.accepted").length, 1);
  assert.equal((await acme.get("/notification/")).data.length, 1);
});

test("an answer without a name, a decision or a valid address shows the form again, with its values", async () => {
  const acme = await organization();
  const quote = await sent(acme);
  const form = await answering(acme, quote, "accept");
  const wrong = [
    [{ name: "  " }, "write your name"],
    [{ name: " \u200b\u200e\u3164" }, "write your name"],
    [{ name: "\u2800" }, "write your name"],
    [{ name: "." }, "write your name"],
    [{ name: "– \u0301 ✓" }, "write your name"],
    [{ name: "x".repeat(201) }, "characters or fewer"],
    [{ email: "nowhere" }, "not an e-mail address"],
    [{ decision: "later" }, "accept or decline"],
    [{ decision: "constructor" }, "accept or decline"],
  ] as const;

  for (const [change, reason] of wrong) {
    const page = await visit(acme, quote, { ...form, ...change });
    assert.equal(page.status, 400);
    assert.ok(page.text.includes(reason), reason);
  }
  const page = await visit(acme, quote, { ...form, email: "nowhere" });

  assert.ok(page.text.includes('value="Ann Lee"'));
  assert.equal((await acme.get(path(quote))).status, "open");
});

test("who read it before it was changed is asked to read it again", async () => {
  const acme = await organization();
  const quote = await sent(acme);
  const form = await answering(acme, quote, "accept");
  await acme.put(path(quote), { status: "draft", discount: 0, line_items: [{ ...seat, unit_price: 9000 }] });
  const revised = await visit(acme, quote);
  await acme.put(path(quote), { status: "open" });

  const answer = await visit(acme, quote, form);

  assert.deepEqual([revised.status, answer.status], [410, 409]);
  assert.ok(!revised.text.includes("Seat"));
  assert.ok(answer.text.includes("changed after you opened it") && answer.text.includes("$270.00"));
  assert.equal((await acme.get(path(quote))).status, "open");
});

test("what has expired or was withdrawn says so and cannot be accepted", async () => {
  const acme = await organization();
  const { clock } = acme.service;
  const [late, canceled] = [await sent(acme), await sent(acme)];
  const [lateForm, canceledForm] = [await answering(acme, late, "accept"), await answering(acme, canceled, "accept")];
  await acme.put(path(canceled), { status: "canceled" });

  clock.now = new Date(Date.now() + 40 * 86_400_000);
  const expired = [await visit(acme, late), await visit(acme, late, lateForm)];
  clock.now = null;
  const withdrawn = [await visit(acme, canceled), await visit(acme, canceled, canceledForm)];

  assert.deepEqual(
    [...expired, ...withdrawn].map((one) => one.status),
    [200, 409, 410, 410],
  );
  for (const one of expired) assert.match(one.text, /has expired/);
  for (const one of withdrawn) assert.ok(one.text.includes("was withdrawn") && !one.text.includes("Seat"));
  assert.equal((await acme.get(path(late))).status, "expired");
});

test("no other address leads to a quote", async () => {
  const acme = await organization();
  const quote = await sent(acme);
  const [token] = quote.public_url.split("/q/")[1].split("/");
  const at = (other: string) => visit(acme, { public_url: `http://localhost/q/${other}/` });

  for (const other of [token.slice(1), `${token}x`, token.replace(/./, (letter: string) => (letter === "a" ? "b" : "a")), "x"]) {
    const page = await at(other);
    assert.equal(page.status, 404);
    assert.ok(!page.text.includes("Seat"));
  }
  assert.equal((await visit(acme, quote, undefined, "pdf/")).headers.get("content-type"), "application/pdf");
  assert.equal((await fetch(quote.public_url.replace("http://localhost", acme.service.url), { method: "DELETE" })).status, 405);
});

test("a sent quote has its PDF as a file of the lead that nobody deletes, and a new one when it is sent again", async () => {
  const acme = await organization();
  const quote = await sent(acme, { title: "東京 chairs" });
  const file = await acme.get(`/file/${quote.file_id}/`);

  const back = await acme.put(path(quote), { status: "draft" });
  const again = await acme.put(path(quote), { status: "open", title: "Other chairs" });
  const refused = await acme.ask("PUT", path(await acme.post("/quote/", { lead_id: quote.lead_id })), {
    body: { status: "open" },
  });

  assert.deepEqual([file.name, file.mime, file.type, file.subtype], ["Q-000001.pdf", "application/pdf", "pdf", "quote"]);
  assert.deepEqual([file.lead_id, file.is_system], [quote.lead_id, true]);
  await acme.refused(400, "DELETE", `/file/${file.id}/`);
  assert.equal(back.file_id, null);
  assert.ok(again.file_id !== null && again.file_id !== file.id);
  assert.equal(refused.status, 400);
  assert.equal((await acme.get(`/file/?lead_id=${quote.lead_id}`)).data.length, 2);
});

test("sending with an Idempotency-Key sends once", async () => {
  const acme = await organization();
  const quote = await acme.post("/quote/", { lead_id: (await acme.lead()).id, line_items: [seat] });
  const send = () => acme.ask("PUT", path(quote), { body: { status: "open" }, headers: { "idempotency-key": "send-1" } });

  const [first, second] = [await send(), await send()];

  assert.deepEqual(second.body, first.body);
  assert.equal(second.headers.get("idempotency-replayed"), "true");
  assert.equal((await acme.events(quote.id)).filter((one) => one.action === "sent").length, 1);
});

for (const what of ["is deleted", "moves to another organization"] as const)
  test(`a signed quote and what was sent are there as they were when the lead ${what}, for those who see the quote`, async () => {
    const acme = await organization();
    const there = await acme.another();
    const seller = await acme.memberWith([]);
    const stranger = await acme.memberWith([]);
    const lead = await acme.lead({ name: "Globex", owner_id: seller.userId });
    const quote = await sent(seller, { lead_id: lead.id });
    await visit(acme, quote, await answering(acme, quote, "accept"));
    await withWorker(acme.service, (worker) => worker.drained());
    const { signed_file_id } = await acme.get(path(quote));
    const other = await acme.post("/file/", { lead_id: lead.id, name: "other.txt", content_base64: "eA==" });
    const pdf = async () => Buffer.from(await (await fetch(pdfOf(acme, quote))).arrayBuffer());
    const before = await pdf();

    if (what === "is deleted") await acme.delete(`/lead/${lead.id}/`);
    else {
      const { moved, left } = await acme.post(`/lead/${lead.id}/move/`, { target_organization_id: there.id });
      assert.deepEqual([moved.files, left.quote, left.file], [1, 1, 2]);
    }

    const after = await acme.get(path(quote));
    assert.deepEqual([after.file_id, after.signed_file_id, after.lead_id], [quote.file_id, signed_file_id, null]);
    assert.deepEqual(await pdf(), before);
    for (const id of [quote.file_id, signed_file_id]) {
      const kept = await acme.get(`/file/${id}/`);
      assert.deepEqual([kept.lead_id, kept.is_system], [null, true]);
      assert.equal((await seller.get(`/file/${id}/`)).id, id);
      await stranger.refused(404, "GET", `/file/${id}/`);
      await acme.refused(400, "DELETE", `/file/${id}/`);
    }
    await acme.refused(404, "GET", `/file/${other.id}/`);
  });

test("the PDF of a canceled quote goes with it when its lead is gone", async () => {
  const acme = await organization();
  const quote = await sent(acme);
  await acme.put(path(quote), { status: "canceled" });
  await acme.delete(`/lead/${quote.lead_id}/`);
  assert.equal((await acme.get(`/file/${quote.file_id}/`)).lead_id, null);

  await acme.delete(path(quote));

  await acme.refused(404, "GET", `/file/${quote.file_id}/`);
});

test("a PDF that is not stored is made once for all who ask for it with the link", async () => {
  const acme = await organization();
  const quote = await sent(acme);
  await acme.service.app.db.unscoped({ text: "update quote set file_id = null where id = $1", values: [quote.id] });

  const asked = Array.from({ length: 12 }, async () => (await fetch(pdfOf(acme, quote))).arrayBuffer());
  const [first, ...more] = (await Promise.all(asked)).map((one) => Buffer.from(one));

  assert.match(textOfPdf(first!), /Globex/);
  for (const one of more) assert.deepEqual(one, first);
});

test("a quote stays where it was numbered when its lead moves to another organization", async () => {
  const acme = await organization();
  const there = await acme.another();
  const quote = await sent(acme);

  await acme.post(`/lead/${quote.lead_id}/move/`, { target_organization_id: there.id });

  const after = await acme.get(path(quote));
  assert.deepEqual([after.lead_id, after.lead_name, after.status], [null, "Globex", "open"]);
  assert.equal((await visit(acme, quote)).status, 200);
  assert.equal((await visit(acme, quote, undefined, "pdf/")).status, 200);
});
