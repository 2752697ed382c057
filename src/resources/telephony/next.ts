// `POST /dialer/{id}/next/`: returns the next lead that can be called. The dialer is locked while it moves on, so two concurrent
// requests get different leads.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { JsonText, operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { emit } from "../../records/event.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { findRecords, lockRecord, showRecord, updateRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { call } from "../activities/call.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { dialer } from "./dialer.ts";
import {
  type Counts,
  connectedTo,
  countOpen,
  type Entry,
  endDialed,
  endLeases,
  entryAt,
  entryId,
  type Found,
  findNext,
  lastOf,
  lease,
  liveOf,
  nextTurn,
  positionOf,
  settle,
} from "./dialer_entries.ts";
import { dialerJobs } from "./dialer_jobs.ts";
import { isReady, noteWay } from "./dialing_ahead.ts";
import { onlineAmong } from "./presence.ts";
import { finishStep, withDueCalls } from "./sequence_calls.ts";

type Dialer = Row<typeof dialer>;

const handedOut = z.strictObject({
  done: z.literal(false),
  entry_id: z.string().describe("Names this lead of the dialer, for the next request."),
  lead: outputSchema(lead),
  contact: outputSchema(contact).describe("The contact to call."),
  phone: z.looseObject({ phone: z.string() }).describe("The number to dial."),
  lead_id: z.string(),
  contact_id: z.string(),
  call_id: z
    .string()
    .nullable()
    .describe("The call by which the caller is connected, in a predictive dialer. Null where the caller calls."),
  position: z.int().describe("The position of the lead in the dialer, from 1."),
  remaining: z.int().describe("The number of leads that are still to be returned."),
});

const allWait = z.strictObject({
  done: z.literal(false),
  wait_until: z.iso
    .datetime()
    .describe(
      "When to ask again. It is too early or too late where the leads are, or another member has the last lead, or people are called ahead and nobody has answered yet.",
    ),
});

export const nextLead = operation({
  name: "dialer.next",
  method: "POST",
  path: "/dialer/{id}/next/",
  doc: "Returns the next lead with a contact who can be called, each lead once. It is the caller's for ten minutes, and until it was called, skipped or named by `entry_id` the caller gets it again; if it was not called by then, somebody else may get it. `done: true` when none is left.",
  permission: "calling",
  input: {
    id: z.string(),
    entry_id: z
      .string()
      .max(64, { error: "is not an entry of this dialer" })
      .nullish()
      .describe("The previous lead, by its `entry_id`. The same request again returns the same lead."),
    outcome: z
      .string()
      .max(255)
      .nullish()
      .describe(
        "The outcome for the previous lead, in any words; the name of one of `settings.call_outcomes` selects that. Its call gets it too.",
      ),
    skip: z.boolean().nullish().describe("The previous lead was not called."),
  },
  output: z.union([handedOut, allWait, z.strictObject({ done: z.literal(true) })]),
  async run(ctx, { id, ...said }) {
    const found = await lockRecord(ctx, dialer, id);
    if (found.status === "done") return { done: true };
    if (found.status === "paused") throw invalid({ status: "is paused: resume the dialer first" });
    const before = await withDueCalls(ctx, found);

    const previous = await previousOf(ctx, before, said.entry_id ?? null);
    const last = said.entry_id ? await lastOf(ctx, before) : null;
    const live = saysNothing(said) ? await liveOf(ctx, before) : null;
    if (before.type === "predictive") {
      const ahead = await waitForCall(ctx, before, { previous, live }, said);
      if (ahead !== null) return ahead;
    }
    // The request was repeated: its answer may have been lost.
    if (live !== null) return shownNext(ctx, before, live);
    if (last?.state === "leased" && last.position !== previous?.position) return shownNext(ctx, before, last);

    const counts = await note(ctx, before, previous, said);
    const { next, n_skipped } = await findNext(ctx, before);
    counts.n_skipped += n_skipped;
    if (next === null) return complete(ctx, before, counts);
    if (next instanceof Date) return waits(ctx, before, counts, next);
    return handOut(ctx, before, counts, next);
  },
});

/** Where people are called ahead, a member who is online waits to be connected. Null where the caller calls by themselves. */
async function waitForCall(
  ctx: Ctx,
  before: Dialer,
  { previous, live }: { previous: Entry | null; live: Entry | null },
  said: Said,
) {
  const of = await noteWay(ctx, before);
  const connected = await connectedTo(ctx, of);
  const theirs = connected ?? live;
  if (theirs !== null) return shownNext(ctx, of, theirs);
  if (of.effective_type === "power" || (await onlineAmong(ctx, [ctx.actor.user_id])).length === 0) return null;

  const counts = await note(ctx, of, previous, said);
  const next = await nextTurn(ctx, of);
  if (next === null) return complete(ctx, of, counts);
  isReady(ctx, of);
  wake(ctx, dialerJobs, [of.id]);
  return waits(ctx, of, counts, next);
}

