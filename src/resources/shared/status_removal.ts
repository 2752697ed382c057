// Deletes a status, which is possible only when no record has it. `?replacement_status_id=` first gives those records another
// status.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { findRecords } from "../../records/records.ts";
import { lockPointing } from "../../records/references.ts";
import { aNoun, noun, nouns } from "../../records/standard_operation.ts";
import { store } from "../../records/store.ts";

const parameter = "replacement_status_id";

/** What the delete of a status takes beyond its id. */
export const withReplacement = (of: Resource, holder: Resource) => ({
  doc: `Deletes ${aNoun(of)}. While ${nouns(holder)} have it, a replacement must be given.`,
  parameters: [
    {
      name: parameter,
      doc: `The status that every ${noun(holder)} with this one gets before the deletion.`,
      schema: z.string().optional(),
    },
  ],
});

/** Deletes a status, unless it is the last one, or records of `holder` have it and the request names no replacement. */
export async function removeStatus<R extends Resource>(
  ctx: Ctx,
  of: R,
  status: Row<R>,
  holder: Resource,
  replacement: string | undefined,
): Promise<void> {
  if (replacement !== undefined) await replaceStatus(ctx, of, holder, status.id, replacement);
  // All are locked, so that of the last two only one can be deleted.
  const all = await findRecords(ctx, of, []);
  if (all.length === 1) throw invalid({}, `The last ${of.name.replaceAll("_", " ")} cannot be deleted.`);

  const used = await lockPointing(ctx, { from: holder, field: "status_id" }, [status.id], 1);
  if (used.length > 0) throw invalid({ [parameter]: "is required: name a status to replace it" }, "Status is in use");
  await store.remove(ctx, of, [status]);
}

const page = 200;

/** Gives every record with the status the other one, by the rules of the record, even those that the caller cannot see. */
async function replaceStatus(ctx: Ctx, of: Resource, holder: Resource, from: string, to: string): Promise<void> {
  // The status is already locked, so no other record can get it at the same time.
  if (to === from) throw invalid({ [parameter]: "must be another status" });
  if (ctx.directory.find(of.name, to) === undefined) throw invalid({ [parameter]: "does not exist" });

  for (let full = true; full; ) {
    const rows = await lockPointing(ctx, { from: holder, field: "status_id" }, [from], page);
    for (const row of rows) await ctx.registry.verb(holder, "update")(ctx, row, { status_id: to });
    full = rows.length === page;
  }
}
