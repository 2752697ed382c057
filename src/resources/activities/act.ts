// What every activity has, whatever its kind, and the functions that declare a kind of activity.
import { z } from "zod";
import { computed, label, ref, text, timestamp } from "../../core/field.ts";
import type { Filter } from "../../core/search.ts";
import { name, sql } from "../../db/sql.ts";
import { readValues } from "../../records/comparisons.ts";
import { expandGroups } from "../../records/groups.ts";
import { searched } from "../../search/searched.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { dateCreated } from "../shared/history.ts";
import { authorNames } from "../shared/names.ts";
import { attachments } from "./attachments.ts";

export type ActivityType =
  | "Note"
  | "Call"
  | "ChannelMessage"
  | "CustomActivity"
  | "Email"
  | "EmailThread"
  | "SMS"
  | "Meeting"
  | "Created"
  | "LeadStatusChange"
  | "OpportunityStatusChange"
  | "TaskCompleted"
  | "LeadMerge";

/**
 * The bare name takes several ids too, or a group for its members. A single id is compared as it is, because an index has its
 * rows in the order of the list.
 */
export const idFilter = (field: string): Filter => ({
  doc: `Only records whose \`${field}\` is this, or one of these separated by commas.`,
  sql(ctx, value, alias) {
    const column = sql`${name(alias)}.${name(field)}`;
    const ids = expandGroups(ctx, readValues(value));
    return ids.length === 1 ? sql`${column} = ${ids[0]}` : sql`${column} = any(${ids}::text[])`;
  },
});

/** What all kinds, and the stream of all activities, have in common. */
export const stream = {
  prefix: "acti",
  table: "activity",
  rendered: 1,
  visible: visibleAsLead,
  owned: { by: "user_id", own: "delete_own_activities", others: "manage_others_activities" },
  indexed: ["lead_id", "contact_id", "opportunity_id", "conversation_id", "user_id"],
  search: searched(),
  sort: { activity_at: true },
  filters: {
    lead_id: idFilter("lead_id"),
    contact_id: idFilter("contact_id"),
    opportunity_id: idFilter("opportunity_id"),
    conversation_id: idFilter("conversation_id"),
    user_id: idFilter("user_id"),
  },
} as const;

/**
 * References that stay in the organization when a lead leaves it: the runs, sequences and subscriptions that made its activities.
 */
export const leftBehind = { automation_run_id: null, sequence_id: null, sequence_subscription_id: null };

const called: Readonly<Record<ActivityType, readonly [one: string, many: string]>> = {
  Note: ["note", "notes"],
  Call: ["call", "calls"],
  ChannelMessage: ["channel message", "channel messages"],
  CustomActivity: ["custom activity", "custom activities"],
  Email: ["e-mail", "e-mails"],
  EmailThread: ["e-mail thread", "e-mail threads"],
  SMS: ["text message", "text messages"],
  Meeting: ["meeting", "meetings"],
  Created: ["creation of a lead", "creations of leads"],
  LeadStatusChange: ["change of a lead's status", "changes of the statuses of leads"],
  OpportunityStatusChange: ["change of an opportunity's status", "changes of the statuses of opportunities"],
  TaskCompleted: ["completion of a task", "completions of tasks"],
  LeadMerge: ["merge of leads", "merges of leads"],
};

/** `kind("EmailThread", "email_thread", "emailthread")`: the rows of one `_type`, under their own path. */
export const kind = (type: ActivityType, word: string, path = word) =>
  ({
    ...stream,
    name: `activity_${word}`,
    called: called[type],
    path: `/activity/${path}`,
    event: `activity.${word}`,
    only: { column: "_type", value: type },
    moved: (): Record<string, unknown> => leftBehind,
  }) as const;

/** The fields that every kind starts with. */
export const act = (type: ActivityType) => ({
  _type: { ...text({ required: true, readOnly: true, doc: "The kind of activity." }), output: z.literal(type) },
  lead_id: ref(
    "lead",
    { onDelete: "cascade", onMove: "follow" },
    {
      filled: true,
      createOnly: true,
      doc: "The lead; where none is given it is that of the contact, or of whoever has the address or number.",
    },
  ),
  contact_id: ref("contact", { onDelete: "clear", onMove: "follow" }, { doc: "The contact of the lead." }),
  opportunity_id: ref("opportunity", { onDelete: "clear", onMove: "follow" }, { doc: "The deal it is about." }),
  conversation_id: ref(
    "conversation",
    { onDelete: "cascade", onMove: "follow" },
    { createOnly: true, doc: "The conversation of this message. It also determines the lead and the contact." },
  ),
  user_id: ref(
    "user",
    { onDelete: "keep", onMove: "match" },
    { doc: "The user who did it; by default the caller. Only an admin may set another user." },
  ),
  user_name: label("user_id", "user", "name"),
  users: computed(["user_id"], z.array(z.string()), (user_id: string | null) => (user_id === null ? [] : [user_id]), usersDoc),
  activity_at: timestamp({ filled: true, doc: "When it happened." }),
  attachments: attachments(),
  automation_run_id: text({ readOnly: true, doc: "The automation run that made it." }),
  sequence_id: text({ readOnly: true, doc: "The sequence that made it." }),
  sequence_name: label("sequence_id", "sequence", "name"),
  sequence_subscription_id: text({ readOnly: true }),
  date_created: dateCreated,
  ...authorNames,
});

/** The maximum length of a note, a description or a message. */
export const textMax = 100_000;

export const usersDoc = "All members who took part.";
