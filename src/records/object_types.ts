// The types of the events of a resource. A function may name them by a column, such as the type of a task.
import type { Field } from "../core/field.ts";
import type { Resource } from "../core/resource.ts";

export function objectTypesOf(of: Resource): string[] {
  const { event } = of;
  if (event === null || of.kinds !== undefined) return [];
  const rows: Record<string, unknown>[] = [{}];
  for (const [key, field] of of.columns as readonly [string, Field][])
    for (const choice of field.choices ?? []) rows.push({ [key]: choice });
  return [...new Set(rows.flatMap((row) => event(row) ?? []))].filter((type) => !/undefined|null/.test(type));
}
