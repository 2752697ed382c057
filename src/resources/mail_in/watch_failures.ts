// How often in a row the connection to a mailbox failed, and when it is retried.
import type { Core } from "../../core/core.ts";

interface Watched {
  organization_id: string;
  account_id: string;
}

/** No worker has its lease until then. */
export async function noteWatchFailed(
  core: Core,
  { organization_id, account_id, worker }: Watched & { worker: string },
  again: Date,
): Promise<void> {
  await core.db.transaction(organization_id, async (tx) =>
    tx.write({
      name: "mailbox_watch.fail",
      text: `update mailbox_watch set worker = null, held_until = null, failures = failures + 1, again_at = $4
             where organization_id = $1 and account_id = $2 and worker = $3`,
      values: [organization_id, account_id, worker, again],
    }),
  );
}

export async function noteWatchHolds(core: Core, { organization_id, account_id }: Watched): Promise<void> {
  await core.db.transaction(organization_id, async (tx) =>
    tx.write({
      name: "mailbox_watch.hold",
      text: "update mailbox_watch set failures = 0, again_at = null where organization_id = $1 and account_id = $2",
      values: [organization_id, account_id],
    }),
  );
}
