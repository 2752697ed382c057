// What destroys or changes more than a few records asks for their number, so that nobody does it without having looked.
import { invalid } from "../core/errors.ts";
import type { Operation } from "../core/operation.ts";
import { canBeTried } from "../records/dry_run.ts";
import { refusalOf } from "./refusal.ts";
import type { Performed } from "./tool.ts";

/** As many may go without being counted before. */
const unconfirmedMax = 20;

/** A change of a field's type may drop the values of many records. */
export const needsConfirming = (operation: Operation, body: Record<string, unknown> = {}): boolean =>
  (operation.scope === "write_destructive" || body.drop_unconvertible_values === true) && canBeTried(operation);

/** Tries the write, and refuses it if it is about more records than `confirm` says. */
export async function checkConfirmed(confirm: number | undefined, tryIt: () => Promise<Performed>): Promise<void> {
  const n = recordsOf(await tried(tryIt));
  if (n <= unconfirmedMax || confirm === n) return;
  throw invalid({
    confirm: `must be the n_records that dry_run tells, as this changes more than ${unconfirmedMax}: look at them first`,
  });
}

/** What is refused when it is tried is refused by itself, or is the repetition of a call that has an answer already. */
async function tried(tryIt: () => Promise<Performed>): Promise<Record<string, any>> {
  try {
    return (await tryIt()).body;
  } catch (error) {
    refusalOf(error);
    return {};
  }
}

/** How many records a dry run tells of, with those of the work that an undo would start. */
export function recordsOf({ n_objects, result, events = [] }: Record<string, any>): number {
  if (n_objects != null) return n_objects;
  const later = (result?.started ?? []).reduce((sum: number, { n_records }: { n_records: number }) => sum + n_records, 0);
  return new Set(events.map(({ object_id }: { object_id: string }) => object_id)).size + later;
}
