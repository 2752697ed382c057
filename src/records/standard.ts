// The five verbs. `standard(resource, verbs)` expands a definition into operations; for each verb one writes `true`, or a plain
// function in its place. A verb is replaced, never hooked into.
import { z } from "zod";
import type { Ctx } from "../core/context.ts";
import { conflict, type FieldErrors, invalid, notFound } from "../core/errors.ts";
import { type Given, JsonText, type Operation, type Parameter, refuseUnknownParameters, type Verb } from "../core/operation.ts";
import type { Permission } from "../core/permissions.ts";
import type { Create, Resource, Row } from "../core/resource.ts";
import { same } from "../core/row.ts";
import { name, type Sql, sql } from "../db/sql.ts";
import { ignoredFields, inputSchema, readCreate, readPatch } from "./input.ts";
import { expandIds, showList, withMembers as textWithMembers } from "./list.ts";
import { filterNames, limitDefault, limitMax, readExpand, readFieldNames, readList, sortKeys } from "./list_input.ts";
import { checkOwner, checkVisible, getRecord, lockRecord, shown, showRecord } from "./records.ts";
import { setVerbs, type Verbs, verbsOf } from "./verbs.ts";
import { outputSchema } from "./writer.ts";

/** All five, none special. */
export const crud = { list: true, get: true, create: true, update: true, delete: true } as const;

export type StandardVerbs<R extends Resource> = {
  list?: true | ((ctx: Ctx, query: Record<string, string>) => Promise<unknown>);
  get?: true | ((ctx: Ctx, id: string, fields: readonly string[] | null) => Promise<JsonText>);
} & { [K in keyof Verbs<R>]?: true | Verbs<R>[K] };

/** What the caller's role must hold. `member` is what every active member may do. */
type Required = Permission | "member";

/** One for all verbs, or one for `list` and `get`, one for the others, and exceptions by name. There is no default. */
export type StandardPermissions = Required | ({ read: Required; write: Required } & Partial<Record<Verb, Required>>);

/** The operations of a resource. */
export function standard<R extends Resource>(of: R, verbs: StandardVerbs<R>, permissions: StandardPermissions): Operation[] {
  setVerbs(of, onlyFunctions(verbs) as Partial<Verbs<R>>);
  const make: Record<Verb, () => Unpermitted> = {
    list: () => listOperation(of, verbs.list),
    create: () => createOperation(of, verbs.get !== undefined),
    get: () => getOperation(of, verbs.get),
    update: () => updateOperation(of),
    delete: () => deleteOperation(of),
  };
  return (Object.keys(make) as Verb[])
    .filter((verb) => verbs[verb] !== undefined)
    .map((verb) => Object.assign(make[verb](), { permission: permissionOf(verb, permissions) }));
}

const permissionOf = (verb: Verb, given: StandardPermissions): Required =>
  typeof given === "string" ? given : (given[verb] ?? (isWrite(verb) ? given.write : given.read));

const isWrite = (verb: Verb) => verb !== "list" && verb !== "get";

const onlyFunctions = (verbs: object) =>
  Object.fromEntries(
    Object.entries(verbs).filter(([verb, value]) => typeof value === "function" && verb !== "list" && verb !== "get"),
  );

type Unpermitted<I = any> = Omit<Operation<I>, "permission">;

function base(
  of: Resource,
  verb: Verb,
): Omit<Unpermitted, "method" | "path" | "doc" | "parse" | "run" | "parameters" | "body" | "output"> {
  const write = isWrite(verb);
  return {
    name: `${of.name}.${verb}`,
    group: write ? "write" : "read",
    scope: verb === "delete" ? "write_destructive" : write ? "write_safe" : "read",
    pastDue: !write,
    transaction: write,
    mcp: of.mcp !== false,
    narrows: verb === "create" && of.narrows === true,
    status: verb === "create" ? 201 : 200,
    resource: of,
    verb,
  };
}

// Schemas of bodies and answers are for the description, and for tests. Most processes are never asked for it, so they are made then:
// made at the start, for all verbs of a hundred resources, they took 40 MB.

const pathOf = (of: Resource) => of.path;
const noun = (of: Resource) => of.name.replaceAll("_", " ");
const fieldsParameter: Parameter = {
  name: "_fields",
  doc: "Only these fields of each record, separated by commas.",
  schema: z.string(),
};

// --- list ---

function listOperation(
  of: Resource,
  own: StandardVerbs<Resource>["list"],
): Unpermitted<{ params: Record<string, string>; query: Record<string, string> }> {
  return {
    ...base(of, "list"),
    method: "GET",
    path: `${pathOf(of)}/`,
    doc: `Lists ${plural(noun(of))}${of.order ? "" : ", newest first"}.`,
    get parameters() {
      return listParameters(of);
    },
    body: null,
    get output() {
      return listSchema(outputSchema(of));
    },
    parse: (_ctx, given) => ({ input: { params: given.params, query: given.query }, ignored: [] }),
    async run(ctx, { params, query }) {
      if (typeof own === "function") return own(ctx, query);
      return showList(ctx, of, await readList(ctx, of, query, await parentCondition(ctx, of, params)));
    },
  };
}

