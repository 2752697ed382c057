// A status goes only when nothing has it any more; `?replacement_status_id=` names the one that what has it gets first.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { type Operation, refuseUnknownParameters } from "../../core/operation.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords, lockRecord } from "../../records/records.ts";
import { lockPointing } from "../../records/references.ts";
import { verbsOf } from "../../records/verbs.ts";

const parameter = "replacement_status_id";

/** Refuses to delete the last status, or one that records of `holder` have. */
export async function checkRemovable<R extends Resource>(ctx: Ctx, of: R, status: Row<R>, holder: Resource): Promise<void> {
  // Locked together, so that of the last two only one can go.
  const all = await findRecords(ctx, of, [], sql`order by t.id for update of t`);
  if (all.length === 1) throw invalid({}, `The last ${of.name.replaceAll("_", " ")} cannot be deleted.`);

  const used = await lockPointing(ctx, { from: holder, field: "status_id" }, [status.id], 1);
  if (used.length > 0) throw invalid({ [parameter]: "is required: name the status that takes its place" }, "Status is in use");
}

/** Lets the delete of a status take `?replacement_status_id=`. */
export function withReplacement(operations: readonly Operation[], holder: Resource): Operation[] {
  return operations.map((one) => (one.verb === "delete" ? replacing(one, one.resource!, holder) : one));
}

function replacing(remove: Operation, of: Resource, holder: Resource): Operation {
  const schema = z.string().optional();
  return {
    ...remove,
    doc: `${remove.doc.slice(0, -1)}; while ${holder.name} records have it, another must be named for them.`,
    parameters: [{ name: parameter, doc: `The status that every ${holder.name} with this one gets first.`, schema }],
    parse(ctx, given) {
      refuseUnknownParameters(given.query, [parameter]);
      const { [parameter]: replacement, ...query } = given.query;
      const { input, ignored } = remove.parse(ctx, { ...given, query });
      return { input: { ...input, replacement }, ignored };
    },
    async run(ctx, { replacement, ...input }) {
      if (replacement !== undefined) await replaceStatus(ctx, of, holder, input.id, replacement);
      return remove.run(ctx, input);
    },
  };
}

const page = 200;

/** Every record that has the status gets the other one by its own rules, also those the caller does not see. */
async function replaceStatus(ctx: Ctx, of: Resource, holder: Resource, from: string, to: string): Promise<void> {
  // Locked before anything is looked for, so that nothing gets the status while what has it gets the other.
  await lockRecord(ctx, of, from);
  if (to === from) throw invalid({ [parameter]: "must be another status" });
  if (ctx.directory.find(of.name, to) === undefined) throw invalid({ [parameter]: "does not exist" });

  for (let full = true; full; ) {
    const rows = await lockPointing(ctx, { from: holder, field: "status_id" }, [from], page);
    for (const row of rows) await verbsOf(holder).update(ctx, row, { status_id: to });
    full = rows.length === page;
  }
}
