// Sort orders of a search: by any attribute with one value.
import type { Ctx } from "../core/context.ts";
import type { Resource } from "../core/resource.ts";
import type { OrderKey } from "../core/search.ts";
import { raw, sql } from "../db/sql.ts";
import { readOrder, sortKeys } from "../records/order.ts";
import { type Attribute, attributeOf } from "./attributes.ts";

/** The sort key of this name, or null if records of this kind cannot be sorted by it. */
export function orderBy(ctx: Ctx, of: Resource, name: string, descending: boolean): OrderKey | null {
  if (name === "id" || sortKeys(of).includes(name)) return readOrder(of, `${descending ? "-" : ""}${name}`, ctx)[0]!;
  const attribute = attributeOf(ctx, of, "t", name);
  return attribute === null || attribute.value === null ? null : keyOf(name, attribute, descending);
}

function keyOf(key: string, { kind, cast, value }: Attribute, descending: boolean): OrderKey {
  const sorted = kind === "text" ? sql`sort_key(${value})` : sql`(${value})`;
  return { key, sql: cast === "text" ? sql`${sorted} ${raw('collate "C"')}` : sorted, descending, nullable: true, cast };
}
