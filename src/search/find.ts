// The entry point of search: what a query finds among the records of a kind.
import type { Ctx } from "../core/context.ts";
import type { Resource } from "../core/resource.ts";
import type { Found, NewestPage } from "../core/search.ts";
import type { Sql } from "../db/sql.ts";
import { compile } from "./compile.ts";
import { among, anywhere, type Compiled, type Compiler, met, oneOf, withWords } from "./compiled.ts";
import { idsOf } from "./ids.ts";
import { named } from "./named_fields.ts";
import { newestOf } from "./newest.ts";
import type { QueryNode } from "./nodes.ts";
import { hasVector } from "./relations.ts";
import { type Subject, subjectOf } from "./subject.ts";
import type { Sought } from "./text.ts";

interface Wanted {
  /** The alias of the records in the statement that uses the condition. */
  alias?: string;
  /** All of them are needed, not only a page. */
  whole?: boolean;
  /** The condition is the only one, and only this page is needed. */
  newest?: NewestPage;
}

/** The records for which a condition on e-mail addresses or phone numbers is true, for the record or its people. */
interface Reached {
  type: "reached";
  by: "email" | "phone";
  condition: (alias: string) => Sql;
}

/**
 * A condition on the records, or the page itself when the newest matches of some words are needed. Errors name places in the
 * tree.
 */
export async function find(
  ctx: Ctx,
  of: Resource,
  query: QueryNode | Reached,
  { alias = "t", whole = false, newest }: Wanted = {},
): Promise<Found> {
  const compiler = compilerFor(ctx, whole);
  const subject = subjectOf(ctx, of, alias);
  if (query.type === "reached") return { condition: (await reachedBy(compiler, subject, query)).sql };
  if (newest !== undefined && query.type === "text" && !query.negate && hasVector(of))
    return newestWithWords(compiler, subject, query, newest);
  const { sql: condition } = await compile(compiler, subject, query, true);
  return { condition };
}

function compilerFor(ctx: Ctx, whole: boolean): Compiler {
  let count = 0;
  return { ctx, aliases: () => `s${++count}`, whole, idsOf: (sources) => idsOf(ctx, sources), named };
}

const reachedBy = (c: Compiler, subject: Subject, { by, condition }: Reached): Promise<Compiled> =>
  met(
    c,
    subject,
    "id",
    anywhere(c, subject, by, (alias) => ({ condition: condition(alias) })),
    true,
  );

/**
 * The only code that searches words newest first. Without `newestOf` the condition alone would give the same result, more slowly.
 */
async function newestWithWords(c: Compiler, subject: Subject, sought: Sought, page: NewestPage): Promise<Found> {
  const sources = withWords(c, subject, sought);
  const newest = await newestOf(c.ctx, sources, page);
  if ("found" in newest) return { condition: among(c, subject, "id", sources, newest.found).sql };
  const ids = newest.page.map(({ id }) => id);
  const rows = page.select === null ? undefined : newest.page.map(({ selected }) => selected!);
  return { condition: oneOf(subject, ids).sql, ids, rows };
}
