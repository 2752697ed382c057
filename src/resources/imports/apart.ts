// Which rows cannot be taken at once, because one of them would find what another one brings: they are taken one after the other.
import type { Group } from "./group_rows.ts";
import type { Import } from "./import_rows.ts";
import type { ReadRow } from "./read_row.ts";
import type { Conflicts } from "./settle.ts";
import { hostOf, keyOf, plainWords, says, seeks, soughtBy } from "./sought.ts";

/** The rows in their order, in parts. Within a part, rows only meet by their key. */
export function apart(imp: Import, reads: readonly ReadRow[]): ReadRow[][] {
  const parts: ReadRow[][] = [];
  let said = new Map<string, string | null>();
  for (const read of reads) {
    const sought = soughtBy(imp, read);
    const key = keyOf(read, sought);
    const isFound = (what: string) => said.has(what) && (said.get(what) === null || said.get(what) !== key);
    if (parts.length === 0 || seeks(imp, read, sought).some(isFound)) {
      parts.push([]);
      said = new Map();
    }
    parts.at(-1)!.push(read);
    // A deal is written once at a time, and what several keys have in common belongs to none.
    for (const what of says(read)) said.set(what, what.startsWith("deal:") || isFound(what) ? null : key);
  }
  return parts;
}

/** Rows that found the same lead by different keys, of which one changes what it is found by: the next may find it no more. */
export function isOneByOne(
  { before, keeps, keys, rows, people }: Group,
  conflicts: Record<"lead" | "contact", Conflicts>,
): boolean {
  if (before === null || keeps || new Set(rows.map((read) => keys.get(read))).size < 2) return false;
  const isRenamed = ({ bodies: { lead: company } }: ReadRow) =>
    (company.name !== undefined && plainWords(company.name) !== plainWords(before.name ?? "")) ||
    (company.url !== undefined && hostOf(company.url) !== hostOf(before.url ?? ""));
  return (
    rows.some(isRenamed) ||
    people.some((one) => one.before !== null && one.state.name !== one.before.name) ||
    [conflicts.lead, conflicts.contact].some(({ by }) => by.get("emails") === "overwrite")
  );
}
