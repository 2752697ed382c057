// What a definition says of how its records are found: by filters, in an order, and by text. The search itself is in `src/search/`.
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

/** A filter that is more than a comparison with a column. It turns the text of a parameter into a condition. */
export interface Filter {
  doc: string;
  /** The condition on the rows of an alias. `whole` when all of them are wanted, not a page. */
  sql: (ctx: Ctx, value: string, alias: string, whole?: boolean) => Sql | Promise<Sql>;
  /** The order that the value itself asks for, or null. `_order_by` takes precedence. */
  order?: (ctx: Ctx, value: string) => readonly OrderKey[] | null;
  /** Used in place of `sql` when it is the only filter and the newest records are wanted. It may find the page itself. */
  newest?: (ctx: Ctx, value: string, page: NewestPage) => Promise<Found>;
}

/** A page of the newest records. `select` is SQL over the record `t` for what the page shows of each, or null. */
export interface NewestPage {
  count: number;
  select: string | null;
}

/** What a search finds: a condition on the records. If it found the page itself, also the ids and the selected text of its records. */
export interface Found {
  condition: Sql;
  ids?: readonly string[];
  rows?: readonly string[];
}

/** What a definition says of its search by text. `searched` of `src/search/searched.ts` makes it. */
export interface Search {
  /** The words of a record, in the indexed column `search`; null if its text is searched without an index. */
  words: Field | null;
  /** Indexes the beginnings of words too, for search while typing. */
  beginnings: boolean;
  /** Fields whose words are all in the column `search`. A condition on one of them is looked up there first. */
  covers: readonly string[];
  /** Kinds that point at this one, and which of their values find it too. */
  alsoBy: Readonly<Record<string, readonly SearchedBy[]>>;
  /** Makes the filter `query` of its lists, given its name; null if it has no text to search. */
  query: ((name: string) => Filter) | null;
}

export type SearchedBy = "words" | "email" | "phone";
