// A resource is data about a kind of record. It has no behaviour: its verbs are made in `records/standard.ts`.
import { z } from "zod";
import { type Place, type Sql, sql, name as sqlName } from "../db/sql.ts";
import { byName } from "../values/names.ts";
import type { Ctx } from "./context.ts";
import type { Directory } from "./directory.ts";
import {
  type AnyField,
  type Field,
  type Input,
  json,
  type Mode,
  type Once,
  ref,
  type ShownField,
  text,
  timestamp,
} from "./field.ts";
import type { Permission } from "./permissions.ts";
import type { Filter, Search, SortKey } from "./search.ts";

export type Fields = Record<string, AnyField>;

/** Records that `_expand` adds: the children that name this record in `via`, or the one record that `via` names. */
export interface Relation {
  resource: string;
  via: string;
  many: boolean;
  where?: (alias: string) => Sql;
  /** Added without `_expand` when the record is read by itself. */
  unasked?: boolean;
}

/** For references that `match`: which record of another organization is the same thing. */
export interface Elsewhere {
  /** The column to compare. Records with the same value, in upper or lower case, are the same thing. */
  by: string;
  /** Chooses among several records with the same value; by default the oldest. */
  which?: (alike: readonly any[], row: any, here: Directory, there: Directory) => { id: string } | undefined;
  /** Creates the record there if there is none, and returns its id. */
  make?: (row: any, there: Ctx) => string;
  /** The id of a substitute, if there is no such record and none is made; by default there is no substitute. */
  instead?: (row: any, here: Ctx, there: Ctx) => string;
}

export interface ResourceWords<F extends Fields> {
  /** The word on the wire, in the singular. Other definitions refer to it. */
  name: string;
  /** The prefix of its ids, without the underscore. */
  prefix: string;
  /** What people call one record and several; by default the name in words. */
  called?: readonly [one: string, many: string];
  /** One plain sentence for a stranger. */
  doc: string;
  fields: F;
  /** The path below `/api/v1`; by default `/` and the name. */
  path?: string;
  /** The path field that names the parent, for a nested resource: `opportunity_id`. */
  parent?: string;
  table?: string;
  /** For a kind, which shares its table with others: the column and value that its rows have. */
  only?: { column: string; value: string };
  /** For the resource that holds all rows of a shared table: its kinds, and the column that tells them apart. Each row is shown as its kind. */
  kinds?: { column: string; of: readonly Resource[] };
  /** The `object_type` of its events; null for what emits none, or for a row that emits none. */
  event?: string | null | ((row: any) => string | null);
  /** Its creation emits no event, because the event of the record it came with says it. */
  createdSilently?: true;
  /** The column with the id of a record of any kind that this one is about. It is deleted with that record and follows a merge. */
  about?: string;
  /** Members can comment on its records. */
  commentable?: boolean;
  /** The lead its events belong to; by default its `lead_id`. */
  eventLead?: (row: any) => string | null;
  /** The object type of its custom fields. */
  custom?: string;
  /** Names that only some of its reads show, beside its fields and relations. A client may send them back; they are ignored. */
  alsoShown?: readonly string[];
  search?: Search;
  filters?: Record<string, Filter>;
  /** Sort keys besides `date_created` and `date_updated`; `true` for a column of the same name. */
  sort?: Record<string, true | SortKey>;
  /** Default order, as `_order_by` takes it. */
  order?: string;
  /** References with an index of their own. A list filtered by one of them is short, so one plan fits all values. */
  indexed?: readonly string[];
  expand?: Record<string, Relation>;
  /** Which rows the caller may see, beyond the organization; null for all. */
  visible?: (ctx: Ctx, alias: string) => Sql | null;
  /** Whose events the caller may see, if these are more than the rows: a deleted record that can be restored keeps its events. */
  known?: (ctx: Ctx, alias: string) => Sql | null;
  /** Whose record it is (the user in a field, or by a function), and the permissions to delete one's own and to change another's. */
  owned?: { by: string | ((ctx: Ctx, row: any) => boolean); own: Permission | "member"; others: Permission };
  elsewhere?: Elsewhere;
  /**
   * What moving to another organization changes in a record besides what `onMove` and `names` of its fields say, such as values that
   * hold ids without declaring them. `row` is the record after those changes.
   */
  moved?: (row: any, here: Ctx, there: Ctx) => Record<string, unknown>;
  /** Small and often needed: the directory keeps it in memory. */
  cached?: boolean;
  /**
   * For the most used lists: the record's JSON is kept in a column `rendered`, so that listing 100 records costs a quarter. Raise the
   * number when a computed field changes what it shows. The column is empty after any write that does not set it.
   */
  rendered?: number;
  /** A boolean column: rows that have it set are deleted, and stay until what belongs to them is deleted too. No reader finds them. */
  deleted?: string;
  /**
   * A body bounds what somebody may do, or that of a `create` selects records to act on. An unknown field could be a narrower bound, so it
   * is always refused.
   */
  narrows?: true | "create";
  /** False keeps it from agents; `read` lets them read it. */
  mcp?: boolean | "read";
  /** Its records act by themselves, `while` they are in force. `states` are the fields that say so; it acts `without` those that follow. */
  acts?: { while: (row: any) => boolean; states: readonly string[]; without: readonly string[] };
  /** Whom a record sends to, now or later. Null for one that does not send. */
  sendsTo?: (row: any) => readonly Recipient[] | null;
  /** What its fields `by` hold is sent or done by records that act, where one does `now`. */
  isUsed?: { by: readonly string[]; now: (ctx: Ctx, row: any) => Promise<boolean> };
}

