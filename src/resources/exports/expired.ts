// Files of exports are kept for some days.
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { store } from "../../records/store.ts";
import { exportResource } from "./export.ts";

/** The database has the bytes removed once no export names them. */
export const expiredExports: Due<typeof exportResource> = {
  of: exportResource,
  when: (now) => sql`t.expires_at <= ${now}::timestamptz and t.storage_key is not null`,
  since: raw("t.expires_at"),
  act(ctx, rows) {
    for (const row of rows) store.update(ctx, exportResource, row, { storage_key: null }, undefined, null);
  },
};
