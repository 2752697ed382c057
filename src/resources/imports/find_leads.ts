// Finds the lead that a row of an import is about: one that an earlier row had, or one that exists.
import { type Ctx, query } from "../../core/context.ts";
import { from, scope } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { type Import, leadsOfKeys, type RowError } from "./import_rows.ts";
import { madeIfTold } from "./made_by.ts";
import type { ReadRow } from "./read_row.ts";
import { type By, keyOf, looksUp, type Sought, soughtBy } from "./sought.ts";

/** Where a row belongs. Rows with the same key belong to one lead. */
export interface Place {
  key: string | null;
  /** The lead that has it; null for a new one. */
  lead_id: string | null;
  /** The lead was there before the import. */
  existed: boolean;
  errors: RowError[];
}

/** The places of rows, in their order. A row with the key of an earlier one belongs where that one does. */
export async function findPlaces(ctx: Ctx, imp: Import, reads: readonly ReadRow[]): Promise<Place[]> {
  const sought = reads.map((read) => soughtBy(imp, read));
  const keys = reads.map((read, i) => keyOf(read, sought[i]!));
  const [earlier, existing] = [
    await leadsOfKeys(ctx, imp.id, [...new Set(keys.filter((key) => key !== null))]),
    await leadsFound(ctx, imp, sought),
  ];
  const made = await madeIfTold(ctx, imp, lead, [...earlier.values(), ...existing.flat()]);
  const byKey = new Map<string, Place>();
  return reads.map((read, i) => {
    const [key, ids] = [keys[i]!, existing[i]!];
    const known = key === null ? undefined : byKey.get(key);
    if (known !== undefined) return known;
    const lead_id = (key === null ? undefined : earlier.get(key)) ?? null;
    const found = lead_id ?? ids[0] ?? null;
    const errors = lead_id === null ? misfits(read, sought[i]!, ids) : [];
    const place = { key, lead_id: found, existed: found !== null && !made.has(found), errors };
    if (key !== null && errors.length === 0) byKey.set(key, place);
    return place;
  });
}

function misfits(read: ReadRow, sought: Sought | null, ids: readonly string[]): RowError[] {
  if (ids.length > 1) {
    const some = ids.slice(0, 3).join(", ");
    return [{ ...columnOf(read, sought!), error: `fits ${ids.length} leads (${some}): merge them, or match by id` }];
  }
  return sought?.by === "id" && ids.length === 0 ? [{ ...columnOf(read, sought), error: "is no lead that you can see" }] : [];
}

function columnOf({ columns }: ReadRow, { by }: Sought): { column?: string } {
  const places = {
    id: ["lead.id"],
    url: ["lead.url"],
    email: ["contact.emails.0", "lead.emails.0"],
    name: ["lead.name", "contact.name"],
    domain: ["contact.emails.0", "lead.emails.0"],
  };
  const column = places[by].map((place) => columns.get(place)).find((name) => name !== undefined);
  return column === undefined ? {} : { column };
}

// --- existing leads ---

/** The ids of the leads that each of these finds now and the caller can see, in one statement for each way. */
export async function leadsFound(ctx: Ctx, imp: Import, sought: readonly (Sought | null)[]): Promise<string[][]> {
  const found = new Map<string, Set<string>>();
  const asked = looksUp(imp) ? sought.filter((one) => one !== null) : [];
  for (const [by, some] of Map.groupBy(asked, (one) => one.by)) {
    const values = [...new Set(some.map(({ value }) => value))];
    for (const [value, id] of (await Promise.all(searches[by](ctx, values).map((one) => query(ctx, statement(one))))).flat()) {
      const text = textOf({ by, value: value! });
      found.set(text, (found.get(text) ?? new Set()).add(id!));
    }
  }
  return sought.map((one) => [...((one && found.get(textOf(one))) ?? [])]);
}

const textOf = ({ by, value }: Sought): string => `${by}:${value}`;

const given = (values: readonly string[]): Sql => sql`unnest(${values}::text[]) g(value)`;

/** Select the value and the id of a lead. */
const searches: Readonly<Record<By, (ctx: Ctx, values: readonly string[]) => Sql[]>> = {
  id: (ctx, values) => [leadsBy(ctx, values, sql`t.id = g.value`)],
  name: (ctx, values) => [leadsBy(ctx, values, sql`t.name is not null and sort_key(t.name) = sort_key(g.value)`)],
  url: (ctx, values) => [
    leadsBy(ctx, values, sql`t.url is not null and lower(substring(t.url from '^[a-z]+://(?:www\\.)?([^/:?#]+)')) = g.value`),
  ],
  domain: (ctx, values) => [...searches.url(ctx, values), ...searches.name(ctx, values)],
  email: (ctx, values) => [
    leadsBy(ctx, values, sql`t.email_keys @> array[g.value]`),
    sql`select g.value, t.lead_id from ${given(values)} join ${from(contact, "t")} on ${and([...scope(ctx, contact), sql`t.email_keys @> array[g.value]`])}`,
  ],
};

const leadsBy = (ctx: Ctx, values: readonly string[], condition: Sql): Sql =>
  sql`select g.value, t.id from ${given(values)} join ${from(lead, "t")} on ${and([...scope(ctx, lead), condition])}`;
