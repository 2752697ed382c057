// The list of opportunities also returns the sums of all matches, not only of the page, and groups them on request.

import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { JsonText } from "../../core/operation.ts";
import { from, scope } from "../../core/resource.ts";
import type { Rows } from "../../db/database.ts";
import { and, join, raw, sql, statement } from "../../db/sql.ts";
import { afterCursor, cursorOf, decodeCursor } from "../../records/cursor.ts";
import { showList } from "../../records/list.ts";
import { type ListInput, readList } from "../../records/list_input.ts";
import { orderBy } from "../../records/order.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { listSchema } from "../../records/read_operations.ts";
import { joinsOf, selectList } from "../../records/records.ts";
import { type Projection, projectionOf } from "../../records/writer.ts";
import { notAmong } from "../../values/reasons.ts";
import { currencyOfOrganization } from "../shared/money.ts";
import { memberColumns, membersOf, membersShape, selectMembers, selectWorth, summed } from "./deal_sums.ts";
import { opportunity } from "./opportunity.ts";

/** The most groups in one response. `_skip` skips the first ones. */
const groupsMax = 50;

const groups = {
  user_id: sql`t.user_id`,
  date_won__week: sql`to_char(t.date_won::timestamp, 'IYYY-"W"IW')`,
  date_won__month: sql`to_char(t.date_won::timestamp, 'YYYY-MM')`,
  date_won__quarter: sql`to_char(t.date_won::timestamp, 'YYYY-"Q"Q')`,
  date_won__year: sql`to_char(t.date_won::timestamp, 'YYYY')`,
};

type Group = keyof typeof groups;
const groupNames = Object.keys(groups) as [Group, ...Group[]];

export async function listOpportunities(ctx: Ctx, { _group_by, ...given }: Record<string, string>): Promise<JsonText> {
  const group = readGroup(_group_by, given);
  if (group !== null) return listGroups(ctx, group, given);
  const input = await readList(ctx, opportunity, given);
  if (input.count !== "exact") return showList(ctx, opportunity, input);
  return showList(ctx, opportunity, { ...input, count: null }, await totalsOfAll(ctx, input));
}

/** The parameters and response members of the list beyond a page. */
export const withTotals = {
  parameters: [
    {
      name: "_group_by",
      doc: `Returns groups instead of opportunities, at most ${groupsMax} of them, with the sums of each. \`_limit\` applies to each group. A group's \`cursor_next\` as \`_cursor\` returns more of that group; \`_skip\` skips groups.`,
      schema: z.enum(groupNames),
    },
  ],
  output() {
    const group = z.looseObject({
      key: z.string().nullable(),
      ...membersShape,
      objects: z.array(outputSchema(opportunity)),
      has_more: z.boolean(),
      cursor_next: z.string().optional(),
    });
    return z.union([listSchema(outputSchema(opportunity)), listSchema(group)]);
  },
};

// --- totals ---

async function totalsOfAll(ctx: Ctx, { conditions }: ListInput): Promise<Record<string, string>> {
  const currency = currencyOfOrganization(ctx);
  const where = and([...scope(ctx, opportunity), ...conditions]);
  const matching = sql`(select ${summed} from ${from(opportunity, "t")} where ${where})`;
  const [row] = await query(
    ctx,
    statement(sql`select ${selectMembers(currency)} from (${selectWorth(matching, raw("''"))}) worth`),
  );
  return membersOf(row!, currency);
}

// --- groups ---

function readGroup(name: string | undefined, given: Record<string, string>): Group | null {
  if (name === undefined || name === "") return null;
  if (!Object.hasOwn(groups, name)) throw invalid({ _group_by: notAmong(name, groupNames) });
  if (given._expand) throw invalid({ _expand: "cannot be used together with _group_by" });
  return name as Group;
}

interface Grouped extends ListInput {
  group: Group;
  /** The one group whose page is requested, and where the previous page ended. */
  within: { key: string; after: readonly (string | null)[] } | null;
}

async function listGroups(ctx: Ctx, group: Group, { _cursor, ...given }: Record<string, string>): Promise<JsonText> {
  const input = await readList(ctx, opportunity, given);
  const fingerprint = () => `${input.fingerprint()} ${group}`;
  const grouped: Grouped = {
    ...input,
    fingerprint,
    group,
    within: _cursor ? readPlace(_cursor, { ...input, fingerprint }) : null,
  };
  return showGroups(ctx, grouped, input.count === "exact" ? await totalsOfAll(ctx, input) : {});
}

