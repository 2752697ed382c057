// Fills the path of an operation from the arguments of a generic tool.
import { invalid } from "../core/errors.ts";
import type { Operation } from "../core/operation.ts";
import { ownField, parentsOf } from "./object_types.ts";

type Values = Record<string, unknown>;

/** The values of the path, and the given values without those that the path took. */
export function pathValues(
  operation: Operation,
  id: string | undefined,
  given: Values,
): { params: Record<string, string>; rest: Values } {
  const rest = { ...given };
  const params: Record<string, string> = {};
  const missing: Record<string, string> = {};
  const own = ownField(operation);
  if (own !== null && id === undefined) missing.id = "is required";
  else if (own !== null) params[own] = id!;
  for (const name of parentsOf(operation)) {
    const value = rest[name];
    delete rest[name];
    if (typeof value === "string" && value !== "") params[name] = value;
    else missing[name] = "is required";
  }
  if (Object.keys(missing).length > 0) throw invalid(missing);
  return { params, rest };
}

/** Filters, without what an argument of the tool says. */
export function filterText(filters: Values): Record<string, string> {
  const argument = Object.keys(filters).find((name) => name.startsWith("_") && name !== "_expand" && name !== "_group_by");
  if (argument !== undefined) throw invalid({ [argument]: "is not a filter: use the argument of the tool" });
  return queryText(filters);
}

/** Values of a query, as they are written in an address. */
export function queryText(values: Values): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    if (value === null) throw invalid({ [name]: `must not be null; ${name.replace(/__\w+$/, "")}__isnull finds what has none` });
    const isPlain = (one: unknown) => typeof one === "string" || typeof one === "number" || typeof one === "boolean";
    const parts = Array.isArray(value) ? value : [value];
    if (!parts.every(isPlain)) throw invalid({ [name]: "must be text, a number, true, false, or a list of these" });
    query[name] = parts.map(String).join(",");
  }
  return query;
}
