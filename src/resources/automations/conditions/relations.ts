// The names of related records in conditions: `lead.contacts`, `contact.conversations`, `task.lead`. They follow from the references
// between the kinds of record.
import type { Ctx } from "../../../core/context.ts";
import type { Resource } from "../../../core/resource.ts";
import { type Link, linkBetween } from "../../../search/relations.ts";
import { hint } from "../../../values/reasons.ts";
import { activityKinds, recordTypes } from "../catalog.ts";

export interface Relation {
  /** The kind it begins at. */
  from: Resource;
  to: Resource;
  link: Link;
}

/** Of the activities, those of people. */
const activities = new Set(
  activityKinds.element.options.map((kind) => `activity_${kind === "custom" ? "custom_activity" : kind}`),
);

/** The relations of a kind of record, by their names. What it belongs to is in the singular. */
export function relationsOf({ registry }: Ctx, of: Resource): Map<string, Relation> {
  const kinds = registry.resources.filter((one) => one.event !== null && (one.only === undefined || activities.has(one.name)));
  return new Map(
    kinds.flatMap((to) => {
      const link = linkBetween(of, to);
      if (link === null) return [];
      const name = to.name.replace(/^activity_/, "");
      return [[link.inner === "id" ? name : plural(name), { from: of, to, link }] as const];
    }),
  );
}

const plural = (name: string): string => (name.endsWith("s") ? name : name.replace(/y$/, "ie").concat("s"));

/** The relation with this name, or why there is none. */
export function relationNamed(ctx: Ctx, given: string): Relation | string {
  const [kind = "", name = ""] = given.split(".");
  const of = (recordTypes as readonly string[]).includes(kind) ? ctx.registry.resource(kind) : undefined;
  if (of === undefined) return `begins with an unknown kind of record${hint(kind, recordTypes)}`;
  const known = relationsOf(ctx, of);
  return known.get(name) ?? `is not a relation of a ${kind.replaceAll("_", " ")}${hint(name, known.keys())}`;
}
