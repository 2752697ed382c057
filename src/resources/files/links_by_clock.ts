// Deletes the secrets of expired links to files. They stop working at their expiry anyway; this makes it final.
import { write } from "../../core/context.ts";
import { raw, sql, statement } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { file } from "./file.ts";

export const endedLinks: Due<typeof file> = {
  of: file,
  when: (now) => sql`t.share_hash is not null and t.share_expires_at <= ${now}::timestamptz`,
  since: raw("t.share_expires_at"),
  /** Readers have not seen the link since its expiry, so there is no event. */
  act(ctx, rows) {
    write(
      ctx,
      statement(sql`update file set share_hash = null, share_token = null
        where organization_id = ${ctx.organization_id} and id = any(${rows.map((row) => row.id)})`),
    );
  },
};
