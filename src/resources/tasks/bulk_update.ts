// `PUT /task/`: one change for many tasks, all of them or none.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { type Given, JsonText, type Operation, type Parsed, reportUnknown } from "../../core/operation.ts";
import { from, type Patch } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { splitList } from "../../records/comparisons.ts";
import { ignoredFields, inputSchema, readPatch } from "../../records/input.ts";
import { readFieldNames, readList } from "../../records/list_input.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { listParameters } from "../../records/read_operations.ts";
import { checkOwner, findRecords, joinsOf, selectList } from "../../records/records.ts";
import { projectionOf } from "../../records/writer.ts";
import { unknownWithin } from "../../values/unknown_keys.ts";
import { checkApprovals } from "./approvals.ts";
import { task } from "./task.ts";
import { changeTasks, checkAssignee } from "./task_verbs.ts";

const tasksMax = 1000;
const changeable = ["assigned_to", "date", "due_date", "is_complete", "priority", "resolution"] as const;

const { shape } = inputSchema(task, "update") as z.ZodObject;
const changes = z.object(Object.fromEntries(changeable.map((key) => [key, shape[key]!])));

const paging = /^_(limit|skip|cursor|order_by|expand|count)$/;

interface BulkUpdate {
  /** Which tasks: by id, by any filter of the list, or both. */
  ids: readonly string[] | null;
  filters: Record<string, string>;
  values: Patch<typeof task>;
  fields: readonly string[] | null;
}

export const bulkUpdateTasks: Operation<BulkUpdate> = {
  name: "task.bulk_update",
  method: "PUT",
  path: "/task/",
  doc: `Changes up to ${tasksMax} tasks at once, chosen by \`id__in\` or by any filter of the list. Unknown ids are ignored.`,
  permission: "member",
  scope: "write_destructive",
  group: "bulk",
  status: 200,
  pastDue: false,
  transaction: true,
  mcp: true,
  resource: null,
  verb: null,
  output: z.strictObject({ data: z.array(outputSchema(task)), has_more: z.literal(false), count: z.int() }),
  // The filters of the list select the tasks. The shape of the input cannot declare them.
  parameters: listParameters(task).filter(({ name }) => !paging.test(name)),
  body: changes,
  parse: readBulkUpdate,
  run: updateTasks,
};

function readBulkUpdate(ctx: Ctx, given: Given): Parsed<BulkUpdate> {
  const { id__in, _fields, ...filters } = given.query;
  for (const key of Object.keys(filters)) if (paging.test(key)) throw invalid({ [key]: "is not known here" });
  if (id__in === undefined && Object.keys(filters).length === 0)
    throw invalid({ id__in: "is required: select tasks by id__in or by a filter of the list" });
  const ids = id__in === undefined ? null : [...new Set(splitList(id__in))];
  if (ids !== null && ids.length > tasksMax) throw invalid({ id__in: `must have ${tasksMax} values or fewer` });

  // A member that is no field of a task may have been meant as a filter.
  ignoredFields(task, { ...given, strict: true });
  const ignored = reportUnknown(unknownWithin(changes, given.body), given.strict);
  const { due_date, ...values } = readPatch(ctx, task, taken(given.body), {} as never);
  if (due_date !== undefined && values.date !== undefined && due_date !== values.date)
    throw invalid({ due_date: "differs from date" });
  return {
    input: {
      ids,
      filters,
      values: due_date === undefined ? values : { ...values, date: due_date },
      fields: readFieldNames(_fields),
    },
    ignored,
  };
}

const taken = (body: Record<string, unknown>) =>
  Object.fromEntries(changeable.filter((key) => Object.hasOwn(body, key)).map((key) => [key, body[key]]));

async function updateTasks(ctx: Ctx, { ids, filters, values, fields }: BulkUpdate): Promise<JsonText> {
  const conditions = [...(await readList(ctx, task, filters)).conditions, ...(ids === null ? [] : [sql`t.id = any(${ids})`])];
  // In the order of their ids, so that two such requests cannot deadlock.
  const tasks = await findRecords(ctx, task, conditions, sql`order by t.id limit ${tasksMax + 1} for update of t`);
  if (tasks.length > tasksMax) throw invalid({ id__in: `selects more than ${tasksMax} tasks: narrow the filters` });
  for (const one of tasks) checkOwner(ctx, task, one, "update");
  await checkApprovals(ctx, tasks, values);
  const { assigned_to } = values;
  if (assigned_to !== undefined && tasks.some((one) => one.assigned_to !== assigned_to)) checkAssignee(ctx, assigned_to);

  await changeTasks(ctx, tasks, values);
  return showTasks(
    ctx,
    tasks.map((one) => one.id),
    fields,
  );
}

async function showTasks(ctx: Ctx, ids: readonly string[], fields: readonly string[] | null): Promise<JsonText> {
  const projection = projectionOf(task, fields, (other) => ctx.registry.resource(other));
  const rows = await query(
    ctx,
    statement(sql`select ${selectList(ctx, projection)} from ${from(task, "t")} ${joinsOf(ctx, projection)}
      where t.organization_id = ${ctx.organization_id} and t.id = any(${ids}) order by t.date nulls last, t.id`),
  );
  const data = rows.map((row) => projection.write(row, ctx.directory, ctx)).join(",");
  return new JsonText(`{"data":[${data}],"has_more":false,"count":${ids.length}}`);
}
