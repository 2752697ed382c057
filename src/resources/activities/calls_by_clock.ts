// A call that nobody made has failed, because its caller is away. A call whose end was never reported counts as over.
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { call } from "./call.ts";
import { callGoesOn, failCall } from "./call_verbs.ts";

const waitsMs = 3_600_000;

export const forgottenCalls: Due<typeof call> = {
  of: call,
  when: (now) => sql`t.status = 'created' and t.date_created <= ${new Date(now.getTime() - waitsMs)}::timestamptz`,
  since: raw("t.date_created"),
  async act(ctx, rows) {
    for (const one of rows) await failCall(ctx, one);
  },
};

/** No provider lets a call last longer. */
const longestMs = 24 * 3_600_000;

export const endlessCalls: Due<typeof call> = {
  of: call,
  when: (now) =>
    sql`t.status = 'in-progress' and t.provider_id is not null and t.date_answered <= ${new Date(now.getTime() - longestMs)}::timestamptz`,
  since: raw("t.date_answered"),
  async act(ctx, rows) {
    const error_message = "The telephony provider never said when it ended";
    for (const one of rows) await callGoesOn(ctx, one, "completed", { error_message });
  },
};
