// `describe_fields`: what records of a type consist of in this workspace, and what may stand in their id fields.
import { z } from "zod";
import type { AnyField, Field } from "../../core/field.ts";
import type { Operation } from "../../core/operation.ts";
import type { Resource } from "../../core/resource.ts";
import { objectType, rowsFrom } from "../arguments.ts";
import { type ObjectType, readObjectType } from "../object_types.ts";
import { byAnother, dataResult } from "../shape.ts";
import { shapeOf } from "../shape_of.ts";
import { type ToolCall, tool } from "../tool.ts";

/** As the answer shows it. What is not said is false or unknown. */
interface Described {
  name: string;
  type: string;
  /** It can be set only when the record is created. */
  set?: "create";
  required?: true;
  /** What it is made of, where it is a list or an object: `[{email: string, type?: office|home}]`. */
  shape?: string;
  one_of?: readonly string[];
  /** The type of the records whose ids it holds. */
  refers_to?: string;
  /** The ids that may stand here. */
  values?: readonly Value[];
  doc?: string;
}

interface Value {
  id: string;
  label: string;
}

export const describeFields = tool({
  name: "describe_fields",
  doc: "The fields of an object type, custom ones included: types, which can be set, allowed values, and for id fields the ids that may stand there with their labels (members, statuses, pipelines, types). Use it before you filter, create or update.",
  scope: "read",
  input: { object_type: objectType, writable_only: z.boolean().optional(), rows_from: rowsFrom },
  output: {
    object_type: z.string(),
    can: z.array(z.string()),
    fields: z.array(z.looseObject({ name: z.string(), type: z.string() })),
    read_only: z.record(z.string(), z.string()),
    filters: z.array(z.string()),
    order_by: z.array(z.string()),
  },
  async run(call, { object_type, writable_only = false, rows_from = 0 }) {
    const type = readObjectType(call.types, object_type);
    const { resource, operations } = type;
    const all = resource === null ? [] : await settableFields(call, resource);
    const fields = all.slice(rows_from);
    const facts = {
      object_type: type.name,
      can: Object.keys(operations),
      ...(type.parents.length > 0 && { parents: type.parents }),
      ...(resource !== null && { fields }),
      ...actions(type),
      ...(!writable_only && resource !== null && { read_only: shownFields(resource) }),
      ...(!writable_only && operations.list && listed(operations.list, resource)),
    };
    return dataResult(facts, fields.map(lineOf).join("\n"));
  },
  onward: ({ rows_from }) => byAnother(rows_from),
});

const lineOf = ({ name, type, set, required, shape, one_of, refers_to, values }: Described): string =>
  [
    name,
    type,
    set === "create" ? "set on create" : "",
    required ? "required" : "",
    shape ?? "",
    one_of?.join("|") ?? "",
    refers_to === undefined ? "" : `id of ${refers_to}`,
    values?.map(({ id, label }) => `${id}=${label}`).join(", ") ?? "",
  ]
    .filter((part) => part !== "")
    .join("; ");

const ownFields = ({ fields }: Resource): [string, AnyField][] =>
  Object.entries(fields as Record<string, AnyField>).filter(([key]) => key !== "custom" && key !== "organization_id");

async function settableFields(call: ToolCall, resource: Resource): Promise<Described[]> {
  const own = ownFields(resource).filter(([, field]) => settable(field) !== null);
  const described = await Promise.all(own.map(([key, field]) => describe(call, key, field)));
  return resource.custom === undefined ? described : [...described, ...(await customFields(call, resource.custom))];
}

/** The types of the fields that only reads show, by their names. */
const shownFields = (resource: Resource): Record<string, string> =>
  Object.fromEntries(
    ownFields(resource)
      .filter(([, field]) => settable(field) === null && field.source !== "once" && !(field.source === "column" && field.hidden))
      .map(([key, field]) => [key, typeOf(field)]),
  );

function settable(field: AnyField): "always" | "create" | null {
  if ((field.source !== "column" && field.source !== "input") || (field.source === "column" && field.hidden)) return null;
  return field.mode === "write" ? "always" : field.mode === "create" ? "create" : null;
}

