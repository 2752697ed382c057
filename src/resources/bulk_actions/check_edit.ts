// What an edit of many records must name, checked before it is stored: what would fail a hundred thousand times fails once.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource, Values } from "../../core/resource.ts";
import { customFieldsOf, readCustom } from "../../records/custom_fields.ts";
import { readPatch } from "../../records/input.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { isActiveMember } from "../organization/user.ts";
import { bulkEdit, customOwners } from "./edit.ts";

export interface GivenEdit extends Values<typeof bulkEdit> {
  custom_field_name?: string | null;
  custom_field_values?: unknown[] | null;
}

/** The kind of record an edit changes, and its values as they are stored. */
export function checkEdit(ctx: Ctx, given: GivenEdit): { of: Resource; values: Values<typeof bulkEdit> } {
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

function checkCustom(ctx: Ctx, given: GivenEdit, clears: boolean, objectType: string): ReturnType<typeof checkEdit> {
  const { type, custom_field_id, custom_field_name, custom_field_operation } = given;
  const fields = customFieldsOf(ctx.directory, objectType);
  const place = custom_field_id ? "custom_field_id" : "custom_field_name";
  const found = custom_field_id
    ? fields.get(`custom.${custom_field_id}`)
    : [...fields.values()].find((field) => field.name === custom_field_name);
  if (!custom_field_id && !custom_field_name) throw invalid({ custom_field_id: "is required" });
  if (found === undefined) throw invalid({ [place]: `is not a custom field of ${objectType.replaceAll("_", " ")} records` });

  const of = resourceNamed(ctx, objectType);
  const values = { type, custom_field_id: found.id };
  if (clears) return { of, values };
  const value = given.custom_field_values ?? given.custom_field_value;
  if (value === undefined || value === null) throw invalid({ custom_field_value: "is required" });
  checkValueOf(ctx, of, `custom.${found.id}`, value);
  return { of, values: { ...values, custom_field_value: value, custom_field_operation: custom_field_operation ?? "replace" } };
}

function checkValueOf(ctx: Ctx, of: Resource, key: string, value: unknown): void {
  try {
    readCustom(ctx, of, { [key]: value }, {});
  } catch (problem) {
    if (!(problem instanceof Error && "fields" in problem)) throw problem;
    const reason = (problem.fields as Record<string, string>)[key];
    // Other fields that are required are no matter of this one.
    if (reason !== undefined) throw invalid({ custom_field_value: reason });
  }
}

function checkFields(ctx: Ctx, { type, object_type, fields }: GivenEdit): ReturnType<typeof checkEdit> {
  const kinds = ["lead", "contact", "opportunity", "task"];
  if (!object_type || !kinds.includes(object_type)) throw invalid({ object_type: `must be one of ${kinds.join(", ")}` });
  if (!fields || Object.keys(fields).length === 0) throw invalid({ fields: "must name at least one field" });
  const of = resourceNamed(ctx, object_type);
  for (const key of Object.keys(fields)) {
    if (!key.startsWith("custom.") && !(key in of.fields))
      throw invalid({ [`fields.${key}`]: `is not a field of a ${object_type}` });
  }
  try {
    readPatch(ctx, of, fields, { custom: {} } as never);
  } catch (problem) {
    if (!(problem instanceof Error && "fields" in problem)) throw problem;
    const wrong = Object.entries(problem.fields as Record<string, string>).filter(
      ([at]) => at.split(".")[0]! in fields || at in fields,
    );
    if (wrong.length > 0) throw invalid(Object.fromEntries(wrong.map(([at, reason]) => [`fields.${at}`, reason])));
  }
  return { of, values: { type, object_type, fields } };
}

const resourceNamed = (ctx: Ctx, name: string): Resource => ctx.registry.resource(name)!;
