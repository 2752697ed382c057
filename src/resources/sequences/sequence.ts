// A sequence: e-mails, calls and tasks in order. Each subscribed contact goes through them one by one.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { boolean, choice, computed, formed, input, integer, json, related, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { andVisible, visibleAsLead } from "../leads/visibility.ts";
import { organizationOf } from "../organization/organization.ts";
import { authorNames } from "../shared/names.ts";
import { isSequenceZone, schedule } from "./schedule.ts";
import { statsOf, stepStats } from "./step_stats.ts";
import { duration, givenSteps, type Step, shownSteps, tracking } from "./steps.ts";
import { outOfOffice, stopRules } from "./stop_rules.ts";

export const subscriptionStates = ["active", "paused", "finished", "goal", "error"] as const;

const count = z.int().min(1).max(1_000_000);
const throttle = z.strictObject({
  max_per_sender_per_day: count.optional(),
  max_per_sequence_per_day: count.optional(),
  max_per_recipient_domain_per_day: count.optional(),
  min_gap_seconds: z.int().min(0).max(86_400).optional(),
  jitter_seconds: z.int().min(0).max(86_400).optional(),
});

const senders = z.strictObject({
  mode: z.enum(["fixed", "owner", "rotate"]),
  account_ids: z.array(z.string().max(64)).max(50).default([]),
});

