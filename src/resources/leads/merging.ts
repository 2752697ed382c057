// What merging two records of a kind has in common.
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { findRecords } from "../../records/records.ts";
import { repoint } from "../../records/references.ts";
import { same } from "../../values/same.ts";
import { followMerge } from "../automations/follow_merge.ts";
import { uniteThreads } from "../comments/follow_records.ts";
import { leaveSharedLists } from "../lists/members.ts";
import { endDoubleSubscriptions } from "../sequences/endings.ts";

type Settle = (ctx: Ctx, gone: string, kept: string, meta: Record<string, unknown>) => void | Promise<void>;

/** Records that two records may each have, but one may have only once, and what happens to the second. */
const doubles: Record<"lead" | "contact", readonly Settle[]> = {
  lead: [(ctx, gone, kept) => leaveSharedLists(ctx, "lead", gone, kept), followMerge, uniteThreads],
  contact: [(ctx, gone, kept) => leaveSharedLists(ctx, "contact", gone, kept), endDoubleSubscriptions, followMerge, uniteThreads],
};

/** References to the removed record are changed to the other one. They get the columns `along` where they have them. */
export async function takeOver(
  ctx: Ctx,
  of: Resource,
  gone: string,
  kept: string,
  { along, meta }: { along?: Record<string, string>; meta: Record<string, unknown> },
): Promise<void> {
  for (const settle of doubles[of.name as keyof typeof doubles]) await settle(ctx, gone, kept, meta);
  await repoint(ctx, of, gone, kept, { along, meta });
}

/** The named fields of `kept`, with `gone`'s value where `kept` has none. */
export function filledIn<T extends object, K extends keyof T>(kept: T, gone: T, fields: readonly K[]): Pick<T, K> {
  return Object.fromEntries(fields.map((field) => [field, kept[field] ?? gone[field]])) as Pick<T, K>;
}

/** The values of both lists, each once. Those of `kept` come first. */
export function inEither<T>(kept: readonly T[], gone: readonly T[]): T[] {
  return [...kept, ...gone.filter((one) => !kept.some((other) => same(one, other)))];
}

/** Custom values of both records: lists are united, and of single values `kept`'s win. */
export function mergedCustom(
  directory: Directory,
  objectType: string,
  kept: Record<string, unknown> = {},
  gone: Record<string, unknown> = {},
): Record<string, unknown> {
  const fields = customFieldsOf(directory, objectType);
  const merged = { ...gone, ...kept };
  for (const [key, value] of Object.entries(kept)) {
    // Either may still be a single value, while those of the field are being converted.
    if (fields.get(key)?.accepts_multiple_values && gone[key] !== undefined)
      merged[key] = [...new Set([value, gone[key]].flat())];
  }
  return merged;
}

/** Both records of a merge, locked in a fixed order, so that two merges cannot deadlock. */
export async function lockPair<R extends Resource>(
  ctx: Ctx,
  of: R,
  source: string,
  destination: string,
): Promise<[Row<R>, Row<R>]> {
  if (source === destination) throw invalid({ destination: "must differ from source" });
  const found = new Map<string, Row<R>>();
  for (const id of [source, destination].sort()) {
    // After waiting for another merge, a record may be gone.
    const [row] = await findRecords(ctx, of, [sql`t.id = ${id}`], sql`for update of t`);
    if (row === undefined) throw invalid({ [id === source ? "source" : "destination"]: "does not exist" });
    found.set(id, row);
  }
  return [found.get(source)!, found.get(destination)!];
}
