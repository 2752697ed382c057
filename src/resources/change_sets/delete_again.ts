// Deletes a record that was created.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { kindOf } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { checkOwner, findRecords } from "../../records/records.ts";
import { type CustomField, customField } from "../custom_data/custom_field.ts";
import { areMoreThan, holdersOf, placesOf } from "../custom_data/field_values.ts";
import type { Past } from "./past.ts";
import { checkRight } from "./rights.ts";

/** False where it is gone already, perhaps with what it belonged to. `staying` says why others stay. */
export async function deleteAgain(ctx: Ctx, { of, object_id }: Past, staying: ReadonlyMap<string, string>): Promise<boolean> {
  const [row] = await findRecords(ctx, of, [sql`t.id = ${object_id}`], sql`for update of t`);
  if (row === undefined) return false;
  const reason = staying.get(object_id);
  if (reason !== undefined) throw invalid({}, reason);

  const kind = kindOf(of, row);
  if (of.name === customField.name && (await hasValues(ctx, row as CustomField)))
    throw invalid({}, "has values, which would be lost for good");
  checkRight(ctx, kind, "delete");
  checkOwner(ctx, kind, row, "delete");
  await ctx.registry.verb(kind, "delete")(ctx, row);
  return true;
}

function hasValues(ctx: Ctx, field: CustomField): Promise<boolean> {
  return areMoreThan(ctx, holdersOf(ctx, { field_id: field.id, places: placesOf(field), staying: [] }), 0);
}
