// A conversation: related messages with a person of a lead.

import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import {
  boolean,
  choice,
  computed,
  input,
  integer,
  json,
  label,
  lookedUp,
  type Moment,
  naming,
  ref,
  text,
  texts,
  timestamp,
} from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { type Filter } from "../../core/search.ts";
import { and, name, or, raw, type Sql, sql } from "../../db/sql.ts";
import { checkAmong, readBoolean, readValues } from "../../records/comparisons.ts";
import { searched } from "../../search/searched.ts";
import { byName } from "../../values/names.ts";
import { folderId } from "../inbox/inbox_folder.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { tagFilter } from "../shared/filters.ts";
import { dateCreated } from "../shared/history.ts";
import { authorNames } from "../shared/names.ts";
import { takingPart } from "../shared/taking_part.ts";
import { assigneeName, isAssignedToCaller } from "../tasks/assignee.ts";
import { messageBody } from "./message_body.ts";

export const conversationStates = ["open", "snoozed", "closed"] as const;
export type ConversationState = (typeof conversationStates)[number];

export const conversationChannels = ["email", "sms", "call", "chat", "whatsapp", "linkedin", "note", "mixed"] as const;

/** A participant. Unknown values are null. */
export interface Participant {
  contact_id: string | null;
  user_id: string | null;
  email: string | null;
  phone: string | null;
  name: string | null;
}

const shownText = z.string().nullable();
const participant = z.object({
  contact_id: shownText,
  user_id: shownText,
  email: shownText,
  phone: shownText,
  name: shownText,
});

export const conversation = resource({
  name: "conversation",
  prefix: "conv",
  doc: "A conversation with a person of a lead, over any channel. Its messages are activities.",
  commentable: true,
  visible: livingAsLead,
  known: visibleAsLead,
  owned: {
    by: (ctx, row) =>
      row.created_by === ctx.actor.user_id || (row.assigned_to !== null && isAssignedToCaller(ctx, row.assigned_to)),
    own: "delete_own_activities",
    others: "manage_others_activities",
  },
  order: "-last_message_at",
  alsoShown: ["messages"],
  sort: { last_message_at: true },
  search: searched({
    words: (row: { subject: string | null; last_message_preview: string | null }) => [
      { text: row.subject },
      { text: row.last_message_preview },
    ],
  }),
  filters: {
    status: statusFilter("Only conversations with this status."),
    status__in: statusFilter("Only conversations with one of these statuses, separated by commas."),
    tag: tagFilter("conversation"),
    include_deleted: {
      doc: "`true` lists deleted conversations too; `query` finds only those that are not.",
      // The list decides which rows to read: see `list_conversations.ts`.
      sql(_ctx, value) {
        readBoolean(value);
        return raw("true");
      },
    },
  },
  expand: {
    lead: { resource: "lead", via: "lead_id", many: false },
    contact: { resource: "contact", via: "contact_id", many: false },
  },
  fields: {
    lead_id: ref(
      "lead",
      { onDelete: "cascade", onMove: "follow" },
      { filled: true, createOnly: true, doc: "The lead; where none is given, that of the contact." },
    ),
    lead_name: label("lead_id", "lead", "display_name"),
    contact_id: ref(
      "contact",
      { onDelete: "clear", onMove: "follow" },
      { doc: "The person at the lead: whom messages go to, where nothing else is said." },
    ),
    contact_name: label("contact_id", "contact", "display_name"),
    subject: text(),
    channel: choice(conversationChannels, { default: "email" }),
    status: choice(conversationStates, {
      default: "open",
      doc: "An incoming message reopens it, and so does the end of `snoozed_until`.",
      shown: lookedUp(
        ["status", "snoozed_until"],
        z.enum(conversationStates),
        (_directory, status: ConversationState, snoozed_until: string | null, moment: Moment) =>
          stateAt(moment.now, { status, snoozed_until }),
        "`snoozed` until the time `snoozed_until`.",
      ),
    }),
    assigned_to: text({ max: 64, names: naming("user", "group"), doc: "The member or group who should answer." }),
    assigned_to_name: lookedUp(["assigned_to"], shownText, assigneeName, "The name of that member or group."),
    snoozed_until: timestamp({
      doc: "Required for the status `snoozed`: when it reopens.",
      shown: lookedUp(
        ["status", "snoozed_until"],
        z.iso.datetime().nullable(),
        (_directory, status: ConversationState, snoozed_until: string | null, moment: Moment) =>
          stateAt(moment.now, { status, snoozed_until }) === "snoozed" ? snoozed_until : null,
        "When it reopens; null once it has.",
      ),
    }),
    folder_id: folderId("The folder it is filed in; the Inbox, where none is given."),
    folder_name: label("folder_id", "inbox_folder", "name"),
    is_read: boolean({ default: true, doc: "False after an incoming message, until somebody has read it." }),
    priority: choice(["high", "medium", "low"]),
    tags: texts({ default: [] as string[], max: 100, normalize: eachOnce }),
    people: json(z.array(participant), { readOnly: true, hidden: true, default: [] as Participant[], names: takingPart }),
    participants: computed(["people", "contact_id"], z.array(participant), present, "All participants."),
    message: input(z.object(messageBody), { createOnly: true, doc: "The first message." }),
    message_count: integer({ readOnly: true, default: 0 }),
    unread_count: integer({ readOnly: true, default: 0, doc: "The number of messages received since somebody read it." }),
    last_message_at: timestamp({ readOnly: true, doc: "When the newest message was sent, received or written." }),
    last_message_preview: text({ readOnly: true, doc: "How it begins." }),
    last_message_direction: choice(["incoming", "outgoing"], { readOnly: true, doc: "Null for a note." }),
    deleted_at: timestamp({ readOnly: true, doc: "When it was deleted; it can be restored." }),
    deleted_by: text({ readOnly: true, doc: "Who deleted it." }),
    summary: text({ readOnly: true, max: 10_000 }),
    date_created: dateCreated,
    ...authorNames,
  },
});

/** The same with deleted conversations. */
export const anyConversation: typeof conversation = { ...conversation, visible: visibleAsLead };

function livingAsLead(ctx: Ctx, alias: string): Sql {
  const living = sql`${name(alias)}.deleted_at is null`;
  const asLead = visibleAsLead(ctx, alias);
  return asLead === null ? living : and([living, asLead]);
}

/** A snooze ends at its time, whether or not a worker has written that down. */
export const stateAt = (
  now: Date,
  { status, snoozed_until }: { status: ConversationState; snoozed_until: string | null },
): ConversationState =>
  status === "snoozed" && snoozed_until !== null && Date.parse(snoozed_until) <= now.getTime() ? "open" : status;

function statusFilter(doc: string): Filter {
  return {
    doc,
    sql(ctx, value, alias) {
      const t = name(alias);
      const asleep = sql`(${t}.status = 'snoozed' and ${t}.snoozed_until > ${ctx.now.toISOString()})`;
      const conditions: Readonly<Record<string, Sql>> = byName({
        open: sql`(${t}.status <> 'closed' and not ${asleep})`,
        snoozed: asleep,
        closed: sql`${t}.status = 'closed'`,
      });
      const wanted = readValues(value);
      checkAmong(wanted, conversationStates);
      return or(wanted.map((state) => conditions[state]!));
    },
  };
}

function eachOnce(tags: string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ""))];
}

/** A contact who is gone, or belongs to another lead, takes part only by address. */
function present(people: Participant[], contact_id: string | null): Participant[] {
  return people.map((one) => (one.contact_id === contact_id ? one : { ...one, contact_id: null }));
}
