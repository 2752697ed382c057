// Reads records, and changes them through the front door: `createRecord`, `updateRecord` and `deleteRecord` run the rules of the
// record's resource, so no change can skip them.

import { type Ctx, may, query, read, transactionOf } from "../core/context.ts";
import { below, invalid, notAllowed, notFound } from "../core/errors.ts";
import { JsonText } from "../core/operation.ts";
import { type Create, from, kindOf, type Patch, type Resource, type Row, scope, within } from "../core/resource.ts";
import { rowReader } from "../core/row.ts";
import type { Statement, TextRow } from "../db/database.ts";
import { and, empty, join, name, Place, raw, type Sql, sql, statement, type Template, template } from "../db/sql.ts";
import { isId } from "../values/id.ts";
import { same } from "../values/same.ts";
import { allColumns } from "./columns.ts";
import { type CustomField, customFieldsOf } from "./custom_fields.ts";
import { isSelfContained, renderRow } from "./render.ts";
import { renderedProjectionOf } from "./rendered.ts";
import { type Joined, type Projection, projectionOf } from "./writer.ts";

// --- reading ---

/** The finished JSON of one record, or 404. */
export const showRecord = async (
  ctx: Ctx,
  of: Resource,
  id: string,
  fields: readonly string[] | null = null,
): Promise<JsonText> => (await findShown(ctx, of, id, fields)) ?? fail();

async function findShown(ctx: Ctx, of: Resource, id: string, fields: readonly string[] | null): Promise<JsonText | null> {
  if (!isId(of.prefix, id)) return null;
  const lookup = (other: string) => ctx.registry.resource(other);
  const plainVisibility = seesAll(ctx, of);
  const rendered = fields === null && plainVisibility ? renderedProjectionOf(of, lookup) : undefined;
  if (rendered !== undefined && isPlain(ctx, rendered)) {
    const [row] = await read(ctx, byId(ctx, of, id, rendered));
    if (row === undefined) return null;
    const text = rendered.write(row, ctx.directory, ctx);
    if (text !== "") return new JsonText(text, Number(row[rendered.versionAt]));
  }

  const projection = projectionOf(of, fields, lookup);
  const [row] =
    plainVisibility && isPlain(ctx, projection)
      ? await read(ctx, byId(ctx, of, id, projection))
      : await query(ctx, statement(selectOne(ctx, of, id, projection)));
  if (row === undefined) return null;
  return new JsonText(projection.write(row, ctx.directory, ctx), Number(row[projection.versionAt]));
}

const byIdTexts = new WeakMap<Projection, Statement>();

// The most frequent statement: its text is made once for each set of fields.
function byId(ctx: Ctx, of: Resource, id: string, projection: Projection): Statement {
  let kept = byIdTexts.get(projection);
  if (kept === undefined) {
    const only = of.only ? ` and t.${of.only.column} = '${of.only.value}'` : "";
    const text = `select ${projection.select} from ${name(of.table).sql} t ${projection.joins.map((one) => one.text).join(" ")} where t.organization_id = $1 and t.id = $2${only}`;
    byIdTexts.set(projection, (kept = { text, values: [], name: statementName(of, "get", projection.select) }));
  }
  return { text: kept.text, name: kept.name, values: [ctx.organization_id, id] };
}

function selectOne(ctx: Ctx, of: Resource, id: string, projection: Projection): Sql {
  return sql`select ${selectList(ctx, projection)} from ${from(of, "t")} ${joinsOf(ctx, projection)}
    where ${and([...scope(ctx, of), sql`t.id = ${id}`])}`;
}

/** Selects a record that was just written, even if the caller may not see it any more. */
const selectWritten = (ctx: Ctx, of: Resource, id: string, projection: Projection): Sql =>
  sql`select ${selectList(ctx, projection)} from ${from(of, "t")} ${joinsOf(ctx, projection)}
    where t.organization_id = ${ctx.organization_id} and t.id = ${id}`;

