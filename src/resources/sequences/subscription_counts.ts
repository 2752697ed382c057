// How many contacts are in a sequence. A single sequence shows it; a list shows it on request.
import { type Ctx, query } from "../../core/context.ts";
import type { JsonText } from "../../core/operation.ts";
import { sql, statement } from "../../db/sql.ts";
import { recordWith } from "../../records/single.ts";
import type { Alone } from "../../records/standard_operation.ts";
import { countsOf } from "./sequence.ts";

/** When `_fields` is given, `subscription_counts_by_status` is shown only if it is among them. */
export const subscriptionCounts: Alone = { add: withCounts };

async function withCounts(ctx: Ctx, id: string, record: JsonText, fields: readonly string[] | null): Promise<JsonText> {
  if (fields !== null) return record;
  const [row] = await query(
    ctx,
    statement(
      sql`select ${countsOf("t", ctx)} from sequence t where t.organization_id = ${ctx.organization_id} and t.id = ${id}`,
    ),
  );
  return row === undefined ? record : recordWith(record, `,"subscription_counts_by_status":${row[0]}`);
}
