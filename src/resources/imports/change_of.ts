// What an import changed of a record, so that it can be reverted.
import type { Resource, Row } from "../../core/resource.ts";
import { changedFields } from "../../records/event.ts";
import type { Touched } from "./import_rows.ts";

export function changeOf(of: Resource, before: Row<Resource>, after: Row<Resource>): Touched | null {
  const names = changedFields(of, before, after);
  if (names.length === 0) return null;
  return { of: of.name, id: after.id, version: after.version, was: picked(before, names), is: picked(after, names) };
}

/** The values of these fields; custom fields by their own names. */
export function picked(row: Row<Resource>, names: readonly string[]): Record<string, unknown> {
  const values = row as Record<string, unknown>;
  return Object.fromEntries(
    names.map((name) => [name, (name.startsWith("custom.") ? row.custom?.[name] : values[name]) ?? null]),
  );
}