/** The select list, with the expressions of related fields at its end. */
export function selectList(ctx: Ctx, projection: Pick<Projection, "select" | "related">): Sql {
  return join([raw(projection.select), ...projection.related.map(([, field]) => field.sql("t", ctx))], ", ");
}

/** The joins for its labels. A record that the caller may not see gives no label. */
export const joinsOf = (ctx: Ctx, { joins }: Pick<Projection, "joins">): Sql =>
  joins.length === 0
    ? empty
    : join(
        joins.map((one) => joinOf(ctx, one)),
        " ",
      );

function joinOf(ctx: Ctx, { of, alias, text }: Joined): Sql {
  const rule = of.visible?.(ctx, alias);
  return rule ? and([raw(text), rule]) : raw(text);
}

const seesAll = (ctx: Ctx, of: Resource, alias = "t"): boolean => of.deleted === undefined && of.visible?.(ctx, alias) == null;

/** Its text is the same for every caller. */
const isPlain = (ctx: Ctx, { related, joins }: Projection): boolean =>
  related.length === 0 && joins.every(({ of, alias }) => seesAll(ctx, of, alias));

const names = new Map<string, string>();

/** A short name for a prepared statement, the same for the same text. */
export function statementName(of: Resource, verb: string, text: string): string {
  const key = `${of.name}.${verb}.${text}`;
  let kept = names.get(key);
  if (kept === undefined) names.set(key, (kept = `${of.name}.${verb}.${names.size}`));
  return kept;
}

/** The record. Throws a 404 if it does not exist or the caller may not see it. */
export async function getRecord<R extends Resource>(ctx: Ctx, of: R, id: string): Promise<Row<R>> {
  return (await findRecord(ctx, of, id)) ?? fail();
}

/** The record, or null if it does not exist or the caller may not see it. */
export async function findRecord<R extends Resource>(ctx: Ctx, of: R, id: string): Promise<Row<R> | null> {
  if (!isId(of.prefix, id)) return null;
  const [row] = seesAll(ctx, of)
    ? (await query(ctx, findOf(of)({ organization_id: ctx.organization_id, id }))).map(readRow(of))
    : await findRecords(ctx, of, [sql`t.id = ${id}`]);
  return row ?? null;
}

/** The record with this id and its kind, whatever that is; null if it does not exist or the caller may not see it. */
export async function findAnyRecord(ctx: Ctx, id: string): Promise<{ of: Resource; kind: Resource; row: Row<Resource> } | null> {
  const of = resourceWith(ctx, id);
  const row = of === undefined ? null : await findRecord(ctx, of, id);
  return row === null ? null : { of: of!, kind: kindOf(of!, row), row };
}

/** The finished JSON of the record with this id, whatever its kind; null if it does not exist or the caller may not see it. */
export async function showAnyRecord(ctx: Ctx, id: string): Promise<JsonText | null> {
  const of = resourceWith(ctx, id);
  if (of === undefined) return null;
  const kind = of.kinds === undefined ? of : (await findAnyRecord(ctx, id))?.kind;
  return kind === undefined ? null : findShown(ctx, kind, id, null);
}

/** The record with this id and its kind, locked. Throws a 404 like `getRecord`. */
export async function lockAnyRecord(ctx: Ctx, id: string): Promise<{ kind: Resource; row: Row<Resource> }> {
  const of = resourceWith(ctx, id) ?? fail();
  const kind = of.kinds === undefined ? of : ((await findAnyRecord(ctx, id))?.kind ?? fail());
  return { kind, row: await ctx.registry.verb(kind, "lock")(ctx, id) };
}

/** The kind of record whose ids look like this. */
export const resourceWith = ({ registry }: Ctx, id: string): Resource | undefined =>
  registry.resources.find((one) => one.only === undefined && isId(one.prefix, id));

/**
 * The records that meet all conditions, on the alias `t`. For bounded sets. `as` makes it a prepared statement, for what is often
 * asked with the same few conditions: of a table with many indexes, planning takes longer than reading.
 */
