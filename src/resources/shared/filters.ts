// Filters of several resources that are no plain comparisons with columns.
import type { Ctx } from "../../core/context.ts";
import type { Field } from "../../core/field.ts";
import type { Resource } from "../../core/resource.ts";
import type { Filter } from "../../core/search.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { checkAmong, readValues } from "../../records/comparisons.ts";
import { attributeOf } from "../../search/attributes.ts";
import { find } from "../../search/find.ts";
import type { QueryNode } from "../../search/nodes.ts";
import { emailKey } from "../../values/email.ts";
import { parsePhone, phoneDigits } from "../../values/phone.ts";
import { organizationOf } from "../organization/organization.ts";

/** Any of the record's e-mail addresses, ignoring case. */
export const emailFilter: Filter = {
  doc: "Only records with this e-mail address.",
  sql: (_ctx, value, alias) => sql`${name(alias)}.email_keys @> ${[emailKey(value.trim())]}`,
};

/** Any of the record's phone numbers, in any notation. */
export const phoneFilter: Filter = {
  doc: "Only records with this phone number.",
  sql(ctx, value, alias) {
    const phone = parsePhone(value, organizationOf(ctx.directory).country)?.phone ?? value;
    return sql`${name(alias)}.phone_keys @> ${[phoneDigits(phone)]}`;
  },
};

/** The same, for the record itself or one of its people. */
export const reachedFilter = (resource: string, field: "email" | "phone"): Filter => {
  const own = field === "email" ? emailFilter : phoneFilter;
  return {
    doc: `${own.doc.slice(0, -1)}, their own or of one of their contacts.`,
    async sql(ctx, value, alias, whole) {
      const reached = { type: "reached", by: field, condition: (of: string) => own.sql(ctx, value, of) as Sql } as const;
      return (await find(ctx, ctx.registry.resource(resource)!, reached, { alias, whole })).condition;
    },
  };
};

/** The name, ignoring case and accents. */
export const nameFilter = (resource: string): Filter => ({
  doc: "Only records with this name, ignoring case and accents.",
  async sql(ctx, value, alias, whole) {
    const field = { type: "regular_field", object_type: null, field_name: "name" } as const;
    const condition = { type: "text", value, mode: "exact_value" } as const;
    const named: QueryNode = { type: "field_condition", field, condition, negate: false };
    return (await find(ctx, ctx.registry.resource(resource)!, named, { alias, whole })).condition;
  },
});

/** A tag, ignoring case. */
export const tagFilter = (resource: string): Filter => ({
  doc: "Only records with this tag.",
  sql: (ctx, value, alias) => attributeOf(ctx, ctx.registry.resource(resource)!, alias, "tags")!.equals([value]),
});

/** `status_label` and `status_label__in`: labels of a small resource in place of its ids. */
export function labelFilter(filter: string, field: string, of: Resource, labelField = "label"): Record<string, Filter> {
  const isLabel = (of.fields[labelField] as Field).ref === null;
  const condition = (ctx: Ctx, labels: readonly string[], alias: string): Sql => {
    const rows = ctx.directory
      .list(of)
      .map((row): [id: string, label: string] => [row.id, (row as Record<string, any>)[labelField]]);
    if (isLabel) checkAmong(labels, (of.fields[labelField] as Field).choices ?? rows.map(([, label]) => label));
    const wanted = new Set(labels);
    return sql`${name(alias)}.${name(field)} = any(${rows.flatMap(([id, label]) => (wanted.has(label) ? [id] : []))})`;
  };
  return {
    [filter]: { doc: `Only records with this ${filter}.`, sql: (ctx, value, alias) => condition(ctx, [value], alias) },
    [`${filter}__in`]: {
      doc: `Only records with one of these, separated by commas.`,
      sql: (ctx, value, alias) => condition(ctx, readValues(value), alias),
    },
  };
}
