// `POST /dialer/call/`: starts a call, as a record that a telephony provider then carries out.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { createRecord, findRecord, findRecords, showWritten } from "../../records/records.ts";
import { recordWith } from "../../records/single.ts";
import { call } from "../activities/call.ts";
import { callJobs } from "../activities/call_jobs.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import type { Phone } from "../shared/contact_points.ts";
import { whyNotCallTo } from "./callable.ts";
import { dialable } from "./dialable.ts";
import { dialer } from "./dialer.ts";
import { callerFor } from "./local_presence.ts";
import { checkCallerId, usualNumber } from "./own_numbers.ts";
import { phoneNumber } from "./phone_number.ts";

const id = z.string().max(64, { error: "does not exist" }).nullish();
const number = z.string().max(100, { error: "must be 100 characters or fewer" }).nullish();

/** The parameters of a call. */
export const callInput = {
  phone: number.describe("The number to dial; by default the contact's first, or else that of another contact of the lead."),
  contact_id: id.describe("Who is called."),
  lead_id: id.describe("The lead; where none is given it is that of the contact, or of whoever has the number."),
  phone_number_id: id.describe(
    "The number of ours to call from; by default the dialer's, where the caller may use it, else the one usually called from.",
  ),
  from: number.describe("The same by the number itself."),
  dialer_id: id.describe("The dialer that returned the lead."),
};
type Given = z.output<z.ZodObject<typeof callInput>>;

export const dial = operation({
  name: "dialer.call",
  method: "POST",
  path: "/dialer/call/",
  doc: "Starts a call, and returns its record with the status `created`. The telephony provider first rings the caller, in their browser while they are online, or else at their forwarding phone, and connects them once they answer. Without either, the call waits until the caller makes it from a browser.",
  permission: "calling",
  status: 201,
  input: callInput,
  output: (outputSchema(call) as z.ZodObject).extend({ call_id: z.string().describe("The same as `id`.") }),
  async run(ctx, given) {
    const row = await noteCall(ctx, given);
    wake(ctx, callJobs, [row.id]);
    ctx.reply.headers.location = `/api/v1/activity/call/${row.id}/`;
    return recordWith(await showWritten(ctx, call, row), `,"call_id":"${row.id}"`);
  },
});

/** The record of a call that is about to be made. */
export async function noteCall(ctx: Ctx, given: Given): Promise<Row<typeof call>> {
  const by = await dialerOf(ctx, given.dialer_id ?? null);
  const { phone, contact_id, lead_id } = await whomToCall(ctx, given);
  const from = callingFrom(ctx, given, by, phone);

  return createRecord(ctx, call, {
    source: "Internal",
    status: "created",
    direction: "outbound",
    phone,
    ...(contact_id ? { contact_id } : {}),
    ...(lead_id ? { lead_id } : {}),
    local_phone: from?.number ?? null,
    // Fields that callers may only read are set by the service.
    ...({ call_method: by === null ? "regular" : "power", dialer_id: by?.id ?? null } as Create<typeof call>),
  });
}

async function dialerOf(ctx: Ctx, id: string | null): Promise<Row<typeof dialer> | null> {
  const found = id === null ? null : await findRecord(ctx, dialer, id);
  if (id !== null && found === null) throw invalid({ dialer_id: "does not exist" });
  return found;
}

function callingFrom(
  ctx: Ctx,
  { phone_number_id, from }: Given,
  by: Row<typeof dialer> | null,
  phone: string,
): Row<typeof phoneNumber> | null {
  const me = ctx.actor.user_id;
  if (phone_number_id) {
    const named = ctx.directory.get(phoneNumber, phone_number_id);
    if (named === undefined) throw invalid({ phone_number_id: "does not exist" });
    checkCallerId(ctx, named.id, me, "phone_number_id");
    return named;
  }
  if (from) {
    const wanted = dialable(from, ctx)?.phone;
    const named = ctx.directory.list(phoneNumber).find((one) => one.number === wanted || one.id === from);
    if (named === undefined) throw invalid({ from: "is not a number of the organization" });
    checkCallerId(ctx, named.id, me, "from");
    return named;
  }
  // When several members call from a dialer, each uses a number of their own.
  return by === null ? usualNumber(ctx, me) : callerFor(ctx, by, me, phone);
}

interface Target {
  phone: string;
  contact_id: string | null;
  lead_id: string | null;
}

async function whomToCall(ctx: Ctx, { phone, contact_id = null, lead_id = null }: Given): Promise<Target> {
  if (phone) {
    const parsed = dialable(phone, ctx);
    if (parsed === null) throw invalid({ phone: "is not a phone number" });
    const reason = whyNotCallTo(ctx, parsed.phone);
    if (reason !== null) throw invalid({ phone: reason });
    return { phone: parsed.phone, contact_id, lead_id };
  }
  if (contact_id) {
    const person = await findRecord(ctx, contact, contact_id);
    if (person === null) throw invalid({ contact_id: "does not exist" });
    return { phone: firstOf(ctx, person.phones) ?? nobody("the contact"), contact_id, lead_id };
  }
  if (!lead_id) throw invalid({ phone: "is required, or contact_id, or lead_id" });
  return somebodyAt(ctx, lead_id);
}

/** The first contact of the lead with a number, or else the lead's own number. */
async function somebodyAt(ctx: Ctx, lead_id: string): Promise<Target> {
  const company = await findRecord(ctx, lead, lead_id);
  if (company === null) throw invalid({ lead_id: "does not exist" });
  const people = await findRecords(
    ctx,
    contact,
    [sql`t.lead_id = ${lead_id}`, sql`t.phones <> '[]'`],
    sql`order by t.date_created, t.id limit 100`,
  );
  for (const person of people) {
    const phone = firstOf(ctx, person.phones);
    if (phone !== null) return { phone, contact_id: person.id, lead_id };
  }
  return { phone: firstOf(ctx, company.phones) ?? nobody("the lead"), contact_id: null, lead_id };
}

const firstOf = (ctx: Ctx, phones: readonly Phone[]): string | null =>
  phones.find(({ phone, type }) => type !== "fax" && dialable(phone, ctx) !== null && whyNotCallTo(ctx, phone) === null)?.phone ??
  null;

function nobody(whose: string): never {
  throw invalid({ phone: `is required: ${whose} has no number that can be dialed` });
}
