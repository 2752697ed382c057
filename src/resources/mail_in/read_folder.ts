// Reads new messages of a folder, from where the last visit ended, in the order of the UIDs.
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { beginAt, placeOf } from "./folder_place.ts";
import { readMessages } from "./read_messages.ts";
import type { Role, Visit } from "./visit.ts";

/** The most messages listed by one request. */
const chunkMost = 50;

/** Reads until there is nothing more, or the visit is over. Returns whether there may be more. */
export async function readFolder(visit: Visit, role: Role, path: string): Promise<boolean> {
  const { mailbox } = visit;
  const { uidValidity, uidNext } = await mailbox.open(path);
  const place = await placeOf(visit.core, visit.account, role);
  const isKnown = place?.path === path && place.uid_validity === uidValidity;
  const lastUid = isKnown ? place.last_uid : await beginning(visit, role, path, uidValidity, uidNext);
  const uids = lastUid + 1 >= uidNext ? [] : await mailbox.above(lastUid);
  const most = Math.min(visit.left, uids.length);
  for (let from = 0; from < most; from += chunkMost) {
    const listed = await mailbox.list(uids.slice(from, Math.min(most, from + chunkMost)));
    if (!(await readMessages(visit, role, listed))) return true;
  }
  return uids.length > most;
}

/** Right before the first message to be fetched. Messages that were already read under other UIDs are known by their identity. */
async function beginning(visit: Visit, role: Role, path: string, uid_validity: bigint, uidNext: number): Promise<number> {
  const { core, job, account } = visit;
  const [first = uidNext] = await visit.mailbox.since(visit.since);
  await asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    await holdClaim(ctx, job);
    beginAt(ctx, account, role, { path, uid_validity, last_uid: first - 1 });
  });
  return first - 1;
}
