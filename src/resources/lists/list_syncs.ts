// How far the reading of each service's lists is.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement, wireTime } from "../../db/sql.ts";

export const shownSync = z.strictObject({
  status: z.enum(["waiting", "reading", "applying"]).describe("`waiting` for the next time."),
  started_at: z.iso.datetime().nullable(),
  completed_at: z.iso.datetime().nullable(),
  n_members: z.int().describe("How many places on lists were read."),
  n_unknown: z.int().describe("How many of them are those of people who are no contact here: they are not made."),
  error: z.string().nullable().describe("Why it does not go on."),
});
export type ShownSync = z.output<typeof shownSync>;

/** By service. */
export async function syncsOf(ctx: Ctx): Promise<Map<string, ShownSync>> {
  const rows = await query(
    ctx,
    statement(sql`select service, status, ${wireTime(sql`started_at`)}, ${wireTime(sql`completed_at`)}, n_members, n_unknown, error
      from list_sync where organization_id = ${ctx.organization_id}`),
  );
  return new Map(
    rows.map(([service, status, started_at, completed_at, n_members, n_unknown, error]) => [
      service!,
      {
        status: status as ShownSync["status"],
        started_at: started_at ?? null,
        completed_at: completed_at ?? null,
        n_members: Number(n_members),
        n_unknown: Number(n_unknown),
        error: error ?? null,
      },
    ]),
  );
}
