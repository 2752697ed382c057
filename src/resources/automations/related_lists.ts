// The lists of records that belong to a record, by the names that conditions give them: `record.contacts` of a lead, `record.tasks`.
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { findRecords, resourceWith } from "../../records/records.ts";
import { relationsOf } from "./conditions/relations.ts";
import { referenceTo } from "./reference.ts";

/** A loop goes through no more. */
const most = 1000;

/** Those that a config names, oldest first, as `{id, object_type, name}`: what the actor sees of them. */
export async function listsNamed(
  ctx: Ctx,
  record: Record<string, unknown>,
  mentions: string,
  root: string,
): Promise<Record<string, unknown>> {
  const words = [...mentions.matchAll(new RegExp(`\\b${root}\\.(\\w+)`, "g"))].map(([, word]) => word!);
  const missing = [...new Set(words)].filter((word) => !Object.hasOwn(record, word));
  const of = missing.length === 0 ? undefined : resourceWith(ctx, String(record.id));
  if (of === undefined) return {};
  const known = relationsOf(ctx, of);
  const found: Record<string, unknown> = {};
  for (const word of missing) {
    const relation = known.get(word);
    if (relation?.link.outer !== "id") continue;
    const { to, link } = relation;
    const rows = await findRecords(
      ctx,
      to,
      [sql`t.${name(link.inner)} = ${record.id}`],
      sql`order by t.date_created, t.id limit ${most}`,
    );
    found[word] = rows.map((row) => referenceTo(to, row));
  }
  return found;
}

/** The names of the lists of a kind of record. */
export const listNames = (ctx: Ctx, of: Resource): string[] =>
  [...relationsOf(ctx, of)].flatMap(([word, { link }]) => (link.outer === "id" ? [word] : []));
