// The tags of records. A record has a tag's own spelling, whatever case the caller used.
import { type Ctx, query } from "../../core/context.ts";
import type { Values } from "../../core/resource.ts";
import { name, sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import type { contactTag } from "./contact_tag.ts";
import type { leadTag } from "./lead_tag.ts";

type Tag = typeof leadTag | typeof contactTag;

/**
 * `values` with its tags in the organization's spelling, each once. New tags are created. No query is needed when no tags are
 * given or they stay the same. An organization may have thousands of tags, so they are looked up and not kept in memory.
 */
export async function withTags<T extends { tags?: string[] }>(
  ctx: Ctx,
  of: Tag,
  values: T,
  before: readonly string[] = [],
): Promise<T> {
  return values.tags === undefined || same(values.tags, before) ? values : (await withTagsOfAll(ctx, of, [values]))[0]!;
}

/** The same for many new records. */
export async function withTagsOfAll<T extends { tags?: string[] }>(ctx: Ctx, of: Tag, all: readonly T[]): Promise<T[]> {
  const tags = [...new Set(all.flatMap((one) => one.tags ?? []))];
  if (tags.length === 0) return [...all];
  const spelling = await spellingOf(ctx, of, tags);
  const spelled = (given: readonly string[]) => [...new Set(given.map((tag) => spelling.get(tag)!))];
  return all.map((one) => (one.tags === undefined ? one : { ...one, tags: spelled(one.tags) }));
}

/** How the organization spells these tags. New ones are created. */
async function spellingOf(ctx: Ctx, of: Tag, tags: readonly string[]): Promise<Map<string, string>> {
  let known = await spellings(ctx, of, tags);
  // Of two spellings of a new tag, the first is taken.
  const unknown = new Map(
    known
      .filter((one) => one.name === null)
      .map((one) => [one.key, one.given] as const)
      .reverse(),
  );
  if (unknown.size > 0) {
    const created = await createTags(ctx, of, unknown);
    // Somebody else may have created one at the same moment, in another spelling. Then theirs is used.
    if (!created) known = await spellings(ctx, of, tags);
  }
  return new Map(known.map((one) => [one.given, one.name ?? unknown.get(one.key)!]));
}

interface Spelling {
  given: string;
  /** The form in which tags are compared, as in the database's unique index. */
  key: string;
  name: string | null;
}

// Locked until the transaction ends, so that no tag is renamed or deleted before it is on the record.
async function spellings(ctx: Ctx, of: Tag, given: readonly string[]): Promise<Spelling[]> {
  const rows = await query(
    ctx,
    statement(
      sql`with given as (select n as name, place, lower(n) as key from unnest(${given}::text[]) with ordinality g(n, place)),
        known as (select t.name from ${name(of.table)} t
          where t.organization_id = ${ctx.organization_id} and lower(t.name) = any(array(select key from given)) for key share)
        select given.name, given.key, known.name from given left join known on lower(known.name) = given.key order by given.place`,
      `${of.name}.spellings`,
    ),
  );
  return rows.map(([given, key, known]) => ({ given: given!, key: key!, name: known! }));
}

/** In a fixed order, so that two transactions that create the same tags cannot deadlock. */
async function createTags(ctx: Ctx, of: Tag, names: ReadonlyMap<string, string>): Promise<boolean> {
  const inOrder = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
  const made = await Promise.all(inOrder.map(([, tag]) => store.insertNew(ctx, of, { name: tag } as Values<Tag>)));
  return made.every((row) => row !== null);
}
