// Checks an edit of many records before it is stored, so that a mistake is refused once and not for each record.

import type { Ctx } from "../../core/context.ts";
import { invalid, reasonsOf } from "../../core/errors.ts";
import type { Resource, Values } from "../../core/resource.ts";
import { customFieldsOf, findField, readCustom } from "../../records/custom_fields.ts";
import { readPatch } from "../../records/input.ts";
import { checkVisible } from "../../records/records.ts";
import { notAmong } from "../../values/reasons.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { isActiveMember } from "../organization/user.ts";
import { bulkEdit, customOwners } from "./edit.ts";

export interface GivenEdit extends Values<typeof bulkEdit> {
  custom_field_name?: string | null;
  custom_field_values?: unknown[] | null;
}

interface Checked {
  of: Resource;
  values: Values<typeof bulkEdit>;
}

/** The kind of record that an edit changes, and the values to be stored. */
export async function checkEdit(ctx: Ctx, given: GivenEdit): Promise<Checked> {
  const { type, lead_status_id, owner_id, tag } = given;
  const lead = resourceNamed(ctx, "lead");
  const [, verb, owner] = /^(set|clear)_(.*)custom_field$/.exec(type ?? "") ?? [];
  if (verb !== undefined) return checkCustom(ctx, given, verb === "clear", customOwners[owner as keyof typeof customOwners]);

  if (type === "set_lead_status") {
    if (!lead_status_id) throw invalid({ lead_status_id: "is required" });
    if (ctx.directory.get(leadStatus, lead_status_id) === undefined) throw invalid({ lead_status_id: "does not exist" });
    return { of: lead, values: { type, lead_status_id } };
  }
  if (type === "set_owner") {
    if (owner_id === undefined) throw invalid({ owner_id: "is required: a member, or null for nobody" });
    if (owner_id !== null && !isActiveMember(ctx.directory, owner_id)) throw invalid({ owner_id: "is not an active member" });
    return { of: lead, values: { type, owner_id } };
  }
  if (type === "set_fields") return checkFields(ctx, given);
  if (!tag?.trim()) throw invalid({ tag: "is required" });
  const of = given.object_type === "contact" ? resourceNamed(ctx, "contact") : lead;
  return { of, values: { type, tag: tag.trim(), object_type: of.name } };
}

async function checkCustom(ctx: Ctx, given: GivenEdit, clears: boolean, owner: string): Promise<Checked> {
  const { type, custom_field_id, custom_field_name, custom_field_operation } = given;
  const of = resourceNamed(ctx, owner);
  const place = custom_field_id ? "custom_field_id" : "custom_field_name";
  const named = custom_field_id || custom_field_name;
  if (!named) throw invalid({ custom_field_id: "is required" });
  const [key, found] = findField(customFieldsOf(ctx.directory, of.custom!), `custom.${named}`) ?? [];
  if (found === undefined) throw invalid({ [place]: `is not a custom field of ${owner.replaceAll("_", " ")} records` });

  const values = { type, custom_field_id: found.id };
  if (clears) {
    readCustom(ctx, of, { [key!]: null });
    return { of, values };
  }
  const value = given.custom_field_values ?? given.custom_field_value;
  if (value === undefined || value === null) throw invalid({ custom_field_value: "is required" });
  const operation = custom_field_operation ?? "replace";
  if (operation !== "replace" && !found.accepts_multiple_values)
    throw invalid({ custom_field_operation: "must be replace: the field has one value" });
  await checkValue(ctx, of, key!, value, found.accepts_multiple_values);
  return { of, values: { ...values, custom_field_value: value, custom_field_operation: operation } };
}

async function checkValue(ctx: Ctx, of: Resource, key: string, given: unknown, isList: boolean): Promise<void> {
  const value = isList && !Array.isArray(given) ? [given] : given;
  try {
    const custom = readCustom(ctx, of, { [key]: value }, {});
    await checkVisible(ctx, of, { custom });
  } catch (problem) {
    const reason = reasonsOf(problem)[key];
    // Other required fields do not matter for this edit.
    if (reason !== undefined) throw invalid({ custom_field_value: reason });
  }
}

async function checkFields(ctx: Ctx, { type, object_type, fields }: GivenEdit): Promise<Checked> {
  const kinds = ["lead", "contact", "opportunity", "task"];
  if (!object_type || !kinds.includes(object_type)) throw invalid({ object_type: notAmong(object_type, kinds) });
  if (!fields || Object.keys(fields).length === 0) throw invalid({ fields: "must name at least one field" });
  const of = resourceNamed(ctx, object_type);
  for (const key of Object.keys(fields).filter((one) => !one.startsWith("custom."))) {
    const field = Object.hasOwn(of.fields, key) ? of.fields[key] : undefined;
    if (field === undefined) throw invalid({ [`fields.${key}`]: `is not a field of a ${object_type}` });
    if (field.mode !== "write") throw invalid({ [`fields.${key}`]: "cannot be changed" });
  }
  try {
    await checkVisible(ctx, of, readPatch(ctx, of, fields, { custom: {} } as never));
  } catch (problem) {
    const isGiven = (at: string) => Object.hasOwn(fields, at) || Object.hasOwn(fields, at.split(".")[0]!);
    const wrong = Object.entries(reasonsOf(problem)).filter(([at]) => isGiven(at));
    if (wrong.length > 0) throw invalid(Object.fromEntries(wrong.map(([at, reason]) => [`fields.${at}`, reason])));
  }
  return { of, values: { type, object_type, fields } };
}

const resourceNamed = (ctx: Ctx, name: string): Resource => ctx.registry.resource(name)!;
