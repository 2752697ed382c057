// Reads the query of a list: paging, fields, order and filters. The definition says what it may contain.
import { hash } from "node:crypto";
import type { Ctx } from "../core/context.ts";
import { collect, type FieldErrors, invalid, refuse } from "../core/errors.ts";
import type { Resource } from "../core/resource.ts";
import type { Found, OrderKey } from "../core/search.ts";
import type { Sql } from "../db/sql.ts";
import { notAmong } from "../values/reasons.ts";
import { splitList } from "./comparisons.ts";
import { readCursor } from "./cursor.ts";
import { filterCondition, filterNewest, orderOfFilters, paging } from "./filters.ts";
import { isGroup } from "./groups.ts";
import { readOrder } from "./order.ts";
import { type Lean, leanOf } from "./rendered.ts";

export const limitMax = 200;
export const limitDefault = 100;

export interface ListInput {
  limit: number;
  skip: number;
  cursor: readonly (string | null)[] | null;
  fields: string[] | null;
  expand: string[];
  count: "exact" | "estimate" | null;
  order: readonly OrderKey[];
  conditions: Sql[];
  /** The page, if the only filter has found it itself; null if the conditions have to find it. */
  found: Pick<Found, "rows"> | null;
  /** The conditions in the form that is best for all rows, for a count. */
  counted: Sql[];
  /** One plan fits all values, because the only condition is equality on an indexed reference, in the default order. */
  onePlan: boolean;
  /** Binds a cursor to its filters and order. */
  fingerprint: () => string;
}

/** Reads the query of a list. `fixed` are conditions of the path, such as a parent's id, in addition to the caller's filters. */
export async function readList(
  ctx: Ctx,
  of: Resource,
  given: Record<string, string>,
  fixed: readonly Sql[] = [],
): Promise<ListInput> {
  const errors: FieldErrors = {};
  // Sorted, so that the same filters make the same statement.
  const filters = Object.entries(given)
    .filter(([key]) => !(paging as readonly string[]).includes(key))
    .sort();
  const read = async (whole: boolean) => {
    const conditions = [...fixed];
    for (const filter of filters) {
      const condition = await collect(errors, () => filterCondition(ctx, of, filter, whole));
      if (condition) conditions.push(condition);
    }
    return conditions;
  };
  const count = collect(errors, () => readCount(given._count)) ?? null;
  const order =
    (given._order_by ? null : collect(errors, () => orderOfFilters(ctx, of, filters))) ??
    collect(errors, () => readOrder(of, given._order_by, ctx)) ??
    [];
  const fingerprint = () =>
    hash("sha1", JSON.stringify([ctx.organization_id, of.name, filters, given._order_by ?? ""]), "base64url").slice(0, 12);
  const limit = collect(errors, () => wholeNumber(given._limit, "_limit", limitDefault, limitMax)) ?? limitDefault;
  const skip = collect(errors, () => wholeNumber(given._skip, "_skip", 0, Number.MAX_SAFE_INTEGER)) ?? 0;
  const cursor = collect(errors, () => readCursor(given, fingerprint, order)) ?? null;
  const standsAlone = filters.length === 1 && fixed.length === 0 && !of.visible?.(ctx, "t");
  const fields = readFieldNames(given._fields);
  const expand = collect(errors, () => readExpand(of, given._expand, fields)) ?? [];
  const isPage = standsAlone && cursor === null && isNewestFirst(order);
  const select = leanFor(ctx, of, { fields, expand })?.select ?? null;
  const newest = isPage
    ? await collect(errors, () => filterNewest(ctx, of, filters[0]!, { count: skip + limit + 1, select }))
    : null;
  const conditions = newest == null ? await read(false) : [newest.condition];
  const input: ListInput = {
    limit,
    skip,
    cursor,
    fields,
    expand,
    count,
    order,
    conditions,
    found: newest?.ids ? newest : null,
    counted: count === null ? conditions : await read(true),
    onePlan: onlyIndexed(of, filters, given, fixed),
    fingerprint,
  };
  refuse(errors);
  return input;
}

/** Reads stored renderings as one column, if the list shows records as they are stored; else null. */
export const leanFor = (ctx: Ctx, of: Resource, { fields, expand }: Pick<ListInput, "fields" | "expand">): Lean | null =>
  fields === null && expand.length === 0 ? leanOf(of, (other) => ctx.registry.resource(other)) : null;

const newestFirst = ["date_created", "id"];

const isNewestFirst = (order: readonly OrderKey[]): boolean =>
  order.length === newestFirst.length && order.every(({ key, descending }, i) => descending && key === newestFirst[i]);

/** The names in `_fields`; null for all fields. */
export function readFieldNames(value: string | undefined): string[] | null {
  if (value === undefined) return null;
  const names = splitList(value);
  return names.length === 0 ? null : names;
}

/** Reads a whole number from text such as `"100"`. */
export function wholeNumber(value: string | undefined, key: string, otherwise: number, max: number): number {
  if (value === undefined || value === "") return otherwise;
  const number = /^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw invalid({ [key]: "must be a whole number" });
  if (number < 0) throw invalid({ [key]: "must be 0 or more" });
  if (number > max) throw invalid({ [key]: `must be ${max} or less` });
  return number;
}

function onlyIndexed(
  of: Resource,
  filters: readonly [string, string][],
  given: Record<string, string>,
  fixed: readonly Sql[],
): boolean {
  const [first, ...rest] = filters;
  if (first === undefined || rest.length > 0 || fixed.length > 0 || given._order_by) return false;
  const [field, value] = first;
  return of.indexed?.includes(field) === true && !value.includes(",") && !isGroup(value);
}

/** The relations to add: those in `_expand`, and every relation that `_fields` names. */
export function readExpand(of: Resource, value: string | undefined, fields: readonly string[] | null): string[] {
  const known = Object.keys(of.expand ?? {});
  const named = known.filter((one) => fields?.includes(one));
  if (value === undefined) return named;
  const names = [...new Set([...value.split(",").filter((part) => part !== ""), ...named])];
  const unknown = names.find((one) => !known.includes(one));
  if (unknown !== undefined)
    throw invalid({ _expand: known.length > 0 ? notAmong(unknown, known) : "has nothing to expand here" });
  return names;
}

function readCount(value: string | undefined): ListInput["count"] {
  if (value === undefined || value === "") return null;
  if (value === "exact" || value === "estimate") return value;
  throw invalid({ _count: "must be one of exact, estimate" });
}
