// Takes back what rows of an import did, the last row first. What others have changed or used since stays, with the reason.
import { type Ctx, query, transactionOf, write } from "../../core/context.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { name, sql, statement } from "../../db/sql.ts";
import { type Job, release } from "../../jobs/job.ts";
import { readPatch } from "../../records/input.ts";
import { checkOwner, deleteRecord, findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { refusalOf } from "../shared/refused_words.ts";
import { picked } from "./change_of.ts";
import { keptUntil, revertibleUntil } from "./clear_rows.ts";
import { importResource } from "./import.ts";
import type { Import, Touched } from "./import_rows.ts";
import { stayingOf } from "./used_since.ts";

const keptMost = 100;

/** What became of one record; a reason if it stays. */
type Result = "deleted" | "restored" | "gone" | "stays" | Kept;

interface Kept {
  object_id: string;
  reason: string;
  /** It was only not for whoever reverts. Somebody else may take it back. */
  isLeft?: true;
}

/** Takes back up to `most` rows. Returns whether more follow at once. */
export async function revertRows(
  ctx: Ctx,
  job: Job,
  imp: Import,
  { most, mayGoOn }: { most: number; mayGoOn: boolean },
): Promise<boolean> {
  const rows = await lastRows(ctx, imp.id, most);
  const touched = rows.flatMap(({ kept }) => kept.toReversed());
  const stays = await stayingOf(ctx, imp, touched);
  const results = new Map<Touched, Result>();
  for (const one of touched) results.set(one, await takeBack(ctx, one, stays.get(one.id)));
  const isLeft = (one: Touched) => {
    const result = results.get(one)!;
    return typeof result !== "string" && result.isLeft === true;
  };
  forget(
    ctx,
    imp.id,
    rows.map(({ n, kept }) => ({ n, left: kept.filter(isLeft) })),
  );
  const after = count(ctx, imp, [...results.values()]);
  if (rows.length < most) {
    const clears_at = (await leftOf(ctx, imp.id)) > 0 ? revertibleUntil(new Date(imp.date_completed!)) : keptUntil(ctx.now);
    store.update(ctx, importResource, after, { status: "reverted", clears_at }, undefined, "reverted");
    release(ctx, job, null);
    return false;
  }
  if (!mayGoOn) release(ctx, job, ctx.now);
  return mayGoOn;
}

async function lastRows(ctx: Ctx, importId: string, most: number): Promise<{ n: number; kept: Touched[] }[]> {
  const rows = await transactionOf(ctx).read({
    name: "import_row.last",
    text: `select n, kept from import_row where organization_id = $1 and import_id = $2 and jsonb_typeof(kept) = 'array' order by n desc limit $3`,
    values: [ctx.organization_id, importId, most],
  });
  return rows.map(([n, kept]) => ({ n: Number(n), kept: JSON.parse(kept!) }));
}

async function takeBack(ctx: Ctx, { of, id, was, is }: Touched, stays: string | undefined): Promise<Result> {
  // What the import itself changed of it stays with it.
  if (stays !== undefined) return was === undefined ? { object_id: id, reason: stays } : "stays";
  const resource = ctx.registry.resource(of)!;
  const [present] = await findRecords(ctx, resource, [sql`t.id = ${id}`], sql`for update of t`);
  if (present === undefined)
    return (await isHidden(ctx, resource, id)) ? { object_id: id, reason: hidden, isLeft: true } : "gone";
  try {
    if (was !== undefined) return await restore(ctx, resource, present, was, is!);
    await deleteRecord(ctx, resource, id);
    return "deleted";
  } catch (problem) {
    const refusal = refusalOf(problem);
    if (refusal === null) throw problem;
    return { object_id: id, reason: refusal.words, ...(refusal.status === 403 && { isLeft: true }) };
  }
}

export const hidden = "is not visible any more to whoever reverts the import: somebody who sees it can revert the rest";

/** What an import made or changed may belong to somebody else since. */
async function isHidden(ctx: Ctx, of: Resource, id: string): Promise<boolean> {
  const found = await query(
    ctx,
    statement(sql`select t.id from ${name(of.table)} t where t.organization_id = ${ctx.organization_id} and t.id = ${id}`),
  );
  return found.length > 0;
}

/** Fields that somebody has changed since stay as they are. */
async function restore(
  ctx: Ctx,
  of: Resource,
  present: Row<Resource>,
  was: Record<string, unknown>,
  is: Record<string, unknown>,
): Promise<Result> {
  const names = Object.keys(is);
  const now = picked(present, names);
  const mine = names.filter(
    (name) => same(now[name], is[name]) && (name.startsWith("custom.") || of.fields[name]?.mode === "write"),
  );
  const body = Object.fromEntries(mine.map((name) => [name, was[name]]));
  checkOwner(ctx, of, present, "update");
  await ctx.registry.verb(of, "update")(ctx, present, readPatch(ctx, of, body, present));
  const others = names.filter((name) => !same(now[name], is[name]));
  return others.length === 0 ? "restored" : { object_id: present.id, reason: `${others.join(", ")}: changed since` };
}

/** What is left for others is an object, so that it is not taken again by the same revert. */
function forget(ctx: Ctx, importId: string, rows: readonly { n: number; left: Touched[] }[]): void {
  const kept = rows.map(({ n, left }) => ({ n, kept: left.length > 0 ? { left } : null }));
  write(ctx, {
    name: "import_row.forget",
    text: `update import_row r set kept = m.kept from json_to_recordset($3::json) m(n integer, kept jsonb)
           where r.organization_id = $1 and r.import_id = $2 and r.n = m.n`,
    values: [ctx.organization_id, importId, JSON.stringify(kept)],
  });
}

/** How many records a revert has left for somebody else. */
export async function leftOf(ctx: Ctx, importId: string): Promise<number> {
  const [row] = await transactionOf(ctx).read({
    name: "import_row.left",
    text: `select coalesce(sum(jsonb_array_length(kept->'left')), 0) from import_row
           where organization_id = $1 and import_id = $2 and jsonb_typeof(kept) = 'object'`,
    values: [ctx.organization_id, importId],
  });
  return Number(row![0]);
}

/** They are taken again by the next revert. */
export function takeLeftAgain(ctx: Ctx, importId: string): void {
  write(ctx, {
    name: "import_row.left_again",
    text: `update import_row set kept = kept->'left' where organization_id = $1 and import_id = $2 and jsonb_typeof(kept) = 'object'`,
    values: [ctx.organization_id, importId],
  });
}

function count(ctx: Ctx, imp: Import, results: readonly Result[]): Import {
  const kept = results.flatMap((one) => (typeof one === "string" ? [] : [{ object_id: one.object_id, reason: one.reason }]));
  const number = (of: Result) => results.filter((one) => one === of).length;
  const before = imp.reverted!;
  const reverted = {
    n_deleted: before.n_deleted + number("deleted"),
    n_restored: before.n_restored + number("restored"),
    n_kept: before.n_kept + kept.length,
    kept: [...before.kept, ...kept].slice(0, keptMost),
  };
  return store.update(ctx, importResource, imp, { reverted }, undefined, null);
}
