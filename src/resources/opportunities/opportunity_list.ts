// The list of opportunities says more than its page: what all matches are worth together, and on request in groups.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { JsonText, type Operation } from "../../core/operation.ts";
import { from, scope } from "../../core/resource.ts";
import type { Rows } from "../../db/database.ts";
import { and, raw, type Sql, sql, statement } from "../../db/sql.ts";
import { showList } from "../../records/list.ts";
import { type ListInput, orderBy, readList } from "../../records/list_input.ts";
import { selectList } from "../../records/records.ts";
import { listSchema } from "../../records/standard.ts";
import { outputSchema, type Projection, projectionOf } from "../../records/writer.ts";
import { currencyOfOrganization } from "../shared/money.ts";
import { memberColumns, membersOf, membersShape, selectMembers, selectWorth, summed } from "./deal_sums.ts";
import { opportunity } from "./opportunity.ts";

/** A group brings at most so many of its opportunities along; the list with its filter has them all. */
const objectsMax = 50;

export async function listOpportunities(ctx: Ctx, { _group_by, ...given }: Record<string, string>): Promise<JsonText> {
  const group = readGroup(_group_by, given);
  const input = await readList(ctx, opportunity, given);
  if (input.count !== "exact") return group ? showGroups(ctx, input, group, {}) : showList(ctx, opportunity, input);

  const totals = await totalsOfAll(ctx, input);
  return group ? showGroups(ctx, input, group, totals) : showList(ctx, opportunity, { ...input, count: null }, totals);
}

/** Adds to the description of the list what it answers beyond a page. */
export function withTotals(list: Operation): Operation {
  const group = z.looseObject({ key: z.string().nullable(), objects: z.array(outputSchema(opportunity)), ...membersShape });
  return {
    ...list,
    parameters: [
      ...list.parameters,
      {
        name: "_group_by",
        doc: "Answers groups in place of opportunities, with what each is worth together.",
        schema: z.enum(groupNames),
      },
    ],
    output: z.union([listSchema(outputSchema(opportunity)), listSchema(group)]),
  };
}

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

const groups = {
  user_id: sql`t.user_id`,
  date_won__week: sql`to_char(t.date_won::timestamp, 'IYYY-"W"IW')`,
  date_won__month: sql`to_char(t.date_won::timestamp, 'YYYY-MM')`,
  date_won__quarter: sql`to_char(t.date_won::timestamp, 'YYYY-"Q"Q')`,
  date_won__year: sql`to_char(t.date_won::timestamp, 'YYYY')`,
};

type Group = keyof typeof groups;
const groupNames = Object.keys(groups) as [Group, ...Group[]];

function readGroup(name: string | undefined, given: Record<string, string>): Group | null {
  if (name === undefined || name === "") return null;
  if (!Object.hasOwn(groups, name)) throw invalid({ _group_by: `must be one of ${groupNames.join(", ")}` });
  for (const other of ["_cursor", "_expand"])
    if (given[other]) throw invalid({ [other]: "cannot be used together with _group_by" });
  return name as Group;
}

/** `_limit` and `_skip` count groups. */
async function showGroups(ctx: Ctx, input: ListInput, group: Group, totals: Record<string, string>): Promise<JsonText> {
  const projection = projectionOf(opportunity, input.fields, (other) => ctx.registry.resource(other));
  const currency = currencyOfOrganization(ctx);
  const found = new Map<string, { totals: Record<string, string>; objects: string[] }>();
  for (const [key, ...row] of await selectGroups(ctx, input, groups[group], projection)) {
    const one = found.get(key!) ?? { totals: membersOf(row, currency), objects: [] };
    one.objects.push(projection.write(row.slice(memberColumns), ctx.directory, ctx));
    found.set(key!, one);
  }

  const shown = [...found].slice(0, input.limit).map(([key, { totals, objects }]) => groupText(key, totals, objects));
  const members = Object.entries(totals).map(([name, text]) => `,"${name}":${text}`);
  return new JsonText(`{"data":[${shown.join(",")}],"has_more":${found.size > input.limit}${members.join("")}}`);
}

/**
 * One row for each opportunity that a group brings along: the group's key and totals, then the opportunity. Groups come in the
 * direction of the list's order, the one without a key last.
 */
function selectGroups(ctx: Ctx, input: ListInput, group: Sql, projection: Projection): Promise<Rows> {
  const where = and([...scope(ctx, opportunity), ...input.conditions]);
  const key = sql`coalesce(${group}, '') collate "C"`;
  const order = raw(`key = '', key ${input.order[0]!.descending ? "desc" : "asc"}`);
  return query(
    ctx,
    statement(sql`
      with matching as (
        select t.id, ${key} as key, row_number() over (partition by ${key} order by ${orderBy(input.order)}) as place, ${summed}
        from ${from(opportunity, "t")} where ${where}
      ), found as (
        select key, ${selectMembers(currencyOfOrganization(ctx))} from (${selectWorth(raw("matching"), raw("t.key"))}) worth group by key order by ${order} limit ${input.limit + 1} offset ${input.skip}
      ), placed as (
        select key, place, id from matching where place <= ${objectsMax}
      )
      select found.*, ${selectList(ctx, projection)} from found join placed using (key)
      join ${from(opportunity, "t")} on t.organization_id = ${ctx.organization_id} and t.id = placed.id ${raw(projection.joins)}
      order by ${order}, place`),
  );
}

function groupText(key: string, totals: Record<string, string>, objects: readonly string[]): string {
  const [, year, kind, part] = /^(\d{4})(?:-(W|Q|)(\d+))?$/.exec(key) ?? [];
  const unit = { W: "week", Q: "quarter", "": "month" }[kind ?? "none"];
  const members = {
    key: key === "" ? "null" : JSON.stringify(key),
    ...(year === undefined ? {} : { year: String(Number(year)) }),
    ...(unit === undefined ? {} : { [unit]: String(Number(part)) }),
    ...totals,
    objects: `[${objects.join(",")}]`,
  };
  return `{${Object.entries(members)
    .map(([name, text]) => `"${name}":${text}`)
    .join(",")}}`;
}
