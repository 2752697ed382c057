import assert from "node:assert/strict";
import { test } from "node:test";
import { organization } from "../../../test/support/given.ts";
import { updateRecord } from "../../records/records.ts";
import { phoneNumber } from "./phone_number.ts";

const order = { phone_numbers: ["(212) 555-1234"], authorized_name: "Ada Admin", account_number: "12345" };

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

test("numbers instead of an id request a port of those, and the account data is never shown again", async () => {
  const acme = await organization();

  const answer = await acme.ask("POST", "/port/close/", {
    body: { ...order, pin: "9876", carrier_name: "Ring Co", requested_foc_date: inDays(30), billing_address: { city: "Bonn" } },
  });

  assert.equal(answer.status, 201, answer.text);
  const { body } = answer;
  assert.equal(answer.headers.get("location"), `/api/v1/port/${body.id}/`);
  assert.deepEqual(body.phone_numbers, ["+12125551234"]);
  assert.deepEqual([body.status, body.country, body.carrier_name], ["submitted", "US", "Ring Co"]);
  assert.ok(body.submitted_at);
  assert.deepEqual(await acme.get(`/port/${body.id}/`), body);
  assert.ok(!answer.text.includes("9876") && !answer.text.includes("12345"));
  assert.ok(!JSON.stringify(await acme.events(body.id)).includes("9876"));
});

test("a port that is under way is ended once, under either name of its id", async () => {
  const acme = await organization();
  const [a, b] = [
    await acme.post("/port/close/", order),
    await acme.post("/port/close/", { ...order, phone_numbers: ["+442079460000"] }),
  ];

  const ended = await acme.post("/port/close/", { port_id: a.id, reason: "Staying after all" });
  await acme.post("/port/close/", { id: b.id });

  assert.deepEqual([ended.status, ended.status_details], ["cancelled", "Staying after all"]);
  await acme.refused(400, "POST", "/port/close/", { port_id: a.id }, "port_id");
  await acme.refused(400, "POST", "/port/close/", { port_id: "port_nobody" }, "port_id");
  await acme.refused(400, "POST", "/port/close/", {}, "port_id");
  assert.deepEqual(
    (await acme.events(a.id)).map((one) => one.event),
    ["port.created", "port.updated"],
  );
});

test("a number that works here already has nothing to port", async () => {
  const acme = await organization();
  const { id } = await acme.post("/phone_number/", { number: "+12125551234" });
  const port = await acme.post("/port/close/", order);
  await acme.post("/port/close/", { port_id: port.id });
  await acme.inside((ctx) => updateRecord(ctx, phoneNumber, id, { status: "active" } as object));

  await acme.refused(400, "POST", "/port/close/", order, "phone_numbers.0");
});

test("an order that no carrier could do anything with is refused, place by place", async () => {
  const acme = await organization();
  await acme.post("/port/close/", order);

  await acme.refused(400, "POST", "/port/close/", { phone_numbers: ["+442079460000"] }, "account_number");
  await acme.refused(400, "POST", "/port/close/", { ...order, phone_numbers: ["+442079460000", "x"] }, "phone_numbers.1");
  await acme.refused(400, "POST", "/port/close/", order, "phone_numbers.0");
  await acme.refused(
    400,
    "POST",
    "/port/close/",
    { ...order, phone_numbers: ["+442079460000"], loa_file_id: "x" },
    "loa_file_id",
  );
});

test("a day on which no carrier gives a number away is refused, also while the papers are missing", async () => {
  const acme = await organization();

  for (const requested_foc_date of ["2020-01-01", inDays(0), inDays(5)])
    await acme.refused(400, "POST", "/port/close/", { ...order, requested_foc_date }, "requested_foc_date");

  assert.deepEqual((await acme.get("/port/")).data, []);
});

test("a number that several order at once is ordered once", async () => {
  const acme = await organization();

  const answers = await Promise.all([1, 2, 3, 4].map(() => acme.ask("POST", "/port/close/", { body: order })));

  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400, 400]);
});

test("words that say nothing are not kept", async () => {
  const acme = await organization();

  const made = await acme.post("/port/close/", { ...order, carrier_name: " ", loa_file_id: "", pin: "" });
  const ended = await acme.post("/port/close/", { port_id: made.id, reason: "" });

  assert.deepEqual([made.carrier_name, made.loa_file_id, ended.status_details], [null, null, null]);
});

test("an order carries the files that prove it, and says which of them are missing", async () => {
  const acme = await organization();
  const letter = await acme.post("/file/", { name: "letter.txt", content_base64: Buffer.from("Yes").toString("base64") });

  const [bare, signed, whole] = [
    await acme.post("/port/close/", order),
    await acme.post("/port/close/", { ...order, phone_numbers: ["+442079460000"], loa_file_id: letter.id }),
    await acme.post("/port/close/", {
      ...order,
      phone_numbers: ["+442079460001"],
      loa_file_id: letter.id,
      invoice_file_id: letter.id,
    }),
  ];
  const codes = [bare, signed, whole].map(({ exceptions }) => exceptions.map(({ code }: any) => code));

  assert.deepEqual([signed.loa_file_id, whole.invoice_file_id], [letter.id, letter.id]);
  assert.deepEqual(codes, [["loa_missing", "invoice_missing"], ["invoice_missing"], []]);
  assert.match(bare.status_details, /letter of authorization .* and a recent invoice .* ask again with them$/);
  assert.deepEqual([bare.status, whole.status], ["submitted", "submitted"]);
  assert.match(whole.status_details, /^Nobody is asked for it: no telephony provider is connected/);
});

test("ports are found by their state and by a number in them", async () => {
  const acme = await organization();
  const [a, b] = [
    await acme.post("/port/close/", order),
    await acme.post("/port/close/", { ...order, phone_numbers: ["+442079460000"] }),
  ];
  await acme.post("/port/close/", { port_id: a.id });
  const found = async (query: string) => (await acme.get(`/port/?${query}`)).data.map((one: any) => one.id);

  assert.deepEqual(await found("status__in=submitted,ported"), [b.id]);
  assert.deepEqual(await found("phone_number=(212) 555-1234"), [a.id]);
});

test("ports take the permission for group numbers; everyone sees how they stand", async () => {
  const acme = await organization();
  const member = await acme.member();
  const { id } = await acme.post("/port/close/", order);

  await member.refused(403, "POST", "/port/close/", { port_id: id });
  assert.equal((await member.get(`/port/${id}/`)).id, id);
});