export const plural = (word: string) =>
  /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : /(s|x|sh|ch)$/.test(word) ? `${word}es` : `${word}s`;

/** The envelope of a list. */
export const listSchema = (element: z.ZodType) =>
  z.looseObject({
    data: z.array(element),
    has_more: z.boolean(),
    cursor_next: z.string().optional(),
    total_results: z.number().int().optional(),
  });

const anyText = z.string();

export function listParameters(of: Resource): Parameter[] {
  const filters = filterNames(of).map((filter) => ({ ...filter, schema: anyText }));
  const expand = Object.keys(of.expand ?? {});
  return [
    {
      name: "_limit",
      doc: "How many records at most.",
      schema: z.int().min(0).max(limitMax).default(limitDefault),
    },
    { name: "_skip", doc: "How many records to pass over.", schema: z.int().min(0).default(0) },
    {
      name: "_cursor",
      doc: "`cursor_next` of the page before, with the same filters and order.",
      schema: z.string(),
    },
    fieldsParameter,
    {
      name: "_order_by",
      doc: `Sort keys separated by commas, - in front for descending: ${[...sortKeys(of), ...(of.custom === undefined ? [] : ["custom.cf_…"])].join(", ")}.`,
      schema: z.string(),
    },
    { name: "_count", doc: "Adds `total_results`.", schema: z.enum(["exact", "estimate"]) },
    ...(expand.length > 0 ? [{ name: "_expand", doc: `Brings along: ${expand.join(", ")}.`, schema: z.string() }] : []),
    ...filters,
  ];
}

/** A nested list is that of a parent the caller may see. */
async function parentCondition(ctx: Ctx, of: Resource, params: Record<string, string>): Promise<Sql[]> {
  if (of.parent === undefined) return [];
  await getParent(ctx, of, params);
  return [sql`t.${name(of.parent)} = ${params[of.parent]}`];
}

async function getParent(ctx: Ctx, of: Resource, params: Record<string, string>): Promise<void> {
  const parent = ctx.registry.resource((of.fields[of.parent!] as { ref: { to: string } }).ref.to)!;
  await getRecord(ctx, parent, params[of.parent!]!);
}

// --- get ---

function getOperation(
  of: Resource,
  own: StandardVerbs<Resource>["get"],
): Unpermitted<{ id: string; query: Record<string, string> }> {
  const expand = Object.keys(of.expand ?? {});
  const parameters =
    expand.length > 0
      ? [fieldsParameter, { name: "_expand", doc: `Brings along: ${expand.join(", ")}.`, schema: z.string() }]
      : [fieldsParameter];
  const known = new Set(parameters.map((parameter) => parameter.name));
  const show = (ctx: Ctx, id: string, fields: readonly string[] | null) => showRecord(ctx, of, id, fields);
  return {
    ...base(of, "get"),
    method: "GET",
    path: `${pathOf(of)}/{id}/`,
    doc: `Answers one ${noun(of)}.`,
    parameters,
    body: null,
    get output() {
      return outputSchema(of);
    },
    parse(_ctx, given) {
      refuseUnknownParameters(given.query, known);
      return { input: { id: given.params.id!, query: given.query }, ignored: [] };
    },
    async run(ctx, { id, query }) {
      const fields = readFieldNames(query._fields);
      const errors: FieldErrors = {};
      const relations = readExpand(of, query._expand, fields, errors);
      if (Object.keys(errors).length > 0) throw invalid(errors);
      const unasked = fields === null ? expand.filter((one) => of.expand![one]!.unasked && !relations.includes(one)) : [];
      const record = await (typeof own === "function" ? own : show)(ctx, id, fields);
      return expandedRecord(ctx, of, id, record, [...relations, ...unasked]);
    },
  };
}

async function expandedRecord(ctx: Ctx, of: Resource, id: string, record: JsonText, names: readonly string[]): Promise<JsonText> {
  if (names.length === 0) return record;
  const [members] = await expandIds(ctx, of, names, [id]);
  return withMembers(record, members!);
}

// --- create ---

function createOperation(
  of: Resource,
  hasGet: boolean,
): Unpermitted<{ input: Create<Resource>; params: Record<string, string>; fields: string[] | null }> {
  return {
    ...base(of, "create"),
    method: "POST",
    path: `${pathOf(of)}/`,
    doc: `Creates a ${noun(of)}.`,
    parameters: [fieldsParameter],
    get body() {
      return inputSchema(of, "create");
    },
    get output() {
      return outputSchema(of);
    },
    parse(ctx, given) {
      refuseUnknownParameters(given.query, []);
      const { input, ignored } = readCreate(ctx, of, given);
      return { input: { input, params: given.params, fields: readFieldNames(given.query._fields) }, ignored };
    },
    async run(ctx, { input, params, fields }) {
      if (of.parent !== undefined) {
        await getParent(ctx, of, params);
        (input as Record<string, unknown>)[of.parent] = params[of.parent];
      }
      await checkVisible(ctx, of, input as Record<string, unknown>);
      const row = (await verbsOf(of).create(ctx, input)) as Row<Resource>;
      const path = pathOf(of).replace(/\{([^}]+)\}/g, (_, key: string) => params[key]!);
      if (hasGet) ctx.reply.headers.location = `/api/v1${path}/${row.id}/`;
      const record = await expandedRecord(ctx, of, row.id, await shown(ctx, of, row, fields), made(of, input, fields));
      return withSecrets(of, row, fields, record);
    },
  };
}