/** Somebody whom a record sends to, and the field that says so. */
export interface Recipient {
  at: string;
  is: "email" | "phone" | "contact";
  value: string;
}

export interface Resource<F extends Fields = any> extends Omit<ResourceWords<F>, "fields" | "event"> {
  fields: F & typeof standardFields;
  path: string;
  table: string;
  event: null | ((row: any) => string | null);
  /** The fields with a column, in the order of the select list. */
  columns: readonly [string, Field][];
  /** The fields that reads may show, in the wire's order. */
  shown: readonly [string, ShownField][];
  /** The fields that only the answer to a create shows. */
  secrets: readonly [string, Once][];
}

const standardFields = {
  id: text({ required: true, readOnly: true, doc: "Opaque; only its prefix means anything." }),
  organization_id: text({ required: true, readOnly: true, doc: "The organization it belongs to." }),
  created_by: ref("user", { onDelete: "keep", onMove: "keep" }, { readOnly: true, doc: "The user who created it." }),
  updated_by: ref("user", { onDelete: "keep", onMove: "keep" }, { readOnly: true, doc: "The user who changed it last." }),
  date_created: timestamp({ required: true, readOnly: true, doc: "When it was created." }),
  date_updated: timestamp({ required: true, readOnly: true, doc: "When it was changed last." }),
};

/** Declares a kind of record. The order of `fields` is the order on the wire, between `organization_id` and `created_by`. */
export function resource<const F extends Fields>(words: ResourceWords<F>): Resource<F> {
  const { id, organization_id, ...trailing } = standardFields;
  const custom =
    words.custom === undefined
      ? {}
      : { custom: json(z.record(z.string(), z.unknown()), { readOnly: true, hidden: true, default: {} }) };
  const fields = byName({
    id,
    organization_id,
    ...words.fields,
    ...(words.search?.words && { search: words.search.words }),
    ...custom,
    ...trailing,
    ...pickStandard(words.fields),
  } as F & typeof standardFields);
  const event = words.event === undefined ? words.name : words.event;
  const query = words.search?.query?.(words.name);
  const filters = query ? { query, ...words.filters } : words.filters;
  return {
    ...words,
    fields,
    ...(filters && { filters: byName(filters) }),
    ...(words.sort && { sort: byName(words.sort) }),
    ...(words.expand && { expand: byName(words.expand) }),
    path: words.path ?? `/${words.name}`,
    table: words.table ?? words.name,
    event: event === null || typeof event === "function" ? event : () => event,
    columns: Object.entries(fields).filter((entry): entry is [string, Field] => entry[1].source === "column"),
    shown: Object.entries(fields as Fields).flatMap(([key, field]): [string, ShownField][] => {
      const shown = shownOf(key, field);
      return shown === null ? [] : [[key, shown]];
    }),
    secrets: Object.entries(fields as Fields).filter((entry): entry is [string, Once] => entry[1].source === "once"),
  };
}

