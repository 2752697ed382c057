// A task: work for a lead that is assigned to a member or a group.

import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import { invalid } from "../../core/errors.ts";
import type { Moment } from "../../core/field.ts";
import {
  alsoCalled,
  boolean,
  choice,
  computed,
  date,
  input,
  integer,
  json,
  label,
  lookedUp,
  naming,
  ref,
  text,
  timestamp,
} from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { type Filter } from "../../core/search.ts";
import { name, raw, sql } from "../../db/sql.ts";
import { todayOf } from "../../records/clock.ts";
import { checkAmong, compare } from "../../records/comparisons.ts";
import { searched } from "../../search/searched.ts";
import { phoneFormatted } from "../../values/phone.ts";
import { notAmong } from "../../values/reasons.ts";
import { parseDate } from "../../values/time.ts";
import { dateCreated, pastMoment } from "../shared/history.ts";
import { authorNames } from "../shared/names.ts";
import { assigneeName, isAssignedToCaller } from "./assignee.ts";
import { overdueAt } from "./overdue.ts";
import { taskIsVisible } from "./visibility.ts";

/** Types of tasks that people create. */
export const ownTypes = ["lead", "call", "outgoing_call", "email", "sms", "meeting", "todo"] as const;

/** Types of tasks that the service creates. */
export const systemTypes = [
  "incoming_email",
  "incoming_sms",
  "email_followup",
  "missed_call",
  "answered_detached_call",
  "voicemail",
  "opportunity_due",
] as const;

/** The sequences and runs that created it stay in the organization that a lead leaves. */
const leftBehind = { sequence_id: null, sequence_subscription_id: null, approval_run_id: null };

const views = ["inbox", "future", "archive"] as const;

export const task = resource({
  name: "task",
  prefix: "task",
  doc: "Something that a member or a group has to do for a lead, with or without a due day.",
  commentable: true,
  event: (row) => `task.${row._type}`,
  visible: taskIsVisible,
  owned: {
    by: (ctx, row) => row.created_by === ctx.actor.user_id || isAssignedToCaller(ctx, row.assigned_to),
    own: "delete_own_tasks",
    others: "manage_others_tasks",
  },
  order: "date",
  search: searched(),
  sort: { date: true },
  indexed: ["lead_id", "contact_id", "assigned_to"],
  filters: {
    _type: typeFilter(),
    view: viewFilter(),
    ...dueDateFilters(),
  },
  expand: {
    lead: { resource: "lead", via: "lead_id", many: false },
    contact: { resource: "contact", via: "contact_id", many: false },
  },
  // A task needs an assignee: without one, the member who moves it. Sequences stay behind.
  moved: ({ assigned_to }, _here, there) => ({ assigned_to: assigned_to ?? there.actor.user_id, ...leftBehind }),
  fields: {
    _type: choice([...ownTypes, ...systemTypes], {
      createOnly: true,
      default: "lead",
      doc: `One of ${ownTypes.join(", ")}; the other types are made by the service.`,
    }),
    lead_id: ref("lead", { onDelete: "cascade", onMove: "follow" }, { required: true, doc: "The lead it is about." }),
    lead_name: label("lead_id", "lead", "display_name"),
    contact_id: ref("contact", { onDelete: "clear", onMove: "follow" }, { doc: "A contact of that lead." }),
    contact_name: label("contact_id", "contact", "display_name"),
    text: text({ max: 100_000, doc: "The text of the task." }),
    date: date({ doc: "The due date; by default today, null for none." }),
    due_date: input(dueDate(), {
      doc: "The same as `date`.",
      shown: alsoCalled("date", z.iso.date().nullable()),
    }),
    is_dateless: computed(["date"], z.boolean(), (day: string | null) => day === null, "True without a date."),
    is_complete: boolean({ default: false, doc: "True when it is done." }),
    date_completed: timestamp({
      resolve: pastMoment,
      doc: "When it was done. By default a given `date_created`, else now.",
    }),
    completed_by: ref("user", { onDelete: "keep", onMove: "keep" }, { readOnly: true, doc: "Who did it." }),
    resolution: choice(["abandoned", "skipped", "approved", "rejected"], {
      doc: "How it ended, if it was not simply done. A task that asks for an approval is `approved` or `rejected`.",
    }),
    priority: choice(["high", "medium", "low"]),
    assigned_to: text({
      filled: true,
      max: 64,
      names: naming("user", "group"),
      doc: "The assignee: a member or a group; by default the caller.",
    }),
    assigned_to_name: lookedUp(["assigned_to"], z.string().nullable(), assigneeName, "The name of that member or group."),
    object_type: text({
      createOnly: true,
      doc: "With `object_id`: the kind of record the task is about, such as `opportunity`.",
    }),
    object_id: text({ createOnly: true, max: 64, doc: "The record the task is about." }),
    view: lookedUp(
      ["is_complete", "date"],
      z.enum(views),
      viewOf,
      "`archive` when it is done, `future` when it is due after today, or else `inbox`. Today is in the caller's time zone.",
    ),
    sequence_id: text({ readOnly: true, doc: "The sequence whose step it is." }),
    sequence_subscription_id: text({ readOnly: true }),
    approval_run_id: text({
      readOnly: true,
      max: 64,
      doc: "The run of an automation that asks by it for an approval. Only its assignee answers, by `is_complete` with the `resolution` `approved` or `rejected`.",
    }),
    phone: text({ readOnly: true, doc: "For a task about a call: the other side's number." }),
    phone_formatted: computed(["phone"], z.string().nullable(), phoneFormatted),
    local_phone: text({ readOnly: true, doc: "For a task about a call: our number." }),
    recording_url: text({ readOnly: true, max: 2048 }),
    voicemail_url: text({ readOnly: true, max: 2048 }),
    voicemail_duration: integer({ readOnly: true, doc: "In seconds." }),
    subject: text({ readOnly: true, max: 1000, doc: "For a task about an e-mail: its subject." }),
    body_preview: text({ readOnly: true, max: 1000, doc: "The beginning of the message that it is about." }),
    email_id: text({ readOnly: true, doc: "The e-mail it is about." }),
    emails: json(z.array(z.string()), { readOnly: true, doc: "The addresses of that e-mail." }),
    opportunity_id: text({ readOnly: true, doc: "Only for clients that expect it: always empty here." }),
    opportunity_value: integer({ readOnly: true, doc: "Only for clients that expect it: always empty here." }),
    opportunity_value_formatted: text({ readOnly: true, doc: "Only for clients that expect it: always empty here." }),
    opportunity_note: text({ readOnly: true, max: 100_000, doc: "Only for clients that expect it: always empty here." }),
    overdue_at: timestamp({ hidden: true, derive: overdueAt }),
    overdue_told: date({ readOnly: true, hidden: true }),
    date_created: dateCreated,
    ...authorNames,
  },
});

