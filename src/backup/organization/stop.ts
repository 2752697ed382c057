// What the organization was about to do where it came from, it may have done there since, and may still do. So nothing of it goes on by
// itself here: what was under way ends with an error that says so, and what would begin something anew waits for a person. Changes the
// staged rows, before anybody sees them.
import type pg from "pg";
import { staged } from "./staged.ts";

export const moved =
  "Its workspace was put in here from an archive while this was under way: it may have been done where it came from. Begin it again if not";

/** Each of a table that the archive has. `$1` stands for the reason. */
const statements: readonly (readonly [table: string, text: string])[] = [
  [
    "activity",
    `set status = 'error', send_after = null, sending_at = null, turn_at = null,
       error_message = case when _type = 'Email' then error_message else $1 end,
       send_attempts = case when _type <> 'Email' then send_attempts else coalesce(send_attempts, '[]') || jsonb_build_object(
         'date', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'error_class', 'moved', 'error_message', $1) end
     where status in ('outbox', 'scheduled', 'sending')`,
  ],
  [
    "activity",
    "set status = 'failed', error_message = $1 where _type = 'Call' and source = 'Internal' and status in ('created', 'in-progress')",
  ],
  ["sequence", "set status = 'paused' where status = 'active'"],
  [
    "sequence_subscription",
    "set status = 'paused', status_reason = 'workflow-paused', paused_at = now(), next_step_at = null where status = 'active'",
  ],
  ["automation", "set status = 'paused' where status = 'active'"],
  [
    "automation_run",
    `set status = 'failed', status_reason = 'moved', finished_at = now(), wait = null, wait_until = null,
       error = jsonb_build_object('step_id', current_step_id, 'code', 'moved', 'class', 'permanent', 'message', $1)
     where status in ('queued', 'running', 'waiting', 'held')`,
  ],
  [
    "automation_step_run",
    `set status = 'failed', finished_at = now(), wait_until = null, error = jsonb_build_object('code', 'moved', 'class', 'permanent', 'message', $1)
     where status in ('pending', 'running', 'waiting')`,
  ],
  ["automation_wait", "where true"],
  [
    "bulk_action",
    "set status = 'error', error = $1, date_completed = now() where status in ('created', 'loading', 'processing', 'resuming')",
  ],
  ["import", "set status = 'error', error = $1, date_completed = now() where status in ('queued', 'processing', 'reverting')"],
  ["export", "set status = 'error', error = $1, date_completed = now() where status in ('created', 'started', 'in_progress')"],
  ["mailing_export", "set status = 'failed', error = $1, date_completed = now() where status in ('queued', 'running')"],
  ["mailing_export_item", "set status = 'failed', error = $1 where status in ('pending', 'sending')"],
  ["enrichment", "set status = 'failed', error = $1, completed_at = now() where status in ('queued', 'running')"],
  ["share_bulk", "set status = 'failed', error = $1, date_completed = now() where status in ('queued', 'running')"],
  ["dialer", "set status = 'paused' where status = 'active'"],
  ["dialer_lead", "set state = 'pending', lease_until = null, wait_until = null where state in ('leased', 'dialing')"],
  ["webhook_delivery", "set status = 'failed', next_at = null, error = $1 where status in ('pending', 'retrying')"],
  ["webhook", "set pending = 0, oldest_pending_at = null, probe_at = null, begins_after = null"],
  // Mail about it left there already.
  ["notification", "set group_key = null, system_mail_id = coalesce(system_mail_id, 'moved')"],
  [
    "job",
    "set state = 'scheduled', claim = null, claimed_until = null, failures = 0, crashes = 0, due_at = greatest(due_at, now())",
  ],
];

/** The tables that something is stopped in. */
export const stopped: ReadonlySet<string> = new Set(statements.map(([table]) => table));

/** `kindsOfWork` are those that there are: nobody would ever do a job of another kind. */
export async function stopEverything(
  client: pg.ClientBase,
  tables: ReadonlySet<string>,
  kindsOfWork: readonly string[],
): Promise<void> {
  if (tables.has("job")) await client.query(`delete from ${staged("job")} where kind <> all($1)`, [kindsOfWork]);
  for (const [table, text] of statements) {
    if (!tables.has(table)) continue;
    const verb = text.startsWith("set") ? "update" : "delete from";
    await client.query(`${verb} ${staged(table)} ${text}`.replaceAll("$1", () => client.escapeLiteral(moved)));
  }
}
