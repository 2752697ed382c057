// Checks the searches of all definitions when the service starts. A search that its tables cannot answer stops it.
import type { Registry } from "../core/registry.ts";
import type { Resource } from "../core/resource.ts";
import { hasVector, linkBetween } from "./relations.ts";

export function checkSearches({ resources, resource }: Pick<Registry, "resources" | "resource">): void {
  for (const one of resources) {
    const { beginnings = false, covers = [], alsoBy = {} } = one.search ?? {};
    if ((beginnings || covers.length > 0) && !hasVector(one)) throw new Error(`the search of ${one.name} says no words`);
    const unknown = covers.find((field) => one.fields[field]?.source !== "column");
    if (unknown !== undefined) throw new Error(`the search of ${one.name} covers ${unknown}, which is no column of it`);
    for (const [kind, bys] of Object.entries(alsoBy)) checkAlsoBy(one, kind, resource(kind), bys);
  }
}

function checkAlsoBy(one: Resource, kind: string, other: Resource | undefined, bys: readonly string[]): void {
  const broken = (what: string) => new Error(`${one.name} is also found by ${kind}, which ${what}`);
  if (other === undefined) throw broken("no area defines");
  if (linkBetween(one, other)?.outer !== "id") throw broken(`has no reference ${one.name}_id`);
  const columns = bys.map((by) => (by === "words" ? "search" : `${by}_keys`));
  const missing = columns.find((column) => other.fields[column]?.source !== "column");
  if (missing !== undefined) throw broken(`has no column ${missing}`);
}
