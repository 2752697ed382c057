// Values of custom fields whose types go back. They are converted with the type, so what the request left is looked at before.
import type { Ctx } from "../../core/context.ts";
import { kindOf, type Resource } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { eventText } from "../../records/event.ts";
import { findRecords } from "../../records/records.ts";
import { same } from "../../values/same.ts";
import { valuesOf } from "./change_back.ts";
import type { Past } from "./past.ts";

/** By record: the fields that nobody has changed since. */
export type Held = ReadonlyMap<string, ReadonlySet<string>>;

export async function heldValues(ctx: Ctx, definitions: readonly Past[], records: readonly Past[]): Promise<Held> {
  const fields = new Set(
    definitions.filter(({ of }) => of.name === "custom_field").map(({ object_id }) => `custom.${object_id}`),
  );
  const held = new Map<string, Set<string>>();
  const left = new Map(
    records.map((one) => [one.object_id, [...valuesOf(one.events).is].filter(([field]) => fields.has(field))]),
  );
  const holding = records.filter(({ object_id }) => left.get(object_id)!.length > 0);
  for (const [of, some] of Map.groupBy(holding, (one): Resource => one.of)) {
    const rows = await findRecords(ctx, of, [sql`t.id = any(${some.map(({ object_id }) => object_id)})`]);
    for (const row of rows) {
      const present = JSON.parse(eventText(ctx, kindOf(of, row), row));
      const unchanged = left.get(row.id)!.filter(([field, value]) => same(present[field] ?? null, value));
      held.set(row.id, new Set(unchanged.map(([field]) => field)));
    }
  }
  return held;
}
