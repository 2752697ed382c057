// All activities of a lead, whatever their kind. The kinds are separate resources over the rows of one table. This one stands for
// all rows: the stream of activities reads it, and so do deleting and merging the records that activities belong to.
import { invalid } from "../../core/errors.ts";
import type { Field } from "../../core/field.ts";
import { type Resource, resource } from "../../core/resource.ts";
import { type Filter } from "../../core/search.ts";
import { name, raw, sql } from "../../db/sql.ts";
import { checkAmong, readBoolean, readValues } from "../../records/comparisons.ts";
import { isId } from "../../values/id.ts";
import { customActivityType } from "../custom_data/custom_activity_type.ts";
import { visibleAsTyped } from "../custom_data/typed_values.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { act, idFilter, stream } from "./act.ts";
import { call } from "./call.ts";
import { channelMessage } from "./channel_message.ts";
import { created } from "./created.ts";
import { customActivity } from "./custom.ts";
import { email } from "./email.ts";
import { emailThread, lineFields } from "./email_thread.ts";
import { leadMerge } from "./lead_merge.ts";
import { meeting } from "./meeting.ts";
import { note } from "./note.ts";
import { sms } from "./sms.ts";
import { leadStatusChange, opportunityStatusChange } from "./status_change.ts";
import { taskCompleted } from "./task_completed.ts";

const kinds: readonly Resource[] = [
  note,
  call,
  channelMessage,
  customActivity,
  email,
  emailThread,
  sms,
  meeting,
  created,
  leadStatusChange,
  opportunityStatusChange,
  taskCompleted,
  leadMerge,
];

export const activity = resource({
  ...stream,
  name: "activity",
  doc: "Something that happened at a lead, or is planned: a note, a call, a message, a meeting, or a change recorded by the service.",
  commentable: true,
  kinds: { column: "_type", of: kinds },
  custom: "activity",
  visible: visibleAsTyped("activity"),
  known: visibleAsLead,
  filters: {
    ...stream.filters,
    custom_activity_type_id: idFilter("custom_activity_type_id"),
    custom_activity_type_id__in: idFilter("custom_activity_type_id"),
    _type: typeFilter(),
    _type__in: typeFilter(),
    thread_emails: threadFilter(),
  },
  fields: { ...act("Note"), ...columnsOfSome(kinds) },
});

/** An e-mail as a line of its thread. Its body is read with the thread. */
export const emailLine: Resource = {
  ...email,
  doc: "An e-mail as a line of its thread.",
  rendered: undefined,
  shown: email.shown.filter(([key]) => (lineFields as readonly string[]).includes(key)),
};

/** The stream with threads, where e-mails are lines of their thread. */
export const threaded: Resource = {
  ...activity,
  rendered: undefined,
  kinds: { column: "_type", of: kinds.map((one) => (one === email ? emailLine : one)) },
};

/** Columns that not every kind has. They may be null here, and only their kinds show and filter them. */
function columnsOfSome(all: readonly Resource[]): Record<string, Field> {
  const columns = all.flatMap((one) => one.columns).filter(([key]) => !all.every((one) => one.fields[key]?.source === "column"));
  return Object.fromEntries(
    columns.map(([key, field]) => [key, { ...field, nullable: true, required: false, default: undefined, hidden: true }]),
  );
}

function typeFilter(): Filter {
  return {
    doc: `Only activities of this type, or of several separated by commas: ${kinds.map((one) => one.only!.value).join(", ")}, or the id of a type of custom activities.`,
    sql(_ctx, value, alias) {
      const [ids, words] = partition(readValues(value), (one) => isId(customActivityType.prefix, one));
      const types = words.map((word) => (word === "Custom" ? "CustomActivity" : word));
      checkAmong(
        types,
        kinds.map((one) => one.only!.value),
      );
      const ofTypes = sql`${name(alias)}._type = any(${types})`;
      return ids.length === 0 ? ofTypes : sql`(${ofTypes} or ${name(alias)}.custom_activity_type_id = any(${ids}))`;
    },
  };
}

const partition = <T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] => [
  all.filter(test),
  all.filter((one) => !test(one)),
];

function threadFilter(): Filter {
  return {
    doc: "By default, an `Email` for each message. `true`: threads too, and e-mails without their bodies. `only`: threads instead of e-mails.",
    sql(_ctx, value, alias) {
      if (value === "only") return sql`${name(alias)}._type <> 'Email'`;
      if (!/^(true|false)$/i.test(value)) throw invalid({ "": "must be true, false or only" });
      return readBoolean(value) ? raw("true") : withoutThreads;
    },
  };
}

/** One `Email` for each message, and no activity that stands for several. */
export const withoutThreads = raw("t._type <> 'EmailThread'");