function readPlace(cursor: string, { skip, order, fingerprint }: ListInput): Grouped["within"] {
  if (skip > 0) throw invalid({ _skip: "cannot be used together with _cursor" });
  const [key, ...after] = decodeCursor(cursor, fingerprint(), order.length + 1) ?? [];
  if (typeof key !== "string")
    throw invalid({ _cursor: "is not a cursor of a group of this list with these filters and this order" });
  return { key, after };
}

interface FoundGroup {
  key: string;
  totals: Record<string, string>;
  objects: string[];
  /** The order's values of the last object that is shown. */
  last: readonly (string | null)[];
}

async function showGroups(ctx: Ctx, input: Grouped, totals: Record<string, string>): Promise<JsonText> {
  const projection = projectionOf(opportunity, input.fields, (other) => ctx.registry.resource(other));
  const currency = currencyOfOrganization(ctx);
  const found = new Map<string, FoundGroup>();
  for (const row of await selectGroups(ctx, input, projection)) {
    const [key, ...members] = row.slice(0, 1 + memberColumns);
    const one = found.get(key!) ?? { key: key!, totals: membersOf(members, currency), objects: [], last: [] };
    found.set(key!, one);
    one.objects.push(projection.write(row.slice(1 + memberColumns), ctx.directory, ctx));
    if (one.objects.length <= input.limit) one.last = row.slice(-input.order.length);
  }

  const shown = [...found.values()].slice(0, groupsMax).map((one) => groupText(one, input));
  const members = Object.entries(totals).map(([name, text]) => `,"${name}":${text}`);
  return new JsonText(`{"data":[${shown.join(",")}],"has_more":${found.size > groupsMax}${members.join("")}}`);
}

/**
 * One row for each opportunity on the page of each group, and one more for the group: its key and totals, then the opportunity
 * and the values of its order. Groups come in the direction of the list's order, and the one without a key is last. Totals are
 * those of the whole group, even after a cursor.
 */
function selectGroups(ctx: Ctx, input: Grouped, projection: Projection): Promise<Rows> {
  const key = sql`coalesce(${groups[input.group]}, '') collate "C"`;
  const ofGroup = input.within === null ? [] : [sql`${key} = ${input.within.key}`];
  const where = and([...scope(ctx, opportunity), ...input.conditions, ...ofGroup]);
  const isBehind = input.within === null ? raw("true") : afterCursor(input.order, input.within.after);
  const order = raw(`key = '', key ${input.order[0]!.descending ? "desc" : "asc"}`);
  const keys = join(
    input.order.map((one) => one.sql),
    ", ",
  );
  return query(
    ctx,
    statement(sql`
      with matching as (
        select t.id, ${key} as key, ${isBehind} as is_behind,
          row_number() over (partition by ${key}, ${isBehind} order by ${orderBy(input.order)}) as place, ${summed}
        from ${from(opportunity, "t")} where ${where}
      ), found as (
        select key, ${selectMembers(currencyOfOrganization(ctx))} from (${selectWorth(raw("matching"), raw("t.key"))}) worth
        group by key order by ${order} limit ${groupsMax + 1} offset ${input.skip}
      ), placed as (
        select key, place, id from matching where is_behind and place <= ${input.limit + 1}
      )
      select found.*, ${selectList(ctx, projection)}, ${keys} from found join (placed
        join ${from(opportunity, "t")} on t.organization_id = ${ctx.organization_id} and t.id = placed.id ${joinsOf(ctx, projection)}) using (key)
      order by ${order}, place`),
  );
}

function groupText({ key, totals, objects, last }: FoundGroup, { limit, fingerprint }: Grouped): string {
  const [, year, kind, part] = /^(\d{4})(?:-(W|Q|)(\d+))?$/.exec(key) ?? [];
  const unit = { W: "week", Q: "quarter", "": "month" }[kind ?? "none"];
  const members = {
    key: key === "" ? "null" : JSON.stringify(key),
    ...(year === undefined ? {} : { year: String(Number(year)) }),
    ...(unit === undefined ? {} : { [unit]: String(Number(part)) }),
    ...totals,
    objects: `[${objects.slice(0, limit).join(",")}]`,
    has_more: String(objects.length > limit),
    ...(objects.length > limit && limit > 0 ? { cursor_next: JSON.stringify(cursorOf({ fingerprint }, [key, ...last])) } : {}),
  };
  return `{${Object.entries(members)
    .map(([name, text]) => `"${name}":${text}`)
    .join(",")}}`;
}