export const sequence = resource({
  name: "sequence",
  prefix: "seq",
  doc: "A sequence of e-mails, text messages, calls and tasks that subscribed contacts go through.",
  visible: sharedOrOwn,
  sort: { name: true },
  acts: {
    while: ({ status }) => status === "active",
    states: ["status"],
    without: ["name", "description", "is_shared", "allow_manual_enrollment"],
  },
  fields: {
    name: text({ required: true }),
    description: text({ max: 10_000 }),
    status: choice(["active", "paused", "draft", "archived"], {
      filled: true,
      doc: "`paused` holds everyone where they are; a `draft` takes nobody. An `archived` one is over: nobody is in it, it takes nobody, and it keeps its figures. `active` by default when there are steps.",
    }),
    timezone: formed(
      (raw) => (isSequenceZone(raw) ? raw : null),
      "must be recipient, sender or a time zone such as Europe/Berlin",
      {
        default: (ctx: Ctx): string => organizationOf(ctx.directory).timezone,
        doc: "The time zone of the schedule, or `recipient` or `sender` for the zone of that person; by default the organization's.",
      },
    ),
    schedule: json(schedule.extend({ skip_holidays: z.string().max(64).nullable().optional() }), {
      doc: "The hours of the week in which steps run, as `{ranges: [{weekday, start, end}], skip_holidays}`. Monday is 1. No step runs on the days of the calendar that `skip_holidays` names, one of `settings.holiday_calendars`. Null for any time.",
    }),
    throttle: json(throttle, {
      doc: "Limits of how much is sent, and the gaps between messages; null for no limits. `max_per_sender_per_day` counts all automatic mail of the mailbox, also of other sequences.",
    }),
    trigger_query: json(z.looseObject({}), {
      doc: "A query for leads or contacts. Contacts that begin to match it are subscribed.",
    }),
    steps: json(givenSteps as unknown as z.ZodType<Step[]>, {
      default: [] as Step[],
      output: shownSteps,
      doc: "The steps, in order. `delay` is from the previous step, in seconds or as `{amount, unit}`. A new list replaces the present one; steps are matched by their ids. `assigned_to` of a call or task is a member, a group, or `owner` for whoever owns the lead then.",
    }),
    steps_version: integer({ readOnly: true, default: 1, doc: "The number of changes of the steps." }),
    subscription_counts_by_status: related(
      z.object(Object.fromEntries(subscriptionStates.map((status) => [status, z.int()]))),
      countsOf,
      "How many subscriptions there are in each state.",
    ),
    allow_manual_enrollment: boolean({ default: true, doc: "Whether members can subscribe contacts by hand." }),
    stop_on_reply: boolean({ default: true, doc: "Whether a contact's reply ends their subscription." }),
    thread_mode: choice(["new_thread", "reply_in_thread"], {
      default: "new_thread",
      filled: true,
      doc: "Whether its e-mails answer the one before them (`reply_in_thread`), where a step does not say so itself by `threading`.",
    }),
    reply_scope: choice(["any", "thread"], {
      default: "any",
      filled: true,
      doc: "Which mail of a contact counts as a reply: any, or only what answers the sequence's own mail (`thread`).",
    }),
    stop_on_meeting: boolean({ default: true, doc: "Whether a meeting with a contact ends their subscription." }),
    stop_rules: json(stopRules, {
      doc: "What else ends a subscription: `reply_sms`, `call_answered`, `opportunity_won` and `lead_status_ids`, and what a reply by another contact of the lead does (`none`, `pause` or `stop`). Null for all of them, with `pause`.",
    }),
    out_of_office: json(outOfOffice, {
      doc: "What an automatic reply does: `pause_until_return`, after `default_days` where no date is named, or `ignore`.",
    }),
    sender: json(senders, {
      doc: "The mailbox of subscriptions that name none: the first of `account_ids` (`fixed`), the one of them with the fewest live subscriptions (`rotate`), or that of the lead's owner (`owner`). Whoever subscribes a contact must be allowed to send from it.",
    }),
    tracking: json(tracking, {
      doc: "Whether opens and clicks of its e-mails are recorded; what is not said is as `settings.email_tracking` of the organization has it. A step may have its own `tracking`.",
    }),
    other_address: boolean({
      default: false,
      doc: "Whether it goes on with another address of the contact when mail to the present one bounces for good, or it is taken off the contact.",
    }),
    resubscribe_after: json(duration, {
      nullable: true,
      default: { amount: 90, unit: "days" } as z.output<typeof duration> | null,
      doc: "How long after its end a contact, or an address, is not taken again, in seconds or as `{amount, unit}`, unless `force` is sent. Null for not at all.",
    }),
    goal: json(z.looseObject({}), {
      doc: "A query for leads or contacts: who matches it when a step is due has reached the goal.",
    }),
    apply_edits: input(z.enum(["future_steps", "new_only"]), {
      doc: "With new `steps`: whether subscriptions go on with them (`future_steps`), or keep to the former ones (`new_only`).",
    }),
    stats: related(stepStats, statsOf, "What became of each step, by variant. The rates are of what was delivered."),
    is_shared: boolean({ default: true, doc: "False hides it from everyone but its author and admins." }),
    email_template_ids: texts({ default: [] as string[], hidden: true, derive: namedIn("email_template_id") }),
    sms_template_ids: texts({ default: [] as string[], hidden: true, derive: namedIn("sms_template_id") }),
    created_by_id: computed(["created_by"], z.string().nullable(), (id: string | null) => id, "The same as `created_by`."),
    updated_by_id: computed(["updated_by"], z.string().nullable(), (id: string | null) => id, "The same as `updated_by`."),
    ...authorNames,
  },
});

function sharedOrOwn(ctx: Ctx, alias: string): Sql | null {
  if (may(ctx, "manage_organization")) return null;
  return sql`(${name(alias)}.is_shared or ${name(alias)}.created_by = ${ctx.actor.user_id})`;
}

/** As JSON, over the alias of a sequence. */
export function countsOf(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  const counts = subscriptionStates.map((status) => sql`${status}::text, count(*) filter (where s.status = ${status})`);
  return sql`(select json_build_object(${counts.reduce((left, right) => sql`${left}, ${right}`)})
    from sequence_subscription s
    where s.organization_id = ${ctx.organization_id} and s.sequence_id = ${t}.id ${andVisible(visibleAsLead(ctx, "s"))})`;
}

function namedIn(field: "email_template_id" | "sms_template_id") {
  return (row: { steps: Step[] }): string[] =>
    [...new Set(row.steps.flatMap((step) => [step[field], ...ofVariants(step, field)]).filter((id) => id != null))].sort();
}

const ofVariants = ({ variants }: Step, field: "email_template_id" | "sms_template_id"): (string | null)[] =>
  field === "sms_template_id" ? [] : (variants ?? []).map((one) => one.email_template_id);
