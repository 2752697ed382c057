// Filters that several resources have beside the comparisons with their columns.
import type { Ctx } from "../../core/context.ts";
import type { Filter, Resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { readValues } from "../../records/list_input.ts";
import { attributeOf } from "../../search/attributes.ts";
import { compileQuery } from "../../search/compile.ts";
import type { QueryNode } from "../../search/nodes.ts";
import { emailKey } from "../../values/email.ts";
import { parsePhone, phoneDigits } from "../../values/phone.ts";
import { organizationOf } from "../organization/organization.ts";

/** Any of the record's e-mail addresses, in any case. */
export const emailFilter: Filter = {
  doc: "Only records with this e-mail address.",
  sql: (_ctx, value, alias) => sql`${name(alias)}.email_keys @> ${[emailKey(value.trim())]}`,
};

/** Any of the record's phone numbers, however it is written. */
export const phoneFilter: Filter = {
  doc: "Only records with this phone number.",
  sql(ctx, value, alias) {
    const phone = parsePhone(value, organizationOf(ctx.directory).country)?.phone ?? value;
    return sql`${name(alias)}.phone_keys @> ${[phoneDigits(phone)]}`;
  },
};

/** The name as people remember it: in any case and without accents. */
export const nameFilter = (resource: string): Filter => ({
  doc: "Only records with this name, in any case and with or without accents.",
  sql(ctx, value, alias, purpose) {
    const field = { type: "regular_field", object_type: null, field_name: "name" } as const;
    const condition = { type: "text", value, mode: "exact_value" } as const;
    const named: QueryNode = { type: "field_condition", field, condition, negate: false };
    return compileQuery(ctx, ctx.registry.resource(resource)!, alias, named, purpose);
  },
});

/** A tag in any case, where the organization keeps those of this kind of record in the spelling it has for them. */
export const tagFilter = (resource: string): Filter => ({
  doc: "Only records with this tag.",
  sql: (ctx, value, alias) => attributeOf(ctx, ctx.registry.resource(resource)!, alias, "tags")!.equals([value]),
});

/** `user_id__in`, where an id may also be a group's: it means the group's members. */
export function membersFilter(field: string): Record<string, Filter> {
  const members = (ctx: Ctx, id: string) =>
    ((ctx.directory.has("group") ? ctx.directory.find("group", id)?.user_ids : undefined) as string[] | undefined) ?? [id];
  return {
    [`${field}__in`]: {
      doc: `Only records whose \`${field}\` is one of these users or a member of these groups, separated by commas.`,
      sql: (ctx, value, alias) =>
        sql`${name(alias)}.${name(field)} = any(${readValues(value).flatMap((id) => members(ctx, id))})`,
    },
  };
}

/** `status_label` and `status_label__in`: labels of a small resource in place of its ids. */
export function labelFilter(filter: string, field: string, of: Resource, labelField = "label"): Record<string, Filter> {
  const idsOf = (ctx: Ctx, labels: readonly string[]) => {
    const wanted = new Set(labels);
    return ctx.directory
      .list(of)
      .flatMap((row) => (wanted.has((row as Record<string, string>)[labelField]!) ? [row.id as string] : []));
  };
  const condition = (ctx: Ctx, labels: readonly string[], alias: string): Sql =>
    sql`${name(alias)}.${name(field)} = any(${idsOf(ctx, labels)})`;
  return {
    [filter]: { doc: `Only records with this ${filter}.`, sql: (ctx, value, alias) => condition(ctx, [value], alias) },
    [`${filter}__in`]: {
      doc: `Only records with one of these, separated by commas.`,
      sql: (ctx, value, alias) => condition(ctx, readValues(value), alias),
    },
  };
}
