// Refuses mappings that cannot be meant.
import type { Directory } from "../../core/directory.ts";
import { invalid } from "../../core/errors.ts";
import { hint, notAmong } from "../../values/reasons.ts";
import { pointTypes } from "../shared/contact_points.ts";
import { checkMoney } from "./check_money.ts";
import type { ObjectType } from "./import.ts";
import { type Entry, entriesOf, type Mapping } from "./mapping.ts";
import type { Options } from "./options.ts";
import { pipelineTarget } from "./pipelines.ts";
import { type Target, takesList, targetsOf } from "./targets.ts";
import { splits, transformError } from "./transforms.ts";

/** Refuses columns that are not in the table, unknown targets, and a mapping that cannot create records. */
export function checkMapping(
  directory: Directory,
  {
    object_type,
    columns,
  }: { object_type: ObjectType; columns: readonly { name: string; samples: readonly string[]; nested?: true }[] },
  mapping: Mapping,
  options: Options,
): void {
  const targets = new Map(targetsOf(directory, object_type).map((one) => [one.target, one]));
  const names = new Set(columns.map(({ name }) => name));
  const nested = new Set(columns.filter((one) => one.nested).map(({ name }) => name));
  const given = Array.isArray(mapping) ? mapping.map(({ column }) => column) : Object.keys(mapping);
  for (const column of given) if (!names.has(column)) refuse(`has no column ${quoted(column)}`);
  if (Array.isArray(mapping)) checkSteps(mapping);

  const used = new Map<string, Entry>();
  const changes = changedBy(mapping);
  for (const one of entriesOf(mapping)) {
    const known = targets.get(one.target);
    if (known === undefined) refuse(unknownTarget(one.target, targets.keys()));
    checkEntry(one, known, used.get(one.target));
    if (nested.has(one.column) && !takesList(known))
      refuse(`gives ${quoted(one.column)}, which has lists or objects, to ${one.target}, which takes one value: leave it out`);
    if (one.on_conflict !== undefined && (object_type === "task" || !changes.has(known.object_type)))
      refuse(`has on_conflict for ${one.target}, where an import of ${object_type} changes no record`);
    used.set(one.target, one);
  }
  if (used.size === 0) refuse("must give a column to at least one target");
  for (const { target: wanted, required } of targets.values())
    if (required && !used.has(wanted)) refuse(`must give a column to ${wanted}`);
  checkMatch(used, options.match_by);
  checkGroup(names, used, options.group_by);
  checkMoney(directory, columns, used, targets, options);
}

function checkSteps(mapping: Extract<Mapping, readonly unknown[]>): void {
  for (const [i, { transform }] of mapping.entries()) {
    const error = transformError(transform);
    if (error !== null) throw invalid({ [`mapping.${i}.transform`]: error });
  }
}

const isPointType = (type: string): boolean => (pointTypes as readonly string[]).includes(type);

/** `other` is a column before it with the same target. */
function checkEntry(one: Entry, known: Target, other: Entry | undefined): void {
  const both = `${quoted(other?.column ?? "")} and ${quoted(one.column)}`;
  const { target: of, type } = one;
  if (type !== undefined && !isPointType(type)) refuse(`knows no type ${quoted(type)} of ${of}: ${notAmong(type, pointTypes)}`);
  if (other?.column === one.column) refuse(`gives the column ${quoted(one.column)} to ${of} twice`);
  if (other !== undefined && !known.multiple && (one.join === undefined || other.join === undefined))
    refuse(`gives ${of} to both ${both}; both need \`join\` to become one value`);
  if (splits(one.transform) && !takesList(known))
    refuse(`splits ${quoted(one.column)}, but ${of} takes one value: name the part, as in {"split": " ", "part": 1}`);
  if (one.on_conflict !== undefined && of === pipelineTarget)
    refuse(`has on_conflict for ${of}, which says a status together with opportunity.status: set it there`);
  if (one.on_conflict === "append" && !takesList(known) && known.type !== "text")
    refuse(`appends to ${of}, which is neither a list nor a text`);
}

/** The kinds of record that a row may find. A deal is only found by its id. */
function changedBy(mapping: Mapping): ReadonlySet<string> {
  const namesDeals = entriesOf(mapping).some(({ target }) => target === "opportunity.id");
  return new Set(["lead", "contact", "product", ...(namesDeals ? ["opportunity"] : [])]);
}

/** The value that rows are matched by must come from a column. */
function checkMatch(used: ReadonlyMap<string, Entry>, matchBy: Options["match_by"]): void {
  const from = { name: ["name", "contact.name", "product.name"], email: ["email", "contact.email"], url: ["url"], id: ["id"] };
  if (matchBy === undefined || matchBy === "none") return;
  if (!from[matchBy].some((one) => used.has(one)))
    throw invalid({ "options.match_by": `needs a column for ${from[matchBy].join(" or ")}` });
}

/** What rows are grouped by must come from the table. */
function checkGroup(names: ReadonlySet<string>, used: ReadonlyMap<string, Entry>, groupBy: Options["group_by"]): void {
  if (!groupBy || names.has(groupBy)) return;
  if (groupBy !== "email_domain") throw invalid({ "options.group_by": `is no column ${quoted(groupBy)}, and not email_domain` });
  if (!["email", "contact.email"].some((one) => used.has(one)))
    throw invalid({ "options.group_by": "needs a column for email or contact.email" });
}

const unknownTarget = (of: string, known: Iterable<string>): string => `knows no target ${quoted(of)}${hint(of, known)}`;

const quoted = (text: string) => JSON.stringify(text.slice(0, 100));

function refuse(reason: string): never {
  throw invalid({ mapping: reason });
}
