// How many comments a record has, as shown on the record itself.
import { z } from "zod";
import { type Related, related } from "../../core/field.ts";
import { name, sql } from "../../db/sql.ts";

export const commentSummary = (): Related =>
  related(
    z.strictObject({ comment_count: z.int(), thread_id: z.string() }).nullable(),
    (t, ctx) => sql`(select json_build_object('comment_count', c.num_comments, 'thread_id', c.id) from comment_thread c
      where c.organization_id = ${ctx.organization_id} and c.object_id = ${name(t)}.id)`,
    "How many comments it has, and their thread; null without any.",
  );