export async function findRecords<R extends Resource>(
  ctx: Ctx,
  of: R,
  conditions: readonly Sql[],
  tail: Sql = raw(""),
  as?: string,
): Promise<Row<R>[]> {
  const all = sql`select ${allColumns(of)} from ${from(of, "t")} where ${and([...scope(ctx, of), ...conditions])} ${tail}`;
  const rows = await query(ctx, statement(all, as && ((text) => statementName(of, as, text))));
  return rows.map(readRow(of));
}

/** The record, locked until the transaction ends. Throws a 404 like `getRecord`. */
export async function lockRecord<R extends Resource>(ctx: Ctx, of: R, id: string): Promise<Row<R>> {
  if (!isId(of.prefix, id)) throw notFound();
  const [row] = seesAll(ctx, of)
    ? (await query(ctx, lockOf(of)({ organization_id: ctx.organization_id, id }))).map(readRow(of))
    : await findRecords(ctx, of, [sql`t.id = ${id}`], sql`for update of t`);
  return row ?? fail();
}

interface RecordId {
  organization_id: string;
  id: string;
}

// Every update and every delete begins with one of these. Planning it each time would take as long as the update.
const [findOf, lockOf] = [oneOf("find", sql``), oneOf("lock", sql`for update of t`)];

function oneOf(verb: string, end: Sql): (of: Resource) => Template<RecordId> {
  const texts = new WeakMap<Resource, Template<RecordId>>();
  return (of) => {
    let kept = texts.get(of);
    if (kept === undefined) {
      const organization = new Place<RecordId>((given) => given.organization_id);
      const conditions = [...within(organization, of, "t"), sql`t.id = ${new Place<RecordId>((given) => given.id)}`];
      const one = sql`select ${allColumns(of)} from ${from(of, "t")} where ${and(conditions)} ${end}`;
      texts.set(of, (kept = template(one, (text) => statementName(of, verb, text))));
    }
    return kept;
  };
}

function fail(): never {
  throw notFound();
}

/** Refuses to change or delete a record, if the caller lacks the permission for other people's records or for their own. */
export function checkOwner<R extends Resource>(ctx: Ctx, of: R, row: Row<R>, verb: "update" | "delete"): void {
  if (of.owned === undefined) return;
  const { by } = of.owned;
  const mine = typeof by === "function" ? by(ctx, row) : (row as Record<string, unknown>)[by] === ctx.actor.user_id;
  const { own, others } = of.owned;
  const allowed = may(ctx, others) || (mine && (verb === "update" || own === "member" || may(ctx, own)));
  if (!allowed) throw notAllowed(mine ? own : others);
}

const readRow = <R extends Resource>(of: R): ((texts: TextRow) => Row<R>) => {
  let reader = readers.get(of);
  if (reader === undefined) readers.set(of, (reader = rowReader(of) as (texts: TextRow) => Row<Resource>));
  return reader as (texts: TextRow) => Row<R>;
};
const readers = new WeakMap<Resource, (texts: TextRow) => Row<Resource>>();

// --- changing ---

/** Creates a record by the rules of its resource. `input` is what a parsed body would give. */
export async function createRecord<R extends Resource>(ctx: Ctx, of: R, input: Create<R>): Promise<Row<R>> {
  await checkVisible(ctx, of, input as Record<string, unknown>);
  return (await ctx.registry.verb(of, "create")(ctx, input)) as Row<R>;
}

/** Changes a record by the rules of its resource. */
export async function updateRecord<R extends Resource>(ctx: Ctx, of: R, id: string, patch: Patch<R>): Promise<Row<R>> {
  return updateLocked(ctx, of, (await ctx.registry.verb(of, "lock")(ctx, id)) as Row<R>, patch);
}

/** The same for a record that its resource's `lock` has returned. */
export async function updateLocked<R extends Resource>(ctx: Ctx, of: R, before: Row<R>, patch: Patch<R>): Promise<Row<R>> {
  checkOwner(ctx, of, before, "update");
  await checkVisible(ctx, of, patch as Record<string, unknown>, before as Record<string, unknown>);
  return (await ctx.registry.verb(of, "update")(ctx, before, patch)) as Row<R>;
}

