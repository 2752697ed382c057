// The comments about one record.
import { integer, ref, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import type { Filter } from "../../core/search.ts";
import { name, sql } from "../../db/sql.ts";
import { readValues } from "../../records/comparisons.ts";
import { oldNames } from "./comment.ts";
import { visibleAsSubject } from "./visibility.ts";

export const commentThread = resource({
  name: "comment_thread",
  prefix: "comthr",
  doc: "Comments about one record, in the order of their creation. It is deleted with its last comment.",
  about: "object_id",
  visible: visibleAsSubject,
  filters: { ids: oneOf("id"), object_ids: oneOf("object_id") },
  expand: { comments: { resource: "comment", via: "thread_id", many: true, unasked: true } },
  fields: {
    // It is deleted with its record, which may outlive the lead, as quotes and projects do.
    lead_id: ref("lead", { onDelete: "clear", onMove: "follow" }, { readOnly: true, doc: "The lead of that record." }),
    object_id: text({ filled: true, readOnly: true, doc: "The record it is about." }),
    object_type: text({ filled: true, readOnly: true, doc: "What kind of record that is, as events name it." }),
    num_comments: integer({ filled: true, readOnly: true, doc: "How many comments it has, without removed ones." }),
    participating: texts({ readOnly: true, default: [] as string[], doc: "The users who have written a comment." }),
    ...oldNames(),
  },
});

function oneOf(field: string): Filter {
  return {
    doc: `Only threads whose \`${field}\` is one of these, separated by commas.`,
    sql: (_ctx, value, alias) => sql`${name(alias)}.${name(field)} = any(${readValues(value)}::text[])`,
  };
}
