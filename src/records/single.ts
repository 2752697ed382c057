// A record that is answered by itself. It may come with related records, with secrets that only this answer shows, and with
// values that lists leave out.
import type { Ctx } from "../core/context.ts";
import { JsonText } from "../core/operation.ts";
import type { Resource } from "../core/resource.ts";
import { expandIds, textWith } from "./list.ts";
import type { Standard } from "./standard_operation.ts";

/** The record with these relations and the values that it shows only by itself. */
export async function answerAlone(
  ctx: Ctx,
  { of, particulars }: Standard,
  id: string,
  record: JsonText,
  relations: readonly string[],
  fields: readonly string[] | null,
): Promise<JsonText> {
  const expanded = await withRelations(ctx, of, id, record, relations);
  return particulars.alone === undefined ? expanded : particulars.alone.add(ctx, id, expanded, fields);
}

export async function withRelations(
  ctx: Ctx,
  of: Resource,
  id: string,
  record: JsonText,
  relations: readonly string[],
): Promise<JsonText> {
  if (relations.length === 0) return record;
  const [members] = await expandIds(ctx, of, relations, [id]);
  return recordWith(record, members!);
}

/** Adds the secrets that only the answer to a create shows, if there are any. */
export function withSecrets(of: Resource, row: object, fields: readonly string[] | null, record: JsonText): JsonText {
  const values = row as Record<string, unknown>;
  const shown = of.secrets.filter(([key]) => values[key] !== undefined && (fields === null || fields.includes(key)));
  if (shown.length === 0) return record;
  return recordWith(record, shown.map(([key]) => `,"${key}":${JSON.stringify(values[key])}`).join(""));
}

/** A finished record with further members, each `,"name":value`. */
export function recordWith(record: JsonText, members: string): JsonText {
  return new JsonText(textWith(record.text, members), record.version);
}
