// The kinds of object that the generic tools know. They follow from the operations: an object type is the path of its list without
// its parameters, such as `lead`, `activity/note` or `opportunity/line_item`. An action below a record is one too:
// `automations/publish` is created, `automations/runs` listed.
import type { z } from "zod";
import { invalid } from "../core/errors.ts";
import { type Operation, pathFields, type Verb } from "../core/operation.ts";
import type { Resource } from "../core/resource.ts";
import { notAmong } from "../values/reasons.ts";

export interface ObjectType {
  name: string;
  /** The resource whose records they are; null for what is no record. */
  resource: Resource | null;
  operations: Partial<Record<Verb, Operation>>;
  /** Values that its paths take besides the id of the record: `opportunity_id`. */
  parents: readonly string[];
}

export type ObjectTypes = ReadonlyMap<string, ObjectType>;

/** `covered` are the operations that a task tool does. */
export function objectTypesOf(operations: readonly Operation[], covered: ReadonlySet<string>): ObjectTypes {
  const types = new Map<string, ObjectType>();
  for (const operation of operations) {
    if (!operation.mcp || (operation.verb === null && (covered.has(operation.name) || operation.upload !== undefined))) continue;
    const slot = slotOf(operation);
    if (slot === null) continue;
    const name = nameOf(operation.path);
    const type = types.get(name) ?? { name, resource: null, operations: {}, parents: [] };
    if (type.operations[slot] !== undefined && operation.verb === null) continue;
    types.set(name, {
      name,
      resource: type.resource ?? operation.resource,
      operations: { ...type.operations, [slot]: operation },
      parents: [...new Set([...type.parents, ...parentsOf(operation)])],
    });
  }
  return new Map([...types].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const nameOf = (path: string): string => path.replace(/\{[^}]+\}\//g, "").slice(1, -1);

/** What an operation is among the verbs. What is more than a write that can be taken back has a tool of its own, or none. */
function slotOf({ verb, method, scope, output }: Operation): Verb | null {
  if (verb !== null) return verb;
  if (method === "GET") return hasData(output) ? "list" : "get";
  if (method === "DELETE") return "delete";
  if (scope === "write_destructive") return null;
  return method === "POST" ? "create" : "update";
}

const hasData = (schema: z.ZodType): boolean => "shape" in schema && Object.hasOwn(schema.shape as object, "data");

/** The parameters of a path that are not the record itself: its last one, if the path of a verb ends with it; else `id`. */
export function parentsOf(operation: Operation): string[] {
  const own = ownField(operation);
  return pathFields(operation.path).filter((field) => field !== own);
}

/** The parameter of the path that the argument `id` fills, if there is one. */
export function ownField({ path, verb, method }: Operation): string | null {
  const fields = pathFields(path);
  const last = path.endsWith("}/") ? fields.at(-1)! : null;
  if (verb === "list" || verb === "create") return null;
  if (verb !== null || method === "DELETE") return last;
  return fields.includes("id") ? "id" : last;
}

/** Refuses an unknown type with the nearest names. */
export function readObjectType(types: ObjectTypes, name: string): ObjectType {
  const type = types.get(name.replace(/^\/|\/$/g, ""));
  if (type === undefined) throw invalid({ object_type: notAmong(name, types.keys()) });
  return type;
}

const doing: Record<Verb, string> = {
  list: "be listed",
  get: "be read one by one",
  create: "be created",
  update: "be changed",
  delete: "be deleted",
};

/** The operation of a verb, or a refusal that says what the type can do instead. */
export function operationFor(type: ObjectType, ...verbs: [Verb, ...Verb[]]): Operation {
  for (const verb of verbs) if (type.operations[verb] !== undefined) return type.operations[verb]!;
  const can = (Object.keys(type.operations) as Verb[]).map((verb) => doing[verb]);
  throw invalid({ object_type: `${type.name} cannot ${doing[verbs[0]]} here; it can ${can.join(" and ")}` });
}
