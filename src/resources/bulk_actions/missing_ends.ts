// What deleted records named may be gone too by the time they come back. What only joins two records stays away then, what may be empty is
// empty, and a status becomes another one of its kind. The rest comes back.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Reference } from "../../core/field.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { readRows } from "../../records/references.ts";
import type { Removal } from "../../records/removal_notes.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import { pipeline } from "../opportunities/pipeline.ts";

type Removed = Removal["removed"];
type Any = Row<Resource> & Record<string, unknown>;

/** The same with what they name at present. What is left out is added to `without`, in words. */
export async function withPresentEnds(ctx: Ctx, removed: Removed, without: Set<string>): Promise<Removed> {
  const gone = await goneIds(ctx, removed);
  if (gone.size === 0) return removed;

  const main = removed.at(-1)!;
  let left = removed;
  for (let n = 0; n !== gone.size; ) {
    n = gone.size;
    left = left.map(({ rows, ...one }) => ({
      ...one,
      rows: (rows as Any[]).flatMap((row) => {
        const again = withEnds(ctx, ctx.registry.resource(one.of)!, row, gone, without);
        if (again === null) gone.add(row.id);
        return again === null ? [] : [again];
      }),
    }));
  }
  if (left.at(-1)!.rows.length === 0 && main.rows.length > 0) throw invalid({}, `cannot come back: ${[...without].join(", ")}`);
  return left;
}

/** Ids that deleted rows name, and that neither come back with them nor are there. */
async function goneIds(ctx: Ctx, removed: Removed): Promise<Set<string>> {
  const back = new Set(removed.flatMap(({ rows }) => (rows as Any[]).map(({ id }) => id)));
  const named = new Map<string, Set<string>>();
  for (const { of, rows } of removed)
    for (const row of rows as Any[])
      for (const { id, ref } of endsOf(kindOf(ctx.registry.resource(of)!, row), row))
        if (!back.has(id)) named.set(ref.to, (named.get(ref.to) ?? new Set()).add(id));
  const left = await Promise.all([...named].map(([to, ids]) => goneOf(ctx, ctx.registry.resource(to)!, ids)));
  return new Set(left.flat());
}

async function goneOf(ctx: Ctx, of: Resource, ids: ReadonlySet<string>): Promise<string[]> {
  const there = new Set((await readRows(ctx, of, sql`t.id = any(${[...ids]})`)).map(({ id }) => id));
  return [...ids].filter((id) => !there.has(id));
}

interface End {
  key: string;
  id: string;
  ref: Reference;
}

/** What must be there while it is named. */
const endsOf = (of: Resource, row: Any): End[] =>
  of.columns.flatMap(([key, { ref }]) =>
    ref !== null && ref.onDelete !== "keep" && typeof row[key] === "string" ? [{ key, id: row[key], ref }] : [],
  );

/** Null for a row that stays away. */
function withEnds(ctx: Ctx, of: Resource, row: Any, gone: ReadonlySet<string>, without: Set<string>): Any | null {
  const again = { ...row };
  for (const { key, id, ref } of endsOf(kindOf(of, row), row)) {
    if (!gone.has(id)) continue;
    const [what, name] = [of.name, ref.to].map((one) => one.replaceAll("_", " "));
    if (ref.onDelete === "cascade") {
      without.add(`a ${what} whose ${name} is gone`);
      return null;
    }
    const other = Object.hasOwn(others, ref.to) ? others[ref.to]!(ctx, row) : null;
    without.add(
      other === null ? `the ${name} of a ${what}, which is gone` : `the ${name} of a ${what}, which is gone: it has another`,
    );
    again[key] = other;
  }
  return again;
}

/** What must not be empty. */
const others: Readonly<Record<string, (ctx: Ctx, row: Any) => string>> = {
  lead_status: ({ directory }) => directory.list(leadStatus)[0]!.id,
  opportunity_status({ directory }, { date_won, date_lost }) {
    const all = directory.list(opportunityStatus);
    const inOrder = directory.list(pipeline).flatMap(({ id }) => all.filter((one) => one.pipeline_id === id));
    const type = date_won != null ? "won" : date_lost != null ? "lost" : "active";
    return (inOrder.find((one) => one.type === type) ?? inOrder[0]!).id;
  },
};
