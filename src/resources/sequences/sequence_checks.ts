// What a sequence names must exist: templates, mailboxes, outcomes of calls, calendars; and its queries and words can be read.
import type { Ctx } from "../../core/context.ts";
import { below, type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import type { Patch, Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { problemOfTemplate } from "../../services/liquid.ts";
import { mailboxOf } from "../accounts/senders.ts";
import { withFiles } from "../activities/attachments.ts";
import { dispositions } from "../activities/call.ts";
import { outcomesOf } from "../activities/outcomes.ts";
import { holidayCalendars } from "../organization/holidays.ts";
import { canBeAssigned } from "../tasks/assignee.ts";
import { phoneNumber } from "../telephony/phone_number.ts";
import { emailTemplate } from "../templates/email_template.ts";
import { problemOfPlaceholders } from "../templates/placeholders.ts";
import { smsTemplate } from "../templates/sms_template.ts";
import { checkQuery } from "./matches.ts";
import type { sequence } from "./sequence.ts";
import { ownerOfLead, type Step, wordingsOf } from "./steps.ts";

type Sequence = Row<typeof sequence>;

/**
 * Templates must exist and be visible to the caller. Those that the sequence already had may stay. They are locked, so that
 * nobody deletes them at the same time.
 */
export async function checkTemplates(ctx: Ctx, steps: readonly Step[], before: readonly Step[]): Promise<void> {
  const errors: FieldErrors = {};
  for (const [field, of] of [
    ["email_template_id", emailTemplate],
    ["sms_template_id", smsTemplate],
  ] as const) {
    const kept = new Set(before.flatMap((step) => namedBy(step, field).map(({ id }) => id)));
    const named = steps.flatMap((step, i) => namedBy(step, field).map(({ id, at }) => ({ id, at: `steps.${i}.${at}` })));
    const fresh = named.filter(({ id }) => !kept.has(id));
    const found = await existing(ctx, of, [...new Set(fresh.map(({ id }) => id))]);
    for (const { id, at } of fresh) {
      const one = found.get(id);
      const problem = one === undefined ? "does not exist" : problemWithin(ctx, one);
      if (problem !== null) errors[at] = problem;
    }
  }
  refuse(errors);
}

function namedBy(step: Step, field: "email_template_id" | "sms_template_id"): { id: string; at: string }[] {
  const own = step[field];
  const those = own === null ? [] : [{ id: own, at: field }];
  if (field === "sms_template_id") return those;
  const others = (step.variants ?? []).map(({ email_template_id: id }, i) => ({ id, at: `variants.${i}.${field}` }));
  return [...those, ...others.filter((one): one is { id: string; at: string } => one.id !== null)];
}

async function existing(ctx: Ctx, of: Resource, ids: readonly string[]): Promise<Map<string, Row<Resource>>> {
  if (ids.length === 0) return new Map();
  const rows = await findRecords(ctx, of, [sql`t.id = any(${ids})`], sql`order by t.id for key share of t`);
  return new Map(rows.map((row) => [row.id as string, row]));
}

/** A tag of a template that names nothing would be empty at everybody. */
function problemWithin({ directory }: Ctx, template: Row<Resource>): string | null {
  for (const field of ["subject", "body", "text"]) {
    const problem = problemOfPlaceholders(directory, String(template[field] ?? ""), ownWords);
    if (problem !== null) return `has a ${field} that ${problem}`;
  }
  return null;
}

/** The queries must be such as the search accepts, and tags such as can be read. */
export async function checkQueries(
  ctx: Ctx,
  { trigger_query, goal, steps }: Patch<typeof sequence> & { steps: readonly Step[] },
  before: Sequence | null,
): Promise<void> {
  await checkQuery(ctx, trigger_query, before?.trigger_query ?? null, "trigger_query");
  await checkQuery(ctx, goal, before?.goal ?? null, "goal");
  const kept = new Map(before?.steps.map((step) => [step.id, step]));
  const checkTags = tagsCheck(ctx, before?.steps ?? []);
  for (const [i, step] of steps.entries()) {
    await checkQuery(ctx, step.condition, kept.get(step.id)?.condition ?? null, `steps.${i}.condition`);
    const assignee = step.assigned_to;
    if (
      assignee &&
      assignee !== ownerOfLead &&
      assignee !== kept.get(step.id)?.assigned_to &&
      !canBeAssigned(ctx.directory, assignee)
    )
      throw invalid({ [`steps.${i}.assigned_to`]: "is not an active member or a group, nor owner" });
    checkTags(step.text, `steps.${i}.text`);
    for (const { subject, body } of wordingsOf(step)) {
      checkTags(subject, `steps.${i}.subject`);
      checkTags(body, `steps.${i}.body`);
    }
  }
}

/** What a step fills in for its contact besides the placeholders of every message. */
const ownWords = ["vars"];

const wordsOf = (step: Step): (string | null)[] => [
  step.text,
  ...wordingsOf(step).flatMap(({ subject, body }) => [subject, body]),
];

/** Words that the sequence already had may stay, though a field that they name is gone. */
function tagsCheck({ directory }: Ctx, before: readonly Step[]) {
  const kept = new Set(before.flatMap(wordsOf));
  return (source: string | null, place: string): void => {
    if (source === null || kept.has(source)) return;
    const problem = problemOfTemplate(source) ?? problemOfPlaceholders(directory, source, ownWords);
    if (problem !== null) throw invalid({ [place]: problem });
  };
}

/** The outcomes must be of calls. Those that the sequence already had may stay. */
export function checkOutcomes(ctx: Ctx, steps: readonly Step[], before: readonly Step[]): void {
  const known = new Set([...dispositions, ...outcomesOf(ctx, "call_outcomes").map(({ id }) => id)]);
  for (const one of before) for (const key of Object.keys(one.outcome_map ?? {})) known.add(key);
  for (const [i, { outcome_map }] of steps.entries())
    for (const key of Object.keys(outcome_map ?? {}))
      if (!known.has(key))
        throw invalid({
          [`steps.${i}.outcome_map.${key}`]: "is neither the id of an outcome in settings.call_outcomes nor a disposition",
        });
}

/** The files of its steps are there, and the numbers can send texts. Those that the sequence already had may stay. */
export async function withFound(ctx: Ctx, steps: readonly Step[], before: readonly Step[]): Promise<Step[]> {
  const kept = new Map(before.map((step) => [step.id, step]));
  const numbers = new Set(before.map(({ from_phone_number_id }) => from_phone_number_id));
  const found: Step[] = [];
  for (const [i, step] of steps.entries()) {
    const { attachments, from_phone_number_id: id } = step;
    const number = id == null ? undefined : ctx.directory.get(phoneNumber, id);
    if (id != null && !numbers.has(id) && (number?.sms_enabled !== true || number.status === "released"))
      throw invalid({ [`steps.${i}.from_phone_number_id`]: "is not a number of yours that sends texts" });
    const had = kept.get(step.id)?.attachments;
    found.push(
      attachments === undefined
        ? step
        : { ...step, attachments: await below(`steps.${i}.attachments`, () => withFiles(attachments, ctx, had)) },
    );
  }
  return found;
}

export function checkHolidays(ctx: Ctx, given: Sequence["schedule"] | undefined, before: Sequence["schedule"]): void {
  const id = given?.skip_holidays ?? null;
  if (id === null || id === before?.skip_holidays || holidayCalendars(ctx).some((one) => one.id === id)) return;
  throw invalid({ "schedule.skip_holidays": "is not the id of a calendar in settings.holiday_calendars" });
}

/** Whoever writes the sequence may send from its mailboxes. */
export async function checkMailboxes(ctx: Ctx, sender: Sequence["sender"] | undefined): Promise<void> {
  if (!sender) return;
  if (sender.mode !== "owner" && sender.account_ids.length === 0)
    throw invalid({ "sender.account_ids": `are required for ${sender.mode}` });
  for (const [i, id] of sender.account_ids.entries()) await mailboxOf(ctx, ctx.actor.user_id, id, `sender.account_ids.${i}`);
}
