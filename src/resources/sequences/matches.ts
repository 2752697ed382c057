// Whether a contact, or its lead, matches a query that a sequence has: the condition of a step, or its goal.
import type { Ctx } from "../../core/context.ts";
import { below, invalid } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { find } from "../../search/find.ts";
import { type QueryNode, readQuery } from "../../search/nodes.ts";
import { resourceOf } from "../../search/relations.ts";
import { same } from "../../values/same.ts";

/** Refuses what the search would not accept, at `place`. A stored query may be written back. */
export async function checkQuery(
  ctx: Ctx,
  given: object | null | undefined,
  before: object | null,
  place: string,
): Promise<void> {
  if (given === null || given === undefined || same(given, before)) return;
  const { query, errors } = readQuery(given, place);
  if (errors !== null) throw invalid(errors);
  const of = kindOf(ctx, query, place);
  await below(place, () => find(ctx, of, query));
}

/** The resource and the condition of a stored query. */
export async function conditionOf(ctx: Ctx, given: object, place: string) {
  const { query, errors } = readQuery(given, place);
  if (errors !== null) throw invalid(errors);
  const of = kindOf(ctx, query, place);
  return { of, ...(await below(place, () => find(ctx, of, query))) };
}

export async function matches(
  ctx: Ctx,
  given: object,
  who: { contact_id: string; lead_id: string },
  place: string,
): Promise<boolean> {
  const { of, condition } = await conditionOf(ctx, given, place);
  const id = of.name === "lead" ? who.lead_id : who.contact_id;
  return (await findRecords(ctx, of, [sql`t.id = ${id}`, condition])).length > 0;
}

function kindOf(ctx: Ctx, query: QueryNode, place: string): Resource {
  const of = resourceOf(ctx, objectTypeIn(query) ?? "");
  if (of === undefined || !["lead", "contact"].includes(of.name))
    throw invalid({
      [place]: 'must be for leads or contacts: {"type": "object_type", "object_type": "lead"} in its outermost "and"',
    });
  return of;
}

function objectTypeIn(tree: QueryNode): string | null {
  const nodes = tree.type === "and" && !tree.negate ? tree.queries : [tree];
  for (const node of nodes) if (node.type === "object_type" && !node.negate) return node.object_type;
  return null;
}
