// How much a record was commented on, as the record itself shows it.
import { z } from "zod";
import { type Related, related } from "../../core/field.ts";
import { name, sql } from "../../db/sql.ts";

/** Of several threads, which a merge may leave, the first is named. */
export const commentSummary = (): Related =>
  related(
    z.strictObject({ comment_count: z.int(), thread_id: z.string() }).nullable(),
    (t) => sql`(select json_build_object('comment_count', sum(c.num_comments), 'thread_id', min(c.id)) from comment_thread c
      where c.organization_id = ${name(t)}.organization_id and c.object_id = ${name(t)}.id having count(*) > 0)`,
    "How many comments it has, and their thread; null without any.",
  );
