// A restore is not the end of time: readers of the feed go on, work wakes by its rows, and nothing is sent a second time. Runs in
// the transaction that loads the rows.
import type pg from "pg";
import type { Manifest } from "./manifest.ts";

export async function goOn(client: pg.ClientBase, { taken_at }: Manifest, wasStopped: boolean): Promise<void> {
  // No server has this name, so the next connection that writes begins an epoch, after every epoch of the server that is gone.
  await client.query("update event_epoch set server = 'restored'");
  await client.query("truncate worker");
  // Who signed out, changed their password or used a link since the backup must not be undone by it.
  await client.query("truncate session, password_link, passkey_answer");
  await client.query("delete from oauth_artifact where model not in ('RefreshToken', 'Grant', 'RegistrationAccessToken')");
  if (wasStopped) return;
  // The lost server may have sent what was due since the backup. Such a message counts as under way: its sender looks where it can
  // be seen whether it left, and otherwise ends it as an error that says so.
  await client.query(
    `update activity set sending_at = $1 where status in ('outbox', 'scheduled') and sending_at is null and send_after <= now()`,
    [taken_at],
  );
}
