// SQL is composed with `sql-template-tag`: every value is a parameter, and all other text is our own.
import sql, { empty, join, raw, Sql } from "sql-template-tag";
import type { Statement } from "./database.ts";

export { empty, join, raw, Sql, sql };

const names = new Map<string, Sql>();

/** An SQL name. Names come from definitions and never from a request; anything that is not a plain name throws. */
export function name(text: string): Sql {
  let kept = names.get(text);
  if (kept === undefined) names.set(text, (kept = checkedName(text)));
  return kept;
}

function checkedName(text: string): Sql {
  if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(text)) throw new Error(`not an SQL name: ${text}`);
  return raw(text.replace(/(^|\.)(order|user|group|references|default|all|end|to)\b/g, '$1"$2"'));
}

/** A timestamp in JSON, in the format of the wire. */
export const wireTime = (value: Sql): Sql => sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Turns composed SQL into a statement. `as` makes it a prepared one: it is the name, or a function that finds a name for the text. */
export function statement(query: Sql, as?: string | ((text: string) => string | undefined)): Statement {
  const { text, values } = query; // `text` is composed at every access
  return { text, values, name: typeof as === "function" ? as(text) : as };
}

/** Stands in composed SQL for a value that each call of a template gives. */
export class Place<Given> {
  readonly read: (given: Given) => unknown;

  constructor(read: (given: Given) => unknown) {
    this.read = read;
  }
}

export type Template<Given> = (given: Given) => Statement;

/** A prepared statement whose text is composed once, for frequent reads. Each call gives the values of its places. */
export function template<Given>(query: Sql, as: (text: string) => string): Template<Given> {
  const { text, values } = query;
  const name = as(text);
  const read = values.map((value) => (value instanceof Place ? (value as Place<Given>).read : () => value));
  return (given) => ({ text, name, values: read.map((of) => of(given)) });
}

/** `a and b and c`, or `true` for none. */
export const and = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw("true") : join(conditions as Sql[], " and ");

export const or = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? raw("false") : sql`(${join(conditions as Sql[], " or ")})`;