function dueDate() {
  return z
    .string()
    .transform((given, check) => {
      const day = parseDate(given, { cutTime: true });
      if (day === null) check.addIssue({ code: "custom", message: "must be a date such as 2026-01-02" });
      return day;
    })
    .nullable();
}

function viewOf(directory: Directory, isComplete: boolean, day: string | null, moment: Moment): (typeof views)[number] {
  if (isComplete) return "archive";
  return day !== null && day > todayOf(directory, moment) ? "future" : "inbox";
}

function viewFilter(): Filter {
  return {
    doc: "`inbox`: to do, due today or before or without a date. `future`: to do, due after today. `archive`: done. Today is the caller's day: by `x-tz-offset`, else by their time zone, else by the organization's. Filters by `date` narrow it further.",
    sql(ctx, value, alias) {
      const t = name(alias);
      const today = sql`${todayOf(ctx.directory, ctx)}::date`;
      if (value === "inbox") return sql`not ${t}.is_complete and (${t}.date <= ${today} or ${t}.date is null)`;
      if (value === "future") return sql`not ${t}.is_complete and ${t}.date > ${today}`;
      if (value === "archive") return sql`${t}.is_complete`;
      throw invalid({ "": notAmong(value, views) });
    },
  };
}

function typeFilter(): Filter {
  return {
    doc: "Only tasks of this type; `all` for every type.",
    sql(_ctx, value, alias) {
      if (value === "all") return raw("true");
      checkAmong([value], [...ownTypes, ...systemTypes]);
      return sql`${name(alias)}._type = ${value}`;
    },
  };
}

/** `due_date` is another name of `date`, in filters too. */
function dueDateFilters(): Record<string, Filter> {
  const operators = ["eq", "in", "gt", "gte", "lt", "lte", "isnull"] as const;
  return Object.fromEntries(
    operators.map((operator) => [
      operator === "eq" ? "due_date" : `due_date__${operator}`,
      {
        doc: `The same as \`date${operator === "eq" ? "" : `__${operator}`}\`.`,
        sql: (ctx, value, alias) => compare(sql`${name(alias)}.date`, "date", operator, value, ctx),
      } satisfies Filter,
    ]),
  );
}
