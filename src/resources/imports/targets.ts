// The targets of a mapping. Leads have plain names, and fields of other records have a prefix and a dot.
import type { Directory } from "../../core/directory.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { pointTypes } from "../shared/contact_points.ts";
import { typedTargets } from "./mapping.ts";
import { type Line, lines, type targetTypes } from "./target_lines.ts";

export interface Target {
  target: string;
  label: string;
  type: string;
  object_type: string;
  required: boolean;
  /** Other names of the field in files. */
  aliases: string[];
  /** Several columns may be mapped to it. */
  multiple: boolean;
  /** Of addresses and numbers: what `target:type` may say. */
  types?: readonly string[];
}

/** Whether one record may have several of its values. A note and a status take several columns, but are one value. */
export const takesList = ({ multiple, target }: Target): boolean => multiple && !ones.has(target);

const ones: ReadonlySet<string> = new Set(["note", "status", "opportunity.status"]);

/** Whether its values are objects, which only JSON has. */
export const takesObjects = ({ type }: Target): boolean => type === "addresses" || type === "contacts";

/** The targets of an import of this kind, with the organization's custom fields. */
export function targetsOf(directory: Directory, objectType: (typeof targetTypes)[number]): Target[] {
  return lines[objectType].flatMap(([of, own]) => [
    ...own.map((line) => targetOf(line, of, of === objectType)),
    ...customTargets(directory, of),
  ]);
}

function targetOf([target, label, type, names = [], more = {}]: Line, of: string, isOwn: boolean): Target {
  const object_type = target.includes(".") ? target.split(".")[0]! : of === "task" ? "lead" : of;
  const aliases = isOwn ? [...names, ...(more.own ?? [])] : names;
  const types = typedTargets.has(target) ? { types: pointTypes } : {};
  return {
    target,
    label,
    type,
    object_type,
    required: more.required === true,
    aliases,
    multiple: more.multiple === true,
    ...types,
  };
}

function customTargets(directory: Directory, of: string): Target[] {
  if (!["lead", "contact", "opportunity"].includes(of)) return [];
  return [...customFieldsOf(directory, of)].map(([key, field]) => ({
    target: of === "lead" ? key : `${of}.${key}`,
    label: field.name,
    type: field.type,
    object_type: of,
    required: false,
    aliases: [`custom.${field.name}`],
    multiple: field.accepts_multiple_values,
  }));
}
