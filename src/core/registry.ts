// All resources, operations and verbs of the service.
import type { Field } from "./field.ts";
import type { Operation, Verbs } from "./operation.ts";
import type { Resource } from "./resource.ts";

export interface Pointer {
  /** The resource that points. For kinds that share a table it is the resource that holds all rows. */
  from: Resource;
  field: string;
  rule: NonNullable<Field["ref"]>;
}

export interface Registry {
  operations: readonly Operation[];
  resources: readonly Resource[];
  resource(name: string): Resource | undefined;
  /** The fields that point at records of this resource. */
  pointersTo(name: string): readonly Pointer[];
  operation(name: string): Operation | undefined;
  /** The function behind a verb of a resource. Throws if the resource does not have the verb. */
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

/** What is `about` a record belongs to it, whatever kind the record is. */
const about: Pointer["rule"] = { to: "", onDelete: "cascade", onMove: "follow" };

// What points at an activity points at every kind of activity.
function baseOf(resources: ReadonlyMap<string, Resource>, name: string): string {
  const one = resources.get(name);
  if (one?.only === undefined) return name;
  return [...resources.values()].find((other) => other.table === one.table && other.kinds !== undefined)?.name ?? name;
}
