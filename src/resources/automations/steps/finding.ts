// Finds records by conditions or by a search query. Later steps get references to them, which loops and targets follow: whole
// records would be old by then, and a hundred of them too long.
import { z } from "zod";
import { sql } from "../../../db/sql.ts";
import { orderBy, readOrder } from "../../../records/order.ts";
import { findRecords } from "../../../records/records.ts";
import { recordById } from "../facts.ts";
import { reference, referenceTo } from "../reference.ts";
import { recordsThat } from "../searched_records.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";

export const foundOutput = z.object({
  records: z.array(reference).describe("What was found, in order."),
  count: z.int().describe("How many these are."),
  first: z.record(z.string(), z.unknown()).nullable().describe("The first of them as a read shows it."),
});

/** Those that the member sees in whose name the run acts. */
export async function findThem({ ctx, config }: Call): Promise<Outcome> {
  const of = ctx.registry.resource(config.object_type);
  if (of === undefined) throw new StepFailure("object_type_mismatch", "config", `A ${config.object_type} cannot be found`);
  const condition = await recordsThat(ctx, of, config.where);
  const order = orderBy(readOrder(of, config.order ?? undefined, ctx));
  const rows = await findRecords(ctx, of, [condition], sql`order by ${order} limit ${config.limit}`);
  const first = rows[0] === undefined ? null : await recordById(ctx, rows[0].id);
  return {
    port: rows.length > 0 ? "found" : "empty",
    output: { records: rows.map((row) => referenceTo(of, row)), count: rows.length, first },
  };
}