async function describe(call: ToolCall, name: string, field: AnyField): Promise<Described> {
  const column = field.source === "column" ? field : null;
  const targets = column === null ? [] : targetsOf(column);
  const values = (await Promise.all(targets.map((target) => valuesOf(call, target)))).flatMap((one) => one ?? []);
  return {
    name,
    type: typeOf(field),
    ...(settable(field) === "create" && { set: "create" }),
    ...(column?.required && { required: true as const }),
    ...("schema" in field && shown(shapeOf(field.schema))),
    ...(column?.choices && { one_of: column.choices }),
    ...(targets.length > 0 && values.length === 0 && { refers_to: targets.map((one) => pathOf(call, one)).join(", ") }),
    ...(values.length > 0 && { values }),
    ...("doc" in field && field.doc && { doc: field.doc }),
  };
}

/** Of a plain value the type says it all. */
const shown = (shape: string): { shape?: string } => (/^\[?\{\w/.test(shape) ? { shape } : {});

const targetsOf = ({ ref, names }: Field): string[] =>
  ref === null ? names.filter(({ key, past }) => key === null && !past).flatMap(({ to }) => to) : [ref.to];

const pathOf = ({ core }: ToolCall, target: string): string => core.registry.resource(target)?.path.slice(1) ?? target;

function typeOf(field: AnyField): string {
  if (field.source === "column") return field.ref !== null ? "id" : field.type === "texts" ? "list of text" : field.type;
  if (field.source === "label") return "text";
  return jsonTypeOf("output" in field ? field.output : field.schema);
}

interface JsonType {
  type?: string | string[];
  anyOf?: JsonType[];
}

function jsonTypeOf(schema: z.ZodType): string {
  const { type, anyOf } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonType;
  const types = [type ?? anyOf?.map((one) => one.type) ?? []].flat(2).filter((one) => one !== undefined && one !== "null");
  return types[0] ?? "json";
}

const valuesMax = 100;

/**
 * The ids of small records, and of those that agents cannot list by themselves: with their labels and nothing else. Of many records
 * a reference is read by `list_records`.
 */
async function valuesOf(call: ToolCall, target: string): Promise<Value[] | null> {
  const resource = call.core.registry.resource(target);
  const list = call.core.registry.operation(`${target}.list`);
  if (resource === undefined || list === undefined || !(resource.cached || !list.mcp)) return null;
  if (list.permission !== "member" && !call.actor.permissions.has(list.permission)) return null;
  const { body } = await call.perform(list, { query: { _limit: String(valuesMax) } });
  return body.data.map((row: Record<string, unknown>) => ({ id: row.id, label: labelOf(row) }));
}

const labels = ["label", "name", "display_name", "title", "email", "identities"];

function labelOf(row: Record<string, unknown>): string {
  const key = labels.find((one) => typeof row[one] === "string" && row[one] !== "");
  const own = key === undefined ? String(row.id) : (row[key] as string);
  return typeof row.pipeline_name === "string" ? `${row.pipeline_name}: ${own}` : own;
}

async function customFields(call: ToolCall, objectType: string): Promise<Described[]> {
  const { body } = await call.perform("custom_field.list", { params: { object_type: objectType }, query: { _limit: "200" } });
  return body.data.map((one: Record<string, any>) => ({
    name: `custom.${one.id}`,
    label: one.name,
    type: one.accepts_multiple_values ? `list of ${one.type}` : one.type,
    ...(one.required && { required: true }),
    ...(one.choices?.length > 0 && { one_of: one.choices.map((choice: any) => choice.label ?? choice) }),
    ...(one.description && { doc: one.description }),
  }));
}

/** What actions take that are no records. */
function actions({ operations: { create, update } }: ObjectType): { also_takes?: Record<string, unknown> } {
  const own = [create, update].filter((one): one is Operation => one !== undefined && one.verb === null && one.body !== null);
  if (own.length === 0) return {};
  return { also_takes: Object.fromEntries(own.map((one) => [one.name, propertiesOf(one.body!)])) };
}

const propertiesOf = (schema: z.ZodType): unknown =>
  (z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as { properties?: unknown }).properties ?? {};

/** Filters that are no field with a suffix, and the keys of an order. */
function listed({ parameters }: Operation, resource: Resource | null): { filters: string[]; order_by?: string[] } {
  const isOwn = ({ name }: { name: string }) =>
    !name.startsWith("_") && !Object.hasOwn(resource?.fields ?? {}, name.replace(/__(in|gt|gte|lt|lte|isnull)$/, ""));
  const order = resource === null ? [] : ["date_created", "date_updated", ...Object.keys(resource.sort ?? {})];
  return {
    filters: parameters.filter(isOwn).map(({ name }) => name),
    ...(order.length > 0 && { order_by: [...new Set(order)] }),
  };
}
