// A single sequence shows how many are on their way through it; lists do when they are asked for it.
import { type Ctx, query } from "../../core/context.ts";
import type { JsonText, Operation } from "../../core/operation.ts";
import { sql, statement } from "../../db/sql.ts";
import { withMembers } from "../../records/standard.ts";
import { countsOf } from "./sequence.ts";

/** Where fields are named, `subscription_counts_by_status` is shown when it is among them. */
export const showingCounts = (single: Operation): Operation => ({
  ...single,
  async run(ctx, input: { fields?: string[] | null; query?: Record<string, string> }) {
    const record = (await single.run(ctx, input)) as JsonText;
    return input.fields || input.query?._fields ? record : withCounts(ctx, record);
  },
});

async function withCounts(ctx: Ctx, record: JsonText): Promise<JsonText> {
  const { id } = JSON.parse(record.text) as { id: string };
  const [row] = await query(
    ctx,
    statement(
      sql`select ${countsOf("t", ctx)} from sequence t where t.organization_id = ${ctx.organization_id} and t.id = ${id}`,
    ),
  );
  return row === undefined ? record : withMembers(record, `,"subscription_counts_by_status":${row[0]}`);
}