const saysNothing = ({ entry_id, outcome, skip }: Said): boolean => !entry_id && (outcome ?? null) === null && skip !== true;

interface Said {
  entry_id?: string | null;
  outcome?: string | null;
  skip?: boolean | null;
}

/** The lead that the caller got before. */
async function previousOf(ctx: Ctx, of: Dialer, entry_id: string | null): Promise<Entry | null> {
  if (entry_id === null) return lastOf(ctx, of);
  const named = await entryAt(ctx, of, positionOf(of, entry_id));
  if (named?.user_id !== ctx.actor.user_id) throw invalid({ entry_id: "is not a lead that this dialer returned to you" });
  return named;
}

/** Stores the result for the previous lead. */
async function note(ctx: Ctx, of: Dialer, previous: Entry | null, { outcome = null, skip }: Said): Promise<Counts> {
  const counts = { n_called: of.n_called, n_skipped: of.n_skipped };
  if (previous !== null && previous.state !== "pending" && previous.state !== "skipped") {
    const skipped = skip === true ? 1 : 0;
    settle(ctx, of, previous, skipped ? "skipped" : "called", outcome);
    const wasCounted = previous.state === "called" ? 1 : 0;
    counts.n_called += 1 - skipped - wasCounted;
    counts.n_skipped += skipped;
    if (!skipped && of.source_type === "sequence-calls")
      await finishStep(ctx, { dialer_id: of.id, contact_id: previous.contact_id }, null);
    if (outcome !== null) await tellCall(ctx, of.id, previous.lead_id, outcome);
  }
  counts.n_called += (await endLeases(ctx, of)) + (await endDialed(ctx, of));
  return counts;
}

/** The call to the lead gets the outcome, by its own rules. */
async function tellCall(ctx: Ctx, dialerId: string, leadId: string, outcome: string): Promise<void> {
  const [made] = await findRecords(
    ctx,
    call,
    [sql`t.lead_id = ${leadId}`, sql`t.dialer_id = ${dialerId}`, sql`t.user_id = ${ctx.actor.user_id}`],
    sql`order by t.date_created desc, t.id desc limit 1`,
  );
  if (made !== undefined) await updateRecord(ctx, call, made.id, { outcome });
}

function handOut(ctx: Ctx, before: Dialer, { n_called, n_skipped }: Counts, next: Found): Promise<JsonText> {
  lease(ctx, before, next);
  const after = store.update(ctx, dialer, before, {
    position: Math.max(before.position, next.position),
    n_called,
    n_skipped,
    current_lead_id: next.lead_id,
    last_lead_id: before.current_lead_id,
    user_ids: [...new Set([...before.user_ids, ctx.actor.user_id])],
  });
  return shownNext(ctx, after, next);
}

async function remaining(ctx: Ctx, of: Dialer): Promise<number> {
  return of.n_leads - of.n_called - of.n_skipped - (await countOpen(ctx, of));
}

function waits(ctx: Ctx, before: Dialer, counts: Counts, until: Date): { done: false; wait_until: string } {
  const user_ids = [...new Set([...before.user_ids, ctx.actor.user_id])];
  store.update(ctx, dialer, before, { ...counts, user_ids });
  return { done: false, wait_until: until.toISOString() };
}

function complete(ctx: Ctx, before: Dialer, counts: Counts): { done: true } {
  const after = store.update(ctx, dialer, before, {
    ...counts,
    status: "done",
    position: before.n_leads,
    current_lead_id: null,
    last_lead_id: before.current_lead_id ?? before.last_lead_id,
  });
  emit(ctx, dialer, { action: "completed", after });
  return { done: true };
}

async function shownNext(ctx: Ctx, of: Dialer, next: Found & { call_id?: string | null }): Promise<JsonText> {
  const { position, lead_id, contact_id, phone, call_id = null } = next;
  const [company, person, left] = await Promise.all([
    showRecord(ctx, lead, lead_id),
    showRecord(ctx, contact, contact_id),
    remaining(ctx, of),
  ]);
  return new JsonText(
    `{"done":false,"entry_id":"${entryId(of, next)}","lead":${company.text},"contact":${person.text},"phone":${JSON.stringify(phone)},"lead_id":"${lead_id}","contact_id":"${contact_id}","call_id":${JSON.stringify(call_id)},"position":${position},"remaining":${left}}`,
  );
}
