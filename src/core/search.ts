// How records of a kind are found: by filters, in an order, and by text. The search itself is in `src/search/`.
import type { Sql } from "../db/sql.ts";
import type { Ctx } from "./context.ts";
import type { Field } from "./field.ts";

/** A key that a list is sorted by, as SQL, with the type its values have in a cursor. */
export interface OrderKey {
  key: string;
  sql: Sql;
  descending: boolean;
  nullable: boolean;
  cast: string;
}

/** A sort key that is not a plain column. */
export interface SortKey {
  sql: (alias: string, ctx: Ctx) => Sql;
  type: "text" | "number";
}

/** A filter that is more than a comparison with a column: it turns the parameter's text into a condition. */
export interface Filter {
  doc: string;
  /** The condition on the records of an alias. `whole` where all of them are asked for, and not a page. */
  sql: (ctx: Ctx, value: string, alias: string, whole?: boolean) => Sql | Promise<Sql>;
  /** The order that the value itself asks for, or null; `_order_by` goes before it. */
  order?: (ctx: Ctx, value: string) => readonly OrderKey[] | null;
  /** The same as `sql` where the filter stands alone and the newest records are wanted: it may find the page itself. */
  newest?: (ctx: Ctx, value: string, page: NewestPage) => Promise<Found>;
}

/** So many of the newest records, and SQL over the record `t` for what a page shows of each; null for nothing. */
export interface NewestPage {
  count: number;
  select: string | null;
}

/** What a search finds: a condition on the records; where it found the page itself, the ids of its records, and what was selected of each. */
export interface Found {
  condition: Sql;
  ids?: readonly string[];
  rows?: readonly string[];
}

/** What a definition says of its search by text; `searched` of `src/search/searched.ts` makes it. */
export interface Search {
  /** The words of a record, in the column `search` that an index answers; null where its text is read through. */
  words: Field | null;
  /** The first letters of its words are indexed too, for people who search while they type. */
  beginnings: boolean;
  /** Fields whose words are all in that column: a condition on one of them is looked up there first. */
  covers: readonly string[];
  /** Kinds that point at this one, and what of theirs finds it too. */
  alsoBy: Readonly<Record<string, readonly SearchedBy[]>>;
  /** `query=` of its lists, given its name; null where there is no text to search. */
  query: ((name: string) => Filter) | null;
}

export type SearchedBy = "words" | "email" | "phone";
