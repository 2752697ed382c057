/** The conditions of a search on an attribute, as SQL. A condition on a list is true when it is true of a member. */

import type { Ctx } from "../core/context.ts";
import { below, invalid } from "../core/errors.ts";
import { and, raw, type Sql, sql } from "../db/sql.ts";
import { zoneOf } from "../records/clock.ts";
import { expandGroups } from "../records/groups.ts";
import { firstDayFrom } from "../values/time.ts";
import type { Attribute } from "./attributes.ts";
import { type Clock, isoInstant, type Moment, resolveMoment } from "./moments.ts";
import type { FieldCondition } from "./nodes.ts";
import { inText } from "./text.ts";

export const clockOf = (ctx: Ctx): Clock => ({ now: ctx.now, zone: zoneOf(ctx.directory, ctx) });

/** Refuses with a reason at a place below the condition's own: `{"": "…"}`, `{"values.0": "…"}`. */
export async function meets(ctx: Ctx, attribute: Attribute, condition: FieldCondition): Promise<Sql> {
  switch (condition.type) {
    case "exists":
      return attribute.exists;
    case "boolean":
      expectKind(attribute, ["boolean"]);
      return below("value", () => attribute.equals([condition.value]));
    case "text":
      expectKind(attribute, ["text"]);
      return attribute.some((value) => inText(value, condition));
    case "term":
      return oneOf(
        "values",
        attribute,
        condition.values.map((one, i) => term(attribute, one, i)),
      );
    case "current_user":
      if (attribute.refersTo !== "user") throw invalid({ "": "is for fields that name a member" });
      return attribute.equals([ctx.actor.user_id]);
    case "reference":
      expectKind(attribute, ["text"]);
      return oneOf("object_ids", attribute, expandGroups(ctx, condition.object_ids));
    case "number_range":
      expectKind(attribute, ["number"]);
      return attribute.some((value) => numberRange(value, condition));
    case "moment_range":
      expectKind(attribute, ["timestamp", "date"]);
      return attribute.some((value) => momentRange(value, attribute, condition, clockOf(ctx)));
  }
}

/** A value outside a closed set is refused at the place of the values. */
const oneOf = (place: string, attribute: Attribute, values: readonly unknown[]): Sql | Promise<Sql> =>
  values.length === 0 ? raw("false") : below(place, () => attribute.equals(values));

const words: Record<Attribute["kind"], string> = {
  text: "text",
  number: "a number",
  boolean: "true or false",
  timestamp: "a time",
  date: "a day",
};

function expectKind(attribute: Attribute, kinds: readonly Attribute["kind"][]): void {
  if (!kinds.includes(attribute.kind)) throw invalid({ type: `is not for this field, which is ${words[attribute.kind]}` });
}

/** A term in the stored form of the field. */
function term({ kind }: Attribute, value: string | number | boolean, i: number): unknown {
  const place = `values.${i}`;
  if (kind === "number") {
    if (typeof value !== "number") throw invalid({ [place]: "must be a number" });
    return value;
  }
  if (kind === "boolean") {
    if (typeof value !== "boolean") throw invalid({ [place]: "must be true or false" });
    return value;
  }
  if (typeof value !== "string") throw invalid({ [place]: "must be text" });
  if (kind === "text") return value;
  const date = isoInstant(value);
  if (date === null) throw invalid({ [place]: "must be a date or time such as 2026-01-31 or 2026-01-31T09:30:00Z" });
  return kind === "date" ? date.toISOString().slice(0, 10) : date.toISOString();
}

type Bounds = { gt: number | null; gte: number | null; lt: number | null; lte: number | null };

function numberRange(value: Sql, bounds: Bounds): Sql {
  const symbols = { gt: ">", gte: ">=", lt: "<", lte: "<=" };
  return and(
    (Object.keys(symbols) as (keyof Bounds)[])
      .filter((bound) => bounds[bound] !== null)
      .map((bound) => sql`${value} ${raw(symbols[bound])} ${bounds[bound]}::numeric`),
  );
}

interface Range {
  on_or_after: Moment | null;
  before: Moment | null;
}

function momentRange(value: Sql, { kind, cast }: Attribute, range: Range, clock: Clock): Sql {
  const edge = kind === "date" ? firstDay : instant;
  const bounds: Sql[] = [];
  if (range.on_or_after !== null) bounds.push(sql`${value} >= ${edge(range.on_or_after, clock)}::${raw(cast)}`);
  if (range.before !== null) bounds.push(sql`${value} < ${edge(range.before, clock)}::${raw(cast)}`);
  return and(bounds);
}

const instant = (moment: Moment, clock: Clock): string => resolveMoment(moment, clock).toISOString();

/** A day means its beginning, in the caller's time zone. */
const firstDay = (moment: Moment, clock: Clock): string => firstDayFrom(instant(moment, clock), clock.zone);
