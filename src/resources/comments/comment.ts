// A comment on a record of any kind.
import { z } from "zod";
import { computed, namingPast, ref, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { dateCreated } from "../shared/history.ts";
import { authorNames } from "../shared/names.ts";
import { visibleAsSubject } from "./visibility.ts";

export const comment = resource({
  name: "comment",
  prefix: "comm",
  doc: "A comment on a record. Deleting it removes its text and keeps its place in the thread.",
  // A deleted comment has had its event already, so it is removed silently with its thread.
  event: (row: { removed_at?: string | null }) => (row.removed_at ? null : "comment"),
  about: "object_id",
  visible: visibleAsSubject,
  owned: { by: "created_by", own: "delete_own_activities", others: "manage_others_activities" },
  order: "date_created",
  fields: {
    // It is deleted with its record, which may outlive the lead, as quotes and projects do.
    lead_id: ref("lead", { onDelete: "clear", onMove: "follow" }, { readOnly: true, doc: "The lead of that record." }),
    object_id: text({ filled: true, createOnly: true, max: 64, doc: "The record it is about; this or `thread_id` is required." }),
    object_type: text({ filled: true, readOnly: true, doc: "What kind of record that is, as events name it: `activity.note`." }),
    thread_id: ref(
      "comment_thread",
      { onDelete: "cascade", onMove: "follow" },
      { filled: true, createOnly: true, doc: "Its thread; by default the record's thread." },
    ),
    body: text({ max: 100_000, doc: "Rich text, with mentions; null once it was removed." }),
    mentions: texts({
      readOnly: true,
      default: [] as string[],
      names: namingPast("user", "group"),
      doc: "The mentioned users and groups.",
    }),
    removed_at: timestamp({ readOnly: true, doc: "When it was removed." }),
    removed_by: ref("user", { onDelete: "keep", onMove: "keep" }, { readOnly: true, doc: "Who removed it." }),
    date_created: dateCreated,
    ...oldNames(),
    ...authorNames,
  },
});

/** The former names of the dates: `created_at` and `updated_at`. */
export function oldNames() {
  const same = (key: string) => computed([key], z.iso.datetime(), (moment: string) => moment, `The same as \`${key}\`.`);
  return { created_at: same("date_created"), updated_at: same("date_updated") };
}
