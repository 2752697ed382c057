// What definitions say of other records, checked when the service starts: a definition that refers to something that is not there
// stops it.
import type { Field } from "../core/field.ts";
import type { Registry } from "../core/registry.ts";

type Find = Registry["resource"];

export function checkReferences({ resources, resource }: Pick<Registry, "resources" | "resource">): void {
  for (const one of resources) {
    if (one.about !== undefined && one.fields[one.about]?.source !== "column")
      throw new Error(`${one.name} is about ${one.about}, which is no column of it`);
    for (const [key, field] of [...one.columns, ...one.shown]) {
      const target = field.source === "column" ? field.ref?.to : field.source === "label" ? field.to : undefined;
      if (target !== undefined) mustExist(`${one.name}.${key} refers to`, target, resource);
      if (field.source === "column") checkField(`${one.name}.${key}`, field, resource);
    }
    for (const relation of Object.values(one.expand ?? {})) mustExist(`${one.name} expands`, relation.resource, resource);
  }
}

function checkField(place: string, { ref, nullable, names }: Field, resource: Find): void {
  for (const name of names.flatMap(({ to }) => to)) mustExist(`${place} names`, name, resource);
  if (ref?.onMove !== "match") return;

  const { elsewhere } = resource(ref.to)!;
  if (elsewhere === undefined) throw new Error(`${place} matches ${ref.to}, which does not declare elsewhere`);
  if (!nullable && !elsewhere.make && !elsewhere.instead)
    throw new Error(`${place} cannot be null, so the elsewhere of ${ref.to} needs make or instead`);
}

function mustExist(refers: string, name: string, resource: Find): void {
  if (resource(name) === undefined) throw new Error(`${refers} ${name}, which no area defines`);
}
