// The mapping of an import: which field each column is written to.
import type { Directory } from "../../core/directory.ts";
import { invalid } from "../../core/errors.ts";
import { hint } from "../../values/reasons.ts";
import type { ObjectType } from "./import.ts";
import type { Options } from "./options.ts";
import { targetsOf } from "./targets.ts";

export type Mapping = Record<string, string | null>;

/** A list of `{column, target}` means the same as an object. */
export function mappingOf(given: Mapping | readonly { column: string; target: string | null }[]): Mapping {
  if (!Array.isArray(given)) return given as Mapping;
  const mapping = new Map<string, string | null>();
  for (const { column, target } of given) {
    if (mapping.has(column)) refuse(`names the column ${quoted(column)} twice`);
    mapping.set(column, target);
  }
  return Object.fromEntries(mapping);
}

/** Refuses columns that are not in the table, unknown targets, and a mapping that cannot create records. */
export function checkMapping(
  directory: Directory,
  { object_type, columns }: { object_type: ObjectType; columns: readonly { name: string }[] },
  mapping: Mapping,
  { match_by }: Options,
): void {
  const targets = new Map(targetsOf(directory, object_type).map((one) => [one.target, one]));
  const used = new Map<string, string>();
  for (const [column, target] of Object.entries(mapping)) {
    if (!columns.some((one) => one.name === column)) refuse(`has no column ${quoted(column)}`);
    if (target === null) continue;
    const known = targets.get(target);
    if (known === undefined) refuse(unknownTarget(target, targets.keys()));
    if (used.has(target) && !known.multiple) refuse(`gives ${target} to both ${quoted(used.get(target)!)} and ${quoted(column)}`);
    used.set(target, column);
  }
  if (used.size === 0) refuse("must give a column to at least one target");
  for (const { target, required } of targets.values())
    if (required && !used.has(target)) refuse(`must give a column to ${target}`);
  checkMatch(used, match_by);
}

/** The value that rows are matched by must come from a column. */
function checkMatch(used: ReadonlyMap<string, string>, matchBy: Options["match_by"]): void {
  const from = { name: ["name", "contact.name", "product.name"], email: ["email", "contact.email"], url: ["url"], id: ["id"] };
  if (matchBy === undefined || matchBy === "none") return;
  if (!from[matchBy].some((target) => used.has(target)))
    throw invalid({ "options.match_by": `needs a column for ${from[matchBy].join(" or ")}` });
}

const unknownTarget = (target: string, known: Iterable<string>): string =>
  `knows no target ${quoted(target)}${hint(target, known)}`;

const quoted = (text: string) => JSON.stringify(text.slice(0, 100));

function refuse(reason: string): never {
  throw invalid({ mapping: reason });
}
