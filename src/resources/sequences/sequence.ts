// A sequence: e-mails, calls and tasks in an order, which contacts go through one by one.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { boolean, choice, computed, formed, integer, json, related, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { isTimeZone } from "../../values/time.ts";
import { andVisible, visibleAsLead } from "../leads/visibility.ts";
import { organizationOf } from "../organization/organization.ts";
import { authorNames } from "../shared/names.ts";
import { schedule } from "./schedule.ts";
import { givenSteps, type Step, shownSteps } from "./steps.ts";

export const subscriptionStates = ["active", "paused", "finished", "goal", "error"] as const;

const count = z.int().min(1).max(1_000_000);
const throttle = z.strictObject({
  max_per_sender_per_day: count.optional(),
  max_per_sequence_per_day: count.optional(),
  max_per_recipient_domain_per_day: count.optional(),
  min_gap_seconds: z.int().min(0).max(86_400).optional(),
  jitter_seconds: z.int().min(0).max(86_400).optional(),
});

export const sequence = resource({
  name: "sequence",
  prefix: "seq",
  doc: "E-mails, calls and tasks that contacts are taken through, one after the other.",
  visible: sharedOrOwn,
  sort: { name: true },
  fields: {
    name: text({ required: true }),
    description: text({ max: 10_000 }),
    status: choice(["active", "paused", "draft"], {
      filled: true,
      doc: "`paused` holds everyone where they are; a `draft` takes nobody. `active` by default when there are steps.",
    }),
    timezone: formed((raw) => (isTimeZone(raw) ? raw : null), "must be a time zone such as Europe/Berlin", {
      default: (ctx: Ctx): string => organizationOf(ctx.directory).timezone,
      doc: "The zone of the schedule; the organization's by default.",
    }),
    schedule: json(schedule, {
      doc: "The hours of the week in which steps are taken, as `{ranges: [{weekday, start, end}]}`, Monday being 1; null for any time.",
    }),
    throttle: json(throttle, { doc: "How much is sent at most, and with what gaps; null for no limits." }),
    trigger_query: json(z.looseObject({}), { doc: "Whom it takes by itself: a query for leads or contacts." }),
    steps: json(givenSteps as unknown as z.ZodType<Step[]>, {
      default: [] as Step[],
      output: shownSteps,
      doc: "What is done, in this order; `delay` is in seconds from the step before. A list that is sent replaces the present one; steps are told by their ids.",
    }),
    steps_version: integer({ readOnly: true, default: 1, doc: "Counts the changes of the steps." }),
    subscription_counts_by_status: related(
      z.object(Object.fromEntries(subscriptionStates.map((status) => [status, z.int()]))),
      countsOf,
      "How many subscriptions there are in each state.",
    ),
    allow_manual_enrollment: boolean({ default: true, doc: "Whether contacts can be subscribed one by one." }),
    stop_on_reply: boolean({ default: true, doc: "Whether a contact's answer ends their subscription." }),
    stop_on_meeting: boolean({ default: true, doc: "Whether a meeting with them does." }),
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
    [...new Set(row.steps.map((step) => step[field]).filter((id) => id !== null))].sort();
}
