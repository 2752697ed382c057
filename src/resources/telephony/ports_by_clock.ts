// A port without an answer from the carrier does not wait forever: it shows that, and somebody asks again or ends it.
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { store } from "../../records/store.ts";
import { port } from "./port.ts";

const days = 30;
const unanswered = {
  code: "no_answer",
  message: `No carrier has answered for ${days} days: end this port and ask for another, or ask the carrier.`,
};

export const unansweredPorts: Due<typeof port> = {
  of: port,
  when: (now) => sql`t.status = 'submitted' and t.submitted_at <= ${new Date(now.getTime() - days * 86_400_000)}::timestamptz`,
  since: raw("t.submitted_at"),
  act(ctx, rows) {
    for (const one of rows)
      store.update(ctx, port, one, {
        status: "exception",
        status_details: unanswered.message,
        exceptions: [...one.exceptions, unanswered],
      });
  },
};
