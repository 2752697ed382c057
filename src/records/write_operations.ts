// The operations `create`, `update` and `delete` of a resource: everything that a request needs besides the verb itself.
import { z } from "zod";
import type { Ctx } from "../core/context.ts";
import { conflict, invalid, notFound } from "../core/errors.ts";
import { type Given, JsonText, type Operation, refuseUnknownParameters } from "../core/operation.ts";
import type { Create, Resource, Row } from "../core/resource.ts";
import { same } from "../values/same.ts";
import { ignoredFields, inputSchema, readCreate, readPatch } from "./input.ts";
import { readExpand, readFieldNames } from "./list_input.ts";
import { getParent } from "./read_operations.ts";
import { checkOwner, checkVisible, showRecord, showWritten } from "./records.ts";
import { answerAlone, withRelations, withSecrets } from "./single.ts";
import { aNoun, common, fieldsParameter, parametersOf, readOwn, type Standard, singleSchema } from "./standard_operation.ts";

// --- create ---

export function createOperation(
  of: Standard,
  hasGet: boolean,
): Operation<{
  input: Create<Resource>;
  params: Record<string, string>;
  query: Record<string, string>;
  fields: string[] | null;
}> {
  const resource = of.of;
  return {
    method: "POST",
    path: `${resource.path}/`,
    doc: `Creates ${aNoun(resource)}.`,
    parameters: parametersOf(of, "create", [fieldsParameter]),
    get body() {
      return inputSchema(resource, "create");
    },
    get output() {
      return singleSchema(of, "create");
    },
    parse(ctx, given) {
      const query = readOwn(of, "create", given.query);
      const { input, ignored } = readCreate(ctx, resource, given);
      return { input: { input, params: given.params, query, fields: readFieldNames(given.query._fields) }, ignored };
    },
    async run(ctx, { input, params, query, fields }, ready) {
      if (resource.parent !== undefined) {
        await getParent(ctx, resource, params);
        (input as Record<string, unknown>)[resource.parent] = params[resource.parent];
      }
      await checkVisible(ctx, resource, input as Record<string, unknown>);
      const row: Row<Resource> = await of.verbs.create!(ctx, input, { query, ready });
      const path = resource.path.replace(/\{([^}]+)\}/g, (_, key: string) => params[key]!);
      if (hasGet) ctx.reply.headers.location = `/api/v1${path}/${row.id}/`;
      const record = await showWritten(ctx, resource, row, fields);
      const answer = await answerAlone(ctx, of, row.id, record, made(resource, input, fields), fields);
      return withSecrets(resource, row, fields, answer);
    },
    ...common(of, "create"),
  };
}

/** The relations in the answer to a create: those that `_fields` names, else those that were created with it. */
const made = (of: Resource, input: Record<string, any>, fields: readonly string[] | null): string[] =>
  Object.keys(of.expand ?? {}).filter((one) => (fields === null ? input[one]?.length > 0 : fields.includes(one)));

// --- update ---

export function updateOperation(
  of: Standard,
): Operation<{ id: string; params: Record<string, string>; given: Given; fields: string[] | null }> {
  const resource = of.of;
  return {
    method: "PUT",
    path: `${resource.path}/{id}/`,
    doc: `Changes the given fields of ${aNoun(resource)}.`,
    parameters: [fieldsParameter],
    get body() {
      return inputSchema(resource, "update");
    },
    get output() {
      return singleSchema(of, "update");
    },
    parse(_ctx, given) {
      refuseUnknownParameters(given.query, []);
      const input = {
        id: given.params.id!,
        params: given.params,
        given,
        fields: readFieldNames(given.query._fields),
      };
      return { input, ignored: ignoredFields(resource, given) };
    },
    async run(ctx, { id, params, given, fields }, ready) {
      const before = await lockForChange(ctx, of, id, params, "update");
      const patch = readPatch(ctx, resource, given.body, before);
      await checkVisible(ctx, resource, patch as Record<string, unknown>, before as Record<string, unknown>);
      await noteNotTaken(ctx, resource, before, given);
      const row: Row<Resource> = await of.verbs.update!(ctx, before, patch, { query: {}, ready });
      const record = await (row === before ? showRecord(ctx, resource, id, fields) : showWritten(ctx, resource, row, fields));
      return answerAlone(ctx, of, row.id, record, readExpand(resource, undefined, fields), fields);
    },
    ...common(of, "update"),
  };
}

/** Reports create-only input in an update, or refuses it if `strict`. Input that equals what a read shows is accepted. */
async function noteNotTaken(ctx: Ctx, of: Resource, before: Row<Resource>, { body, strict }: Given): Promise<void> {
  const names = Object.keys(body).filter((key) => of.fields[key]?.source === "input" && of.fields[key].mode === "create");
  if (names.length === 0) return;
  const record = await showWritten(ctx, of, before, names);
  const whole = await withRelations(ctx, of, before.id, record, readExpand(of, undefined, names));
  const present = JSON.parse(whole.text) as Record<string, unknown>;
  const ignored = names.filter((name) => !same(body[name], present[name]));
  if (strict && ignored.length > 0)
    throw invalid(Object.fromEntries(ignored.map((name) => [name, "can only be set when the record is created"])));
  ctx.reply.ignored.push(...ignored);
}

async function lockForChange(
  ctx: Ctx,
  { of, verbs }: Standard,
  id: string,
  params: Record<string, string>,
  verb: "update" | "delete",
): Promise<Row<Resource>> {
  if (of.parent !== undefined) await getParent(ctx, of, params);
  const before: Row<Resource> & Record<string, unknown> = await verbs.lock!(ctx, id);
  if (of.parent !== undefined && before[of.parent] !== params[of.parent]) throw notFound();
  checkOwner(ctx, of, before, verb);
  if (ctx.request.ifMatch?.includes(before.version) === false) throw conflict(412);
  return before;
}

// --- delete ---

export function deleteOperation(
  of: Standard,
): Operation<{ id: string; params: Record<string, string>; query: Record<string, string> }> {
  const resource = of.of;
  // The last field of a nested path is the record itself: `/opportunity/{opportunity_id}/line_item/{item_id}/`.
  const idField = resource.parent === undefined ? "id" : "item_id";
  return {
    method: "DELETE",
    path: `${resource.path}/{${idField}}/`,
    doc: `Deletes ${aNoun(resource)}.`,
    parameters: parametersOf(of, "delete", []),
    body: null,
    output: z.strictObject({}),
    parse(_ctx, given) {
      const query = readOwn(of, "delete", given.query);
      return { input: { id: given.params[idField]!, params: given.params, query }, ignored: [] };
    },
    async run(ctx, { id, params, query }, ready) {
      await of.verbs.delete!(ctx, await lockForChange(ctx, of, id, params, "delete"), { query, ready });
      return new JsonText("{}");
    },
    ...common(of, "delete"),
  };
}
