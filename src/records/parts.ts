// The parts of a record's JSON, in the order of the wire. Four writers read this list: of rows from the database, of a record at
// hand, of the JSON that is kept beside a row, and of the schema.
import type { ShownField } from "../core/field.ts";
import type { Resource } from "../core/resource.ts";

export type Part = { key: string; isOnDemand: boolean } & (
  | { kind: "custom" }
  /** It follows from the row alone. */
  | { kind: "own"; field: Exclude<ShownField, { source: "label" | "lookedUp" | "related" }> }
  /** It follows from the organization's small records as they are now, or from the hour, and so is never kept beside a row. */
  | { kind: "lookedUp"; field: Extract<ShownField, { source: "label" | "lookedUp" }> }
  /** It takes SQL of its own. */
  | { kind: "related"; field: Extract<ShownField, { source: "related" }> }
);

export function partsOf(of: Resource): readonly Part[] {
  let parts = kept.get(of);
  if (parts === undefined) kept.set(of, (parts = of.shown.map(([key, field]) => partOf(of, key, field))));
  return parts;
}

/** Its labels are read there. Where not everyone sees every record of it, they take a join, which asks who does. */
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