/** What reads show of a field; null for nothing. */
function shownOf(key: string, field: AnyField): ShownField | null {
  if (field.source === "once") return null;
  if (field.source === "input") return field.shown;
  if (field.source !== "column") return field;
  if (field.hidden && key !== "custom") return null;
  return field.shown ?? field;
}

// A resource may redefine a standard field, as the activities do with a `date_created` that can be set.
const pickStandard = (own: Fields) => Object.fromEntries(Object.entries(own).filter(([key]) => key in standardFields));

/** The table with an alias: `lead t`. Rows of other kinds in a shared table are excluded by `scope`. */
export const from = (of: Resource, alias: string): Sql => sql`${sqlName(of.table)} ${sqlName(alias)}`;

/** The resource a row of a shared table belongs to. */
export const kindOf = (of: Resource, row: Record<string, unknown>): Resource =>
  of.kinds?.of.find((kind) => kind.only?.value === row[of.kinds!.column]) ?? of;

/** The conditions that every statement about a resource begins with: its organization, its kind, what the caller may see. */
export function scope(ctx: Ctx, of: Resource, alias = "t"): Sql[] {
  const visible = of.visible?.(ctx, alias);
  return visible ? [...within(ctx.organization_id, of, alias), visible] : within(ctx.organization_id, of, alias);
}

/** The same for a caller who may see all records. The organization is an id, or a placeholder for one. */
export function within(organization: string | Place<any>, of: Resource, alias: string): Sql[] {
  const conditions = [sql`${sqlName(alias)}.organization_id = ${organization}`];
  if (of.only) conditions.push(sql`${sqlName(alias)}.${sqlName(of.only.column)} = ${of.only.value}`);
  if (of.deleted) conditions.push(sql`not ${sqlName(alias)}.${sqlName(of.deleted)}`);
  return conditions;
}

// The types of a record, derived from its fields.
type OwnFields<R> = R extends Resource<infer F> ? F & Omit<typeof standardFields, keyof F> : never;
type ColumnKeys<F, M extends Mode = Mode> = {
  [K in keyof F]: F[K] extends Field<any, infer X> ? (X extends M ? K : never) : never;
}[keyof F];
type ValueOf<X> = X extends Field<infer T, any> ? T : never;

/** A stored record: every column, hidden ones and `version` included, with the custom values under their wire names. */
export type Row<R> = { [K in ColumnKeys<OwnFields<R>>]: ValueOf<OwnFields<R>[K]> } & {
  id: string;
  organization_id: string;
  version: number;
  custom?: Record<string, unknown>;
};

/** What a create accepts, normalized: columns, `custom`, and what is only input. */
export type Create<R> = Given<R, "write" | "create">;

/** What an update accepts, normalized. */
export type Patch<R> = Given<R, "write">;

type Given<R, M extends Mode> = { [K in ColumnKeys<OwnFields<R>, M>]?: ValueOf<OwnFields<R>[K]> } & {
  [K in InputKeys<OwnFields<R>>]?: OwnFields<R>[K] extends Input<infer T> ? T : never;
} & { custom?: Record<string, unknown> };
type InputKeys<F> = { [K in keyof F]: F[K] extends Input ? K : never }[keyof F];

/** Any value of a record, for the service's own writes. */
export type Values<R> = Partial<Row<R>>;
