// `POST /port/close/`: ends a running port. With numbers instead of an id, it requests a port of those numbers.

import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecord, findRecords, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { parseCountry } from "../../values/country.ts";
import { parseEmail } from "../../values/email.ts";
import { newId } from "../../values/id.ts";
import { parsePhone } from "../../values/phone.ts";
import { addDays, parseDate } from "../../values/time.ts";
import { sealFor } from "../shared/sealed.ts";
import { dialable } from "./dialable.ts";
import { phoneNumber } from "./phone_number.ts";
import { billingAddress, port } from "./port.ts";
import { portJobs } from "./port_jobs.ts";
import { askedOf } from "./port_papers.ts";
import { isOpen, openFor } from "./port_states.ts";
import { moveNumbers } from "./ported_numbers.ts";

const short = z.string().max(255, { error: "must be 255 characters or fewer" }).nullish();
const blankAsNull = (text: string | null | undefined): string | null => (text?.trim() ? text : null);

const input = {
  port_id: z.string().nullish().describe("The port to end."),
  id: z.string().nullish().describe("The same as `port_id`."),
  reason: z.string().max(1000, { error: "must be 1000 characters or fewer" }).nullish().describe("Why it is ended."),
  phone_numbers: z.array(z.string()).max(100).nullish().describe("In place of an id: the numbers to port."),
  authorized_name: short.describe("Who may decide about the numbers."),
  authorized_email: z
    .string()
    .refine((raw) => parseEmail(raw) !== null, { error: "must be an e-mail address" })
    .nullish()
    .describe("Where the letter of authorization is sent to be signed."),
  customer_name: short.describe("Whose the numbers are, as the carrier has it."),
  customer_type: z
    .enum(["business", "individual"])
    .nullish()
    .describe("Whether the customer is a business or a person; by default a business."),
  account_phone_number: short.describe("The main number of the account with the carrier."),
  account_number: short.describe("The account with the carrier; never shown again."),
  pin: short.describe("What the carrier asks for; never shown again."),
  carrier_name: short.describe("The carrier that loses the numbers."),
  country: z
    .string()
    .refine((raw) => parseCountry(raw) !== null, { error: "must be a country code such as US" })
    .nullish(),
  billing_address: billingAddress.nullish(),
  loa_file_id: short,
  invoice_file_id: short,
  requested_foc_date: z
    .string()
    .refine((raw) => parseDate(raw, { cutTime: true }) !== null, { error: "must be a date such as 2026-01-02" })
    .nullish()
    .describe("The day that is asked for, a week away or more."),
};
type Given = z.output<z.ZodObject<typeof input>>;

export const closePort = operation({
  name: "port.close",
  method: "POST",
  path: "/port/close/",
  doc: "Ends a port that is under way. With `phone_numbers` in place of an id it asks for a port of those.",
  permission: "manage_group_numbers",
  mcp: false,
  otherwise: { 201: "A new port was submitted." },
  input,
  output: outputSchema(port),
  async run(ctx, given) {
    const id = given.port_id ?? given.id;
    if (id) return showWritten(ctx, port, await cancel(ctx, id, blankAsNull(given.reason)));
    if (!given.phone_numbers?.length) throw invalid({ port_id: "is required, or phone_numbers for a new port" });

    const row = await submit(ctx, given);
    ctx.reply.status = 201;
    ctx.reply.headers.location = `/api/v1/port/${row.id}/`;
    return showWritten(ctx, port, row);
  },
});

async function cancel(ctx: Ctx, id: string, reason: string | null): Promise<Row<typeof port>> {
  const [before] = await findRecords(ctx, port, [sql`t.id = ${id}`], sql`for update of t`);
  if (before === undefined) throw invalid({ port_id: "does not exist" });
  if (!isOpen(before)) throw invalid({ port_id: `is ${before.status} already` });
  await moveNumbers(ctx, before.phone_numbers, "porting", "pending");
  wake(ctx, portJobs, [id]);
  return store.update(ctx, port, before, { status: "cancelled", status_details: reason });
}

async function submit(ctx: Ctx, given: Given): Promise<Row<typeof port>> {
  const { port_id: _, id: __, reason: ___, account_number, pin, ...rest } = given;
  await lockOrders(ctx);
  const requested_foc_date = given.requested_foc_date ? parseDate(given.requested_foc_date, { cutTime: true }) : null;
  const phone_numbers = await checkOrder(ctx, given, requested_foc_date);
  await moveNumbers(ctx, phone_numbers, "pending", "porting");

  const id = newId(port.prefix, ctx.now.getTime());
  const seal = (text: string | null | undefined, column: string) => (text ? sealFor(ctx, port, id, column, text) : null);
  const order = {
    ...rest,
    id,
    phone_numbers,
    carrier_name: blankAsNull(rest.carrier_name),
    authorized_email: rest.authorized_email ? parseEmail(rest.authorized_email) : null,
    customer_name: blankAsNull(rest.customer_name),
    account_phone_number: blankAsNull(rest.account_phone_number),
    loa_file_id: blankAsNull(rest.loa_file_id),
    invoice_file_id: blankAsNull(rest.invoice_file_id),
    country: given.country ? parseCountry(given.country) : (parsePhone(phone_numbers[0]!, "US")?.country ?? null),
    requested_foc_date,
    sealed_account_number: seal(account_number, "sealed_account_number"),
    sealed_pin: seal(pin, "sealed_pin"),
    submitted_at: ctx.now.toISOString(),
    user_id: ctx.actor.user_id,
  };
  wake(ctx, portJobs, [id]);
  return store.insert(ctx, port, { ...order, ...(await askedOf(ctx, order)) });
}

// A number is in only one open order. When two orders for it come at once, the second finds the first.
async function lockOrders(ctx: Ctx): Promise<void> {
  const key = `ports ${ctx.organization_id}`;
  await query(ctx, statement(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`));
}

/** Carriers say no to a day that is nearer. */
const daysAhead = 7;

/** The numbers in their stored form, for an order that a carrier can process. */
async function checkOrder(ctx: Ctx, given: Given, day: string | null): Promise<string[]> {
  const problems: FieldErrors = {};
  const earliest = addDays(ctx.now.toISOString().slice(0, 10), daysAhead);
  if (day !== null && day < earliest)
    problems.requested_foc_date = `must be ${earliest} or later: carriers need ${daysAhead} days`;
  const numbers = given.phone_numbers!.map((raw) => dialable(raw, ctx)?.phone ?? "");
  const open = await openFor(ctx, numbers);
  numbers.forEach((number, i) => {
    if (number === "") problems[`phone_numbers.${i}`] = "is not a phone number";
    else if (open.some((one) => one.phone_numbers.includes(number))) problems[`phone_numbers.${i}`] = "is being ported already";
    else if (isHere(ctx, number)) problems[`phone_numbers.${i}`] = "works here already: there is nothing to port";
  });
  for (const field of ["authorized_name", "account_number"] as const) if (!given[field]?.trim()) problems[field] = "is required";
  for (const field of ["loa_file_id", "invoice_file_id"] as const)
    if (given[field] && !(await fileExists(ctx, given[field]))) problems[field] = "does not exist";
  refuse(problems);
  return [...new Set(numbers)];
}

const isHere = (ctx: Ctx, number: string): boolean =>
  ctx.directory.list(phoneNumber).some((one) => one.number === number && one.type === "internal" && one.status === "active");

async function fileExists(ctx: Ctx, id: string): Promise<boolean> {
  const file = ctx.registry.resource("file");
  return file !== undefined && (await findRecord(ctx, file, id)) !== null;
}
