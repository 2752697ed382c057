// The record that a call is about: found by values of its payload, or created from them.
import type { Ctx } from "../../../core/context.ts";
import type { FieldErrors } from "../../../core/errors.ts";
import type { Resource } from "../../../core/resource.ts";
import { type Sql, sql } from "../../../db/sql.ts";
import { findRecords } from "../../../records/records.ts";
import { subjectOf } from "../../../search/subject.ts";
import { hint } from "../../../values/reasons.ts";
import { type Facts, filledIn } from "../facts.ts";
import { recordsThat } from "../searched_records.ts";
import { StepFailure } from "../step_failure.ts";
import { createOf } from "../steps/writing.ts";

export interface Lookup {
  object_type: string;
  match: { field: string; value: unknown }[];
}

type Values = Record<string, string>;

/** The values that the payload has. Without one of them nothing is looked for. */
export function soughtValues({ match }: Lookup, facts: Facts): Values {
  return Object.fromEntries(
    match.map(({ field, value }) => {
      const given = filledIn(value, facts);
      if ((typeof given !== "string" && typeof given !== "number") || given === "")
        throw new StepFailure("lookup_value_missing", "config", `record_lookup: the call has no value for ${field}`);
      return [field, String(given)];
    }),
  );
}

/** The id of the oldest record with these values. */
export async function findSought(ctx: Ctx, { object_type }: Lookup, values: Values): Promise<string | null> {
  const of = ctx.registry.resource(object_type)!;
  const conditions: Sql[] = [];
  for (const [field, value] of Object.entries(values)) conditions.push(await conditionOn(ctx, of, field, value));
  const [found] = await findRecords(ctx, of, conditions, sql`order by t.id limit 1`);
  return found?.id ?? null;
}

/** Fields by which no record can be found, in the words of a search. */
export function checkLookup({ ctx, errors }: { ctx: Ctx; errors: FieldErrors }, lookup: Lookup | null | undefined): void {
  const of = lookup == null ? undefined : ctx.registry.resource(lookup.object_type);
  if (of === undefined) return;
  const subject = subjectOf(ctx, of, "t");
  for (const [i, { field }] of lookup!.match.entries())
    if (severalOf(of, field) === null && subject.attribute(field) === null)
      errors[`trigger.config.record_lookup.match.${i}.field`] =
        `is not a field that is searched by${hint(field, subject.names())}`;
}

/** One of several addresses is found by the filter of lists, all else by a search. Both have indexes. */
async function conditionOn(ctx: Ctx, of: Resource, field: string, value: string): Promise<Sql> {
  const filter = of.filters?.[field];
  if (severalOf(of, field) !== null && filter?.sql) return filter.sql(ctx, value, "t");
  return recordsThat(ctx, of, { type: "field", ref: `record.${field}`, op: "is", value });
}

/** Fields that hold several values, and what each has of the one that is sought. */
const several = new Map([
  ["email", { column: "emails", member: "email" }],
  ["phone", { column: "phones", member: "phone" }],
]);

function severalOf(of: Resource, field: string): { column: string; member: string } | null {
  const one = several.get(field);
  return one !== undefined && of.fields[one.column]?.source === "column" ? one : null;
}

/** The id of a new record with these values. It goes through the front door. */
export async function createSought(
  ctx: Ctx,
  { object_type }: Lookup,
  values: Values,
  fallback_user_id: string | null,
): Promise<string> {
  const of = ctx.registry.resource(object_type)!;
  const fields: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(values)) {
    const many = severalOf(of, field);
    if (many === null) fields[field] = value;
    else fields[many.column] = [{ [many.member]: value }];
  }
  // A lead needs a name. Until somebody gives it a better one, it is what it was sought by.
  if (of.fields.name?.source === "column" && of.fields.name.required) fields.name ??= Object.values(values)[0];
  return (await createOf({ ctx, run: null, fallback_user_id }, object_type, fields)).id;
}