/** The relations that the answer to a create brings along: those that are named, else those that came with it. */
const made = (of: Resource, input: Record<string, any>, fields: readonly string[] | null): string[] =>
  Object.keys(of.expand ?? {}).filter((one) => (fields === null ? input[one]?.length > 0 : fields.includes(one)));

/** Adds what only this answer shows. */
export function withSecrets(of: Resource, row: object, fields: readonly string[] | null, record: JsonText): JsonText {
  const named = of.secrets.filter(([key]) => fields === null || fields.includes(key));
  if (named.length === 0) return record;
  return withMembers(record, named.map(([key]) => `,"${key}":${JSON.stringify((row as Record<string, unknown>)[key])}`).join(""));
}

/** Adds members, each `,"name":value`, to a finished record. */
export function withMembers(record: JsonText, members: string): JsonText {
  return new JsonText(textWithMembers(record.text, members), record.version);
}

// --- update ---

function updateOperation(
  of: Resource,
): Unpermitted<{ id: string; params: Record<string, string>; given: Given; fields: string[] | null }> {
  return {
    ...base(of, "update"),
    method: "PUT",
    path: `${pathOf(of)}/{id}/`,
    doc: `Changes the given fields of a ${noun(of)}.`,
    parameters: [fieldsParameter],
    get body() {
      return inputSchema(of, "update");
    },
    get output() {
      return outputSchema(of);
    },
    parse(_ctx, given) {
      refuseUnknownParameters(given.query, []);
      const input = {
        id: given.params.id!,
        params: given.params,
        given,
        fields: readFieldNames(given.query._fields),
      };
      return { input, ignored: ignoredFields(of, given) };
    },
    async run(ctx, { id, params, given, fields }) {
      const before = await lockForChange(ctx, of, id, params, "update");
      const patch = readPatch(ctx, of, given.body, before);
      await checkVisible(ctx, of, patch as Record<string, unknown>, before as Record<string, unknown>);
      await noteNotTaken(ctx, of, before, given);
      const row = (await verbsOf(of).update(ctx, before, patch)) as Row<Resource>;
      const record = await (row === before ? showRecord(ctx, of, id, fields) : shown(ctx, of, row, fields));
      return expandedRecord(ctx, of, row.id, record, readExpand(of, undefined, fields, {}));
    },
  };
}

/** What only a create takes is no mistake when it is what a read shows; else it is named. */
async function noteNotTaken(ctx: Ctx, of: Resource, before: Row<Resource>, { body, strict }: Given): Promise<void> {
  const names = Object.keys(body).filter((key) => of.fields[key]?.source === "input" && of.fields[key].mode === "create");
  if (names.length === 0) return;
  const record = await shown(ctx, of, before, names);
  const whole = await expandedRecord(ctx, of, before.id, record, readExpand(of, undefined, names, {}));
  const present = JSON.parse(whole.text) as Record<string, unknown>;
  const ignored = names.filter((name) => !same(body[name], present[name]));
  if (strict && ignored.length > 0)
    throw invalid(Object.fromEntries(ignored.map((name) => [name, "is taken by a create and not by an update"])));
  ctx.reply.ignored.push(...ignored);
}

async function lockForChange(
  ctx: Ctx,
  of: Resource,
  id: string,
  params: Record<string, string>,
  verb: "update" | "delete",
): Promise<Row<Resource>> {
  if (of.parent !== undefined) await getParent(ctx, of, params);
  const before = (await lockRecord(ctx, of, id)) as Row<Resource> & Record<string, unknown>;
  if (of.parent !== undefined && before[of.parent] !== params[of.parent]) throw notFound();
  checkOwner(ctx, of, before, verb);
  if (ctx.request.ifMatch?.includes(before.version) === false) throw conflict(412);
  return before;
}

// --- delete ---

function deleteOperation(of: Resource): Unpermitted<{ id: string; params: Record<string, string> }> {
  // The last field of a nested path names the record itself: `/opportunity/{opportunity_id}/line_item/{item_id}/`.
  const idField = of.parent === undefined ? "id" : "item_id";
  return {
    ...base(of, "delete"),
    method: "DELETE",
    path: `${pathOf(of)}/{${idField}}/`,
    doc: `Deletes a ${noun(of)}.`,
    parameters: [],
    body: null,
    output: z.strictObject({}),
    parse(_ctx, given) {
      refuseUnknownParameters(given.query, []);
      return { input: { id: given.params[idField]!, params: given.params }, ignored: [] };
    },
    async run(ctx, { id, params }) {
      await verbsOf(of).delete(ctx, await lockForChange(ctx, of, id, params, "delete"));
      return new JsonText("{}");
    },
  };
}
