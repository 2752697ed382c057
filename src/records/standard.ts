// The five verbs. `standard(resource, verbs, permissions)` makes operations from a definition. Each verb is `true`, or a plain
// function in its place. Verbs have no hooks.
import type { Operation, Verb, Verbs } from "../core/operation.ts";
import type { Resource } from "../core/resource.ts";
import { type GetVerb, getOperation, type ListVerb, listOperation } from "./read_operations.ts";
import type { Particulars, StandardPermissions } from "./standard_operation.ts";
import { plainVerbs } from "./verbs.ts";
import { createOperation, deleteOperation, updateOperation } from "./write_operations.ts";

/** All five, none special. */
export const crud = { list: true, get: true, create: true, update: true, delete: true } as const;

export type StandardVerbs<R extends Resource> = {
  list?: true | ListVerb;
  get?: true | GetVerb;
  /** Locks a record before it is changed or deleted, if that takes more than its own row. */
  lock?: Verbs<R>["lock"];
} & { [K in "create" | "update" | "delete"]?: true | Verbs<R>[K] };

/** The operations of a resource. */
export function standard<R extends Resource>(
  of: R,
  own: StandardVerbs<R>,
  permissions: StandardPermissions,
  particulars: Particulars = {},
): Operation[] {
  const parts = { of, verbs: verbsOf(of, own as StandardVerbs<Resource>), permissions, particulars };
  const make: Record<Verb, () => Operation> = {
    list: () => listOperation(parts, functionOf(own.list)),
    create: () => createOperation(parts, own.get !== undefined),
    get: () => getOperation(parts, functionOf(own.get)),
    update: () => updateOperation(parts),
    delete: () => deleteOperation(parts),
  };
  return (Object.keys(make) as Verb[]).filter((verb) => own[verb] !== undefined).map((verb) => make[verb]());
}

const functionOf = <F>(verb: true | F | undefined): F | undefined => (verb === true ? undefined : verb);

/** How records are written: by the plain verbs, or by the resource's own functions. A resource has only the verbs that it names. */
function verbsOf(of: Resource, own: StandardVerbs<Resource>): Partial<Verbs> {
  const given = { lock: true as const, ...own };
  const plain = plainVerbs(of);
  const written = (["create", "update", "delete", "lock"] as const).filter((verb) => given[verb] !== undefined);
  return Object.fromEntries(written.map((verb) => [verb, functionOf<unknown>(given[verb]) ?? plain[verb]]));
}
