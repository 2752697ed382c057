// Deletes every row of an organization, some thousands in each transaction. The tables are read from the database catalog, so new
// tables need nothing here.
import { type Ctx, query, transactionOf, write } from "../../core/context.ts";
import { join, name, type Sql, sql, statement } from "../../db/sql.ts";
import { announceChange } from "../../records/change.ts";
import { deferConstraints } from "../../records/defer_constraints.ts";
import { leaveShares } from "../contacts/sharing.ts";

/** A part of the work in one transaction. Returns whether there may be more. */
type Step = (ctx: Ctx) => Promise<boolean>;

/** The most rows of one transaction: a quarter of a second for a table that many others refer to. */
const chunk = 1000;
/** Fewer of these, because each may change a contact of another organization. */
const sharesAtOnce = 100;

/** The steps, in order, until hardly any row is left. Repeating a step does no harm. */
export async function stepsOf(ctx: Ctx): Promise<Step[]> {
  const catalogue = await readCatalogue(ctx);
  const small = catalogue.tables.filter((table) => !kept.has(table.name));
  return [
    leaveSharesSome,
    ...catalogue.inCircles.map(({ from, column }) => clearing(tableNamed(small, from), column)),
    ...small.map(emptying),
  ];
}

/**
 * Deletes the remaining rows and the organization itself. This waits for transactions that still write, and no new ones can
 * start.
 */
export async function eraseRest(ctx: Ctx): Promise<void> {
  await query(ctx, statement(sql`select from organization where id = ${ctx.organization_id} for update`));
  deferConstraints(ctx);
  const { tables } = await readCatalogue(ctx);
  for (const table of tables)
    write(ctx, statement(sql`delete from ${name(table.name)} where organization_id = ${ctx.organization_id}`));
  announceChange(ctx);
}

/** The work itself is a job of the organization, so this table comes last. */
const kept: ReadonlySet<string> = new Set(["organization", "job"]);

// --- steps ---

/** Contacts that it shared stay with the other organizations. */
const leaveSharesSome: Step = async (ctx) => {
  const rows = await query(ctx, {
    text: "select id, share_id from contact where organization_id = $1 and share_id is not null order by id limit $2",
    values: [ctx.organization_id, sharesAtOnce],
  });
  write(ctx, {
    text: "update contact set share_id = null, shared_at = null where organization_id = $1 and id = any($2)",
    values: [ctx.organization_id, rows.map(([id]) => id)],
  });
  await leaveShares(
    ctx,
    rows.map(([, share_id]) => ({ share_id: share_id! })),
  );
  return rows.length === sharesAtOnce;
};

const emptying =
  (table: Table): Step =>
  async (ctx) => {
    const chosen = someOf(ctx, table, sql`true`);
    const gone = await transactionOf(ctx).read(
      statement(sql`${chosen} delete from ${name(table.name)} t using chosen c
        where t.organization_id = ${ctx.organization_id} and ${isChosen(table)} returning 1`),
    );
    return gone.length === chunk;
  };

/** When the references between rows are cleared, the rows can be deleted in any order. */
const clearing =
  (table: Table, column: string): Step =>
  async (ctx) => {
    const chosen = someOf(ctx, table, sql`${name(column)} is not null`);
    const cleared = await transactionOf(ctx).read(
      statement(sql`${chosen} update ${name(table.name)} t set ${name(column)} = null from chosen c
        where t.organization_id = ${ctx.organization_id} and ${isChosen(table)} returning 1`),
    );
    return cleared.length === chunk;
  };

const someOf = (ctx: Ctx, table: Table, where: Sql): Sql => {
  const key = join(table.key.map(name), ", ");
  return sql`with chosen as materialized (
    select ${key} from ${name(table.name)} where organization_id = ${ctx.organization_id} and ${where} order by ${key} limit ${chunk})`;
};

const isChosen = (table: Table): Sql =>
  join(
    table.key.map((column) => sql`t.${name(column)} = c.${name(column)}`),
    " and ",
  );

// --- the database catalog ---

interface Table {
  name: string;
  /** The columns of its primary key beside the organization. */
  key: string[];
}

interface Reference {
  from: string;
  column: string;
  to: string;
}

/** The tables, each before those that it refers to. Also the references within circles of tables and from a table to itself. */
async function readCatalogue(ctx: Ctx): Promise<{ tables: Table[]; inCircles: Reference[] }> {
  const tables = (await query(ctx, { text: tablesQuery, values: [] })).map(([table, key]) => ({
    name: table!,
    key: JSON.parse(key!) as string[],
  }));
  const all = (await query(ctx, { text: referencesQuery, values: [] })).map(([from, column, to]) => ({
    from: from!,
    column: column!,
    to: to!,
  }));
  const inCircles = all.filter(({ from, to }) => leadsTo(all, to, from));
  return {
    tables: inOrder(
      tables,
      all.filter((one) => !inCircles.includes(one)),
    ),
    inCircles,
  };
}

function leadsTo(references: readonly Reference[], from: string, to: string): boolean {
  const reached = new Set([from]);
  for (const table of reached) for (const one of references) if (one.from === table) reached.add(one.to);
  return reached.has(to);
}

/** Tables without references come last. A change that ends while we wait for its row may still have written an event. */
function inOrder(tables: readonly Table[], references: readonly Reference[]): Table[] {
  const referring = new Set(references.map(({ from }) => from));
  const place = ({ name }: Table) => Number(!referring.has(name));
  const remaining = new Set([...tables].sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1)));
  const ordered: Table[] = [];
  while (remaining.size > 0) {
    const isFree = (table: Table) =>
      !references.some(({ from, to }) => to === table.name && remaining.has(tableNamed(tables, from)));
    const next = [...remaining].find(isFree)!;
    remaining.delete(next);
    ordered.push(next);
  }
  return ordered;
}

const tableNamed = (tables: readonly Table[], named: string): Table => tables.find(({ name }) => name === named)!;

// The list of stored bytes to be removed outlives the organization.
const tablesQuery = `select c.relname, (
    select json_agg(a.attname order by array_position(k.conkey, a.attnum)) from pg_constraint k
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any(k.conkey) and a.attname <> 'organization_id'
    where k.conrelid = c.oid and k.contype = 'p')
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> 'stored_bytes_removal'
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped)`;

// The first column of a reference is the organization.
const referencesQuery = `select f.relname, a.attname, t.relname from pg_constraint k
  join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
  join pg_attribute a on a.attrelid = f.oid and a.attnum = k.conkey[cardinality(k.conkey)]
  where k.contype = 'f' and f.relnamespace = 'public'::regnamespace and not f.relispartition`;
