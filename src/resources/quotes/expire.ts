// Stores that quotes have expired. Reads show the right status without this; it writes the event `quote.expired`.
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { quote, stateNow } from "./quote.ts";
import { settled } from "./quote_states.ts";

/** Open quotes whose last day is over in the organization's time zone. In the east it is tomorrow already. */
export const expiredQuotes: Due<typeof quote> = {
  of: quote,
  when: (now) => sql`t.status = 'open' and t.expires_at <= ${now.toISOString().slice(0, 10)}::date`,
  since: raw("t.expires_at"),
  isDue: (directory, expires_at, now) => stateNow(directory, "open", expires_at, { now }) !== "open",
  async act(ctx, rows) {
    for (const one of rows) await settled(ctx, one);
  },
};
