// `POST /dialer/{id}/next/`: hands out the next lead that somebody can be called at. The dialer stays locked while it moves on, so of
// two who ask at the same time each gets a lead of their own.
import { z } from "zod";
import { type Ctx, query, write } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { JsonText, operation } from "../../core/operation.ts";
import { from, type Row, scope } from "../../core/resource.ts";
import { and, sql, statement } from "../../db/sql.ts";
import { emit } from "../../records/event.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecords, lockRecord, showRecord, updateRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { call } from "../activities/call.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { isDialable } from "./dialable.ts";
import { dialer } from "./dialer.ts";

type Dialer = Row<typeof dialer>;

const handedOut = z.strictObject({
  done: z.literal(false),
  lead: outputSchema(lead),
  contact: outputSchema(contact).describe("Who is to be called."),
  phone: z.looseObject({ phone: z.string() }).describe("The number to dial."),
  lead_id: z.string(),
  contact_id: z.string(),
  position: z.int().describe("The place of the lead in the dialer, from 1."),
  remaining: z.int().describe("How many leads are behind it."),
});

export const nextLead = operation({
  name: "dialer.next",
  method: "POST",
  path: "/dialer/{id}/next/",
  doc: "Hands out the next lead with somebody who can be called, each lead once; `done: true` when there is none any more.",
  permission: "calling",
  input: {
    id: z.string(),
    outcome: z.string().max(255).nullish().describe("How it went with the lead handed out before; its call gets it too."),
    skip: z.boolean().nullish().describe("The lead handed out before was not called."),
  },
  output: z.union([handedOut, z.strictObject({ done: z.literal(true) })]),
  async run(ctx, { id, outcome, skip }) {
    const before = await lockRecord(ctx, dialer, id);
    if (before.status === "done") return { done: true };
    if (before.status === "paused") throw invalid({ status: "is paused: resume the dialer first" });

    const skipped = await settle(ctx, before, outcome ?? null, skip === true);
    const counts = { n_called: before.n_called - skipped, n_skipped: before.n_skipped + skipped };
    const found = await nextCallable(ctx, before);
    if (found === null) return complete(ctx, before, counts);
    advance(ctx, before, counts, found);
    return shownNext(ctx, before, found);
  },
});

interface Found {
  position: number;
  lead_id: string;
  contact_id: string;
  /** The number as the contact has it, as JSON. */
  phone: string;
}

/** Notes what became of the lead that the caller got before. Answers how many called leads turn out to be skipped ones: 1 or 0. */
async function settle(ctx: Ctx, { id }: Dialer, outcome: string | null, isSkipped: boolean): Promise<number> {
  if (outcome === null && !isSkipped) return 0;
  const own = sql`organization_id = ${ctx.organization_id} and dialer_id = ${id} and user_id = ${ctx.actor.user_id}`;
  const [last] = await query(
    ctx,
    statement(sql`update dialer_lead set outcome = coalesce(${outcome}, outcome), is_skipped = ${isSkipped}
      where ${own} and not is_skipped and position = (select max(position) from dialer_lead where ${own}) returning lead_id`),
  );
  if (last === undefined) return 0;
  if (outcome !== null) await tellCall(ctx, id, last[0]!, outcome);
  return isSkipped ? 1 : 0;
}

/** The call that was made to the lead gets the outcome, by its own rules. */
async function tellCall(ctx: Ctx, dialerId: string, leadId: string, outcome: string): Promise<void> {
  const [made] = await findRecords(
    ctx,
    call,
    [sql`t.lead_id = ${leadId}`, sql`t.dialer_id = ${dialerId}`, sql`t.user_id = ${ctx.actor.user_id}`],
    sql`order by t.date_created desc, t.id desc limit 1`,
  );
  if (made !== undefined) await updateRecord(ctx, call, made.id, { outcome });
}

/** The first lead behind the dialer's place that the caller sees and that has somebody with a number. */
async function nextCallable(ctx: Ctx, { id, position }: Dialer): Promise<Found | null> {
  const [row] = await query(
    ctx,
    statement(sql`select e.position, e.lead_id, person.id, person.phone
      from dialer_lead e
      join ${from(lead, "t")} on t.id = e.lead_id
      cross join lateral (
        select c.id, p.item::text as phone
        from contact c cross join lateral jsonb_array_elements(c.phones) with ordinality p(item, n)
        where c.organization_id = ${ctx.organization_id} and c.lead_id = t.id and (e.contact_ids is null or c.id = any(e.contact_ids))
          and ${isDialable}
        order by c.date_created, c.id, p.n limit 1) person
      where e.organization_id = ${ctx.organization_id} and e.dialer_id = ${id} and e.position > ${position} and ${and(scope(ctx, lead))}
      order by e.position limit 1`),
  );
  if (row === undefined) return null;
  const [at, lead_id, contact_id, phone] = row as string[];
  return { position: Number(at), lead_id: lead_id!, contact_id: contact_id!, phone: phone! };
}

type Counts = Pick<Dialer, "n_called" | "n_skipped">;

function advance(ctx: Ctx, before: Dialer, { n_called, n_skipped }: Counts, { position, lead_id }: Found): void {
  store.update(ctx, dialer, before, {
    position,
    n_called: n_called + 1,
    n_skipped: n_skipped + position - before.position - 1,
    current_lead_id: lead_id,
    last_lead_id: before.current_lead_id,
    user_ids: [...new Set([...before.user_ids, ctx.actor.user_id])],
  });
  write(
    ctx,
    statement(sql`update dialer_lead set user_id = ${ctx.actor.user_id}
      where organization_id = ${ctx.organization_id} and dialer_id = ${before.id} and position = ${position}`),
  );
}

function complete(ctx: Ctx, before: Dialer, { n_called, n_skipped }: Counts): { done: true } {
  const after = store.update(ctx, dialer, before, {
    status: "done",
    position: before.n_leads,
    n_called,
    n_skipped: n_skipped + before.n_leads - before.position,
    current_lead_id: null,
    last_lead_id: before.current_lead_id ?? before.last_lead_id,
  });
  emit(ctx, dialer, { action: "completed", after });
  return { done: true };
}

async function shownNext(ctx: Ctx, { n_leads }: Dialer, { position, lead_id, contact_id, phone }: Found): Promise<JsonText> {
  const [company, person] = await Promise.all([showRecord(ctx, lead, lead_id), showRecord(ctx, contact, contact_id)]);
  return new JsonText(
    `{"done":false,"lead":${company.text},"contact":${person.text},"phone":${phone},"lead_id":"${lead_id}","contact_id":"${contact_id}","position":${position},"remaining":${n_leads - position}}`,
  );
}
