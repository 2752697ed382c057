// Files that belong to no lead yet become those of a lead. They are found by their links.
import { hashOf } from "../../auth/unscoped.ts";
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { file } from "./file.ts";

/** By these, a link's file is found. */
export const hashesIn = (links: readonly (string | null)[]): string[] =>
  links.flatMap((link) => /\/f\/([^/]+)\//.exec(link ?? "")?.[1] ?? []).map(hashOf);

export async function fileAtLead(
  ctx: Ctx,
  links: readonly (string | null)[],
  { lead_id, contact_id }: { lead_id: string; contact_id: string | null },
): Promise<void> {
  const hashes = hashesIn(links);
  if (hashes.length === 0) return;
  const everybodys = { ...file, visible: undefined };
  const files = await lockToChange(ctx, everybodys, sql`t.lead_id is null and t.share_hash = any(${hashes}::text[])`);
  for (const one of files) store.update(ctx, file, one, { lead_id, contact_id, private_to: null });
}
