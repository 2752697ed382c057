// Tells the owner of an API key two weeks before it ends, so that what uses it gets another one in time.
import { sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { store } from "../../records/store.ts";
import { notify } from "../notifications/notify.ts";
import { apiKey } from "./api_key.ts";

const warnedDays = 14;
const dayMs = 24 * 3_600_000;

/** What ends sooner from the start was meant to. */
export const endsSoon = (expires_at: string, now: Date): boolean => Date.parse(expires_at) - now.getTime() <= warnedDays * dayMs;

export const endingKeys: Due<typeof apiKey> = {
  of: apiKey,
  when: (now) => sql`t.told_at is null and t.expires_at <= ${new Date(now.getTime() + warnedDays * dayMs)}::timestamptz`,
  since: sql`t.expires_at`,
  act(ctx, rows) {
    for (const one of rows) {
      store.update(ctx, apiKey, one, { told_at: ctx.now.toISOString() });
      const expires_at = one.expires_at!;
      if (expires_at <= ctx.now.toISOString()) continue;
      notify(ctx, [one.user_id], {
        type: "account_error",
        title: `The API key ${one.name} (…${one.key_preview}) ends on ${expires_at.slice(0, 10)}`,
        body: "What uses it will be refused from then on. Make another key, and put it in its place before that.",
        object_type: "api_key",
        object_id: one.id,
        actor_id: null,
      });
    }
  },
};
