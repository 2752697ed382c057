// All resources, operations and verbs of the service. They are checked when it starts: a definition that refers to something that
// is not there stops it.
import type { Field } from "./field.ts";
import type { Operation, Verbs } from "./operation.ts";
import type { Resource } from "./resource.ts";

export interface Pointer {
  /** The resource that points. Kinds that share a table are represented by the one that holds all of its rows. */
  from: Resource;
  field: string;
  rule: NonNullable<Field["ref"]>;
}

export interface Registry {
  operations: readonly Operation[];
  resources: readonly Resource[];
  resource(name: string): Resource | undefined;
  /** Who points at records of this resource. */
  pointersTo(name: string): readonly Pointer[];
  operation(name: string): Operation | undefined;
  /** How a resource does this. Throws where none of its operations does. */
  verb<R extends Resource, V extends keyof Verbs>(of: R, verb: V): Verbs<R>[V];
  /** Called after the commit of every transaction that wrote events. */
  announceEvents(): void;
}

export function buildRegistry(
  operations: readonly Operation[],
  extra: readonly Resource[] = [],
  announceEvents = () => {},
): Registry {
  const resources = new Map<string, Resource>();
  const named = [...operations.flatMap((operation) => operation.resource ?? []), ...extra];
  for (const one of named.flatMap((resource) => [resource, ...(resource.kinds?.of ?? [])])) {
    const known = resources.get(one.name);
    if (known !== undefined && known !== one) throw new Error(`two resources are named ${one.name}`);
    resources.set(one.name, one);
  }
  const byName = new Map<string, Operation>();
  const byRoute = new Set<string>();
  const verbs = new Map<string, Partial<Verbs>>();
  for (const operation of operations) {
    const route = `${operation.method} ${operation.path.replace(/\{[^}]+\}/g, "{}")}`;
    if (byRoute.has(route)) throw new Error(`two operations answer ${route}`);
    if (byName.has(operation.name)) throw new Error(`two operations are named ${operation.name}`);
    byRoute.add(route);
    byName.set(operation.name, operation);
    if (operation.resource && operation.verb !== null && operation.verbs) verbs.set(operation.resource.name, operation.verbs);
  }

  const all = [...resources.values()];
  for (const one of all) checkReferences(one, resources);
  const pointers = new Map<string, Pointer[]>();
  const atAnything = all.flatMap((one): Pointer[] =>
    one.about === undefined ? [] : [{ from: one, field: one.about, rule: about }],
  );
  for (const one of all) {
    if (one.only) continue;
    for (const [field, spec] of one.columns) {
      if (spec.ref === null) continue;
      const list = pointers.get(spec.ref.to) ?? [];
      pointers.set(spec.ref.to, [...list, { from: one, field, rule: spec.ref }]);
    }
  }

  return {
    operations,
    resources: all,
    resource: (name) => resources.get(name),
    pointersTo: (name) => [...(pointers.get(baseOf(resources, name)) ?? []), ...atAnything],
    operation: (name) => byName.get(name),
    verb: (of, verb) => verbs.get(of.name)?.[verb] ?? missing(of, verb),
    announceEvents,
  };
}

function missing(of: Resource, verb: string): never {
  throw new Error(`no operation gives ${of.name} the verb ${verb}: name it in the index of its area`);
}

/** What is said about a record belongs to it. */
const about: Pointer["rule"] = { to: "", onDelete: "cascade", onMove: "follow" };

// What points at an activity points at every kind of activity.
function baseOf(resources: ReadonlyMap<string, Resource>, name: string): string {
  const one = resources.get(name);
  if (one?.only === undefined) return name;
  return [...resources.values()].find((other) => other.table === one.table && other.kinds !== undefined)?.name ?? name;
}

/** What a reference that matches becomes elsewhere is for its target to say; where the record cannot be without it, something stands in. */
function checkMoves(one: Resource, key: string, { ref, nullable, names }: Field, resources: ReadonlyMap<string, Resource>): void {
  const elsewhere = ref?.onMove === "match" ? resources.get(ref.to)!.elsewhere : null;
  if (elsewhere === undefined) throw new Error(`${one.name}.${key} matches ${ref!.to}, which says nothing of elsewhere`);
  if (elsewhere && !nullable && elsewhere.make === undefined && elsewhere.instead === undefined)
    throw new Error(`${one.name}.${key} cannot be null, and for ${ref!.to} nothing stands in elsewhere`);
  const missing = names.flatMap(({ to }) => to).find((name) => !resources.has(name));
  if (missing !== undefined) throw new Error(`${one.name}.${key} names ${missing}, which no area defines`);
}

function checkReferences(one: Resource, resources: ReadonlyMap<string, Resource>): void {
  if (one.about !== undefined && one.fields[one.about]?.source !== "column")
    throw new Error(`${one.name} is about ${one.about}, which is no column of it`);
  for (const [key, field] of [...one.columns, ...one.shown]) {
    const target = field.source === "column" ? field.ref?.to : field.source === "label" ? field.to : undefined;
    if (target !== undefined && !resources.has(target))
      throw new Error(`${one.name}.${key} refers to ${target}, which no area defines`);
    if (field.source === "column") checkMoves(one, key, field, resources);
  }
  for (const relation of Object.values(one.expand ?? {})) {
    if (!resources.has(relation.resource)) throw new Error(`${one.name} expands ${relation.resource}, which no area defines`);
  }
}