/**
 * Deletes a record by the rules of its resource.
 * @public completes the front door
 */
export async function deleteRecord<R extends Resource>(ctx: Ctx, of: R, id: string): Promise<void> {
  const before = await ctx.registry.verb(of, "lock")(ctx, id);
  checkOwner(ctx, of, before, "delete");
  await ctx.registry.verb(of, "delete")(ctx, before);
}

/**
 * Refuses ids in a body whose record the caller may not see. For records that no role hides the foreign key checks it. The
 * record's stored ids (`before`) are always accepted.
 */
export async function checkVisible(
  ctx: Ctx,
  of: Resource,
  values: Record<string, any>,
  before: Record<string, any> = {},
): Promise<void> {
  for (const [key, field] of of.columns) {
    if (field.resolve !== null && values[key] != null && !same(values[key], before[key]))
      values[key] = await below(key, () => field.resolve!(values[key], ctx, before[key]));
  }
  for (const [key, field] of of.columns) {
    const id = values[key];
    if (field.ref === null || typeof id !== "string" || id === before[key]) continue;
    const target = ctx.registry.resource(field.ref.to)!;
    const exists = target.cached
      ? ctx.directory.find(target.name, id) !== undefined
      : isId(target.prefix, id) && (target.visible?.(ctx, "t") == null || (await findRecord(ctx, target, id)) !== null);
    if (!exists) throw invalid({ [key]: "does not exist" });
  }
  if (of.custom !== undefined)
    await checkCustomIds(ctx, customFieldsOf(ctx.directory, of.custom), values.custom ?? {}, before.custom ?? {});
}

/** The same for custom values that refer to contacts and custom objects. */
async function checkCustomIds(
  ctx: Ctx,
  fields: ReadonlyMap<string, CustomField>,
  values: Record<string, unknown>,
  before: Record<string, unknown>,
): Promise<void> {
  for (const [key, field] of fields) {
    if ((field.type !== "contact" && field.type !== "custom_object") || values[key] === undefined) continue;
    const kept = [before[key]].flat();
    const ids = [values[key] as string | string[]].flat().filter((id) => !kept.includes(id));
    const target = ctx.registry.resource(field.type);
    const found = ids.length === 0 || target === undefined ? [] : await findRecords(ctx, target, [sql`t.id = any(${ids})`]);
    const fit = found.filter((row) => field.type === "contact" || row.custom_object_type_id === field.referenced_custom_type_id);
    if (fit.length < ids.length) throw invalid({ [key]: "does not exist" });
  }
}

/** The answer to a write: the record as a read shows it. If that needs a join, it is read back together with the write. */
export async function showWritten<R extends Resource>(
  ctx: Ctx,
  given: R,
  row: Row<R>,
  fields: readonly string[] | null = null,
): Promise<JsonText> {
  const of: Resource = kindOf(given, row);
  const lookup = (other: string) => ctx.registry.resource(other);
  const { id, version } = row as { id: string; version: number };
  if (fields !== null) return showRecord(ctx, of, id, fields);
  if (isSelfContained(of, row, lookup)) return new JsonText(renderRow(of, row, ctx.directory, ctx, lookup), version);
  const kept = renderedProjectionOf(of, lookup);
  const text = (kept && (await readBack(ctx, of, id, kept))) || (await readBack(ctx, of, id, projectionOf(of, null, lookup)));
  return new JsonText(text, version);
}

async function readBack(ctx: Ctx, of: Resource, id: string, projection: Projection): Promise<string> {
  const [row] = await transactionOf(ctx).read(
    isPlain(ctx, projection) ? byId(ctx, of, id, projection) : statement(selectWritten(ctx, of, id, projection)),
  );
  if (row === undefined) throw notFound();
  return projection.write(row, ctx.directory, ctx);
}
