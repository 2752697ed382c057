// What is made of everybody's records, such as an export, takes minutes. A person who was erased meanwhile may be in it, so it is not kept.
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";

/** Somebody was erased after the records were read: they have to be read once more. */
export class ErasedSince extends Error {}

/** How many erasings are complete. Belongs before the reading of the records, or into the same snapshot. */
export async function erasingsDone(ctx: Ctx): Promise<number> {
  const [row] = await query(
    ctx,
    statement(sql`select count(*) from erasure where organization_id = ${ctx.organization_id} and status = 'completed'`),
  );
  return Number(row![0]);
}

/** In the transaction that keeps what was made, and after its record was locked, for which the end of an erasing waits. */
export async function refuseIfErasedSince(ctx: Ctx, done: number): Promise<void> {
  if ((await erasingsDone(ctx)) !== done) throw new ErasedSince("somebody was erased while it was written");
}
