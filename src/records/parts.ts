// The parts of a record's JSON, in the order of the wire. Four writers use this list: for rows from the database, for a record in
// memory, for the JSON that is stored beside a row, and for the schema.
import type { ShownField } from "../core/field.ts";
import type { Resource } from "../core/resource.ts";

export type Part = { key: string; isOnDemand: boolean } & (
  | { kind: "custom" }
  /** Computed from the row alone. */
  | { kind: "own"; field: Exclude<ShownField, { source: "label" | "lookedUp" | "related" }> }
  /** Depends on the organization's small records or on the time, so it is never stored beside a row. */
  | { kind: "lookedUp"; field: Extract<ShownField, { source: "label" | "lookedUp" }> }
  /** Needs SQL of its own. */
  | { kind: "related"; field: Extract<ShownField, { source: "related" }> }
);

export function partsOf(of: Resource): readonly Part[] {
  let parts = kept.get(of);
  if (parts === undefined) kept.set(of, (parts = of.shown.map(([key, field]) => partOf(of, key, field))));
  return parts;
}

/** True if labels come from the directory. A join reads the labels of a target that some callers may not see. */
export const isInDirectory = (target: Resource | undefined): boolean => target?.cached === true && target.visible === undefined;

const kept = new WeakMap<Resource, readonly Part[]>();

function partOf(of: Resource, key: string, field: ShownField): Part {
  if (key === "custom" && of.custom) return { key, kind: "custom", isOnDemand: false };
  switch (field.source) {
    case "related":
      return { key, kind: "related", field, isOnDemand: !field.always };
    case "label":
      return { key, kind: "lookedUp", field, isOnDemand: false };
    case "lookedUp":
      return { key, kind: "lookedUp", field, isOnDemand: field.onDemand === true };
    default:
      return { key, kind: "own", field, isOnDemand: field.onDemand === true };
  }
}
