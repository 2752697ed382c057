// Removes and converts the values of a custom field: in the request if they are few, in the background if they are many.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { beginChange, recordsAtOnce, settledAt } from "./begin_change.ts";
import { customDataChange } from "./custom_data_change.ts";
import type { Association, CustomField } from "./custom_field.ts";
import { areMoreThan, checkConvertible, convertIn, everywhere, holdersOf, placesOf, removeFrom } from "./field_values.ts";

/**
 * Removes the values from the records of `places`, except those that are also in `staying`. A request that still knows the field may
 * write a value afterwards. No reader sees it, and a job removes it when there can be no such request any more.
 */
export async function removeValues(
  ctx: Ctx,
  { id: field_id }: CustomField,
  places: readonly Association[],
  staying: readonly Association[],
): Promise<void> {
  if (places.length === 0) return;
  const values = { field_id, places: [...places], staying: [...staying] };
  const holders = holdersOf(ctx, values);
  if (await areMoreThan(ctx, holders, recordsAtOnce)) return beginChange(ctx, values);
  for (const holder of holders) await removeFrom(ctx, holder, everywhere);
  beginChange(ctx, { ...values, removed: true }, settledAt(ctx.now));
}

/** A shared field may come back to a place that it has just left. Its values are then no longer removed there. */
export async function keepValues(ctx: Ctx, { id }: CustomField, staying: readonly Association[]): Promise<void> {
  const left = await lockToChange(ctx, customDataChange, sql`t.field_id = ${id} and t.removed`);
  for (const change of left) store.update(ctx, customDataChange, change, { staying: [...staying] });
}

/**
 * Converts values of the former type to the new one, and returns the field as it is from now on. While a job converts them, it
 * keeps its type. A stored value that the new type would not accept from a caller stops the change, unless the request says to
 * drop such values.
 */
export async function convertValues(ctx: Ctx, before: CustomField, after: CustomField, drops: boolean): Promise<CustomField> {
  const values = { field_id: before.id, places: placesOf(before), staying: [] };
  const holders = holdersOf(ctx, values);
  if (!(await areMoreThan(ctx, holders, recordsAtOnce))) {
    for (const holder of holders) await convertIn(ctx, holder, after, everywhere, drops ? "drop" : "refuse");
    return after;
  }
  // The events of values are its own then, and no undo finds them.
  if (drops && ctx.request.byTool)
    throw invalid({
      drop_unconvertible_values: `more than ${recordsAtOnce} records have values: what is dropped of so many is not brought back, so do it by REST`,
    });
  if (!drops) for (const holder of holders) await checkConvertible(ctx, holder, after);
  beginChange(ctx, { ...values, becomes: definitionOf(after), drops });
  return { ...after, ...definitionOf(before), converting_to_type: after.type };
}

const definitionOf = ({ type, choices, accepts_multiple_values }: CustomField) => ({ type, choices, accepts_multiple_values });

/** Only one change of a field's values runs at a time. */
export async function refuseWhileChanging(ctx: Ctx, { id }: CustomField): Promise<void> {
  const changes = await findRecords(ctx, customDataChange, [sql`t.field_id = ${id}`, sql`not t.removed`]);
  if (changes.length > 0)
    throw invalid({}, "The values of this field are still being converted or removed. Try again when that is done.");
}
