// Arguments and results that several tools have.
import { z } from "zod";
import { invalid } from "../core/errors.ts";
import type { Operation } from "../core/operation.ts";
import { notAmong } from "../values/reasons.ts";
import { same } from "../values/same.ts";

export const objectType = z.string().describe("From list_object_types, such as lead or activity/note.");
export const id = z.string();
export const data = z.record(z.string(), z.unknown());
export const fields = z.array(z.string()).max(100).describe("Only these fields.");

/** What an argument says and `data` too would be lost in one of them without a word. */
export function onceOnly(args: Record<string, unknown>, data: Record<string, unknown>): Record<string, unknown> {
  const twice = Object.keys(args).filter(
    (key) => args[key] !== undefined && Object.hasOwn(data, key) && !same(args[key], data[key]),
  );
  if (twice.length > 0)
    throw invalid(Object.fromEntries(twice.map((key) => [`data.${key}`, `differs from the argument ${key}: say it once`])));
  return { ...data, ...Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) };
}

/** With `readOn`, which passes over the rows before it. */
export const rowsFrom = z.int().min(0).optional();

/** A number of records that one call acts on at most. */
export const ids = z.array(z.string()).min(1).max(50);

/** What `writtenResult` answers. */
export const written = { status: z.int(), record: z.looseObject({}), dry_run: z.boolean() };

/** A name in `fields` that the records do not have would be left out in silence. */
export function checkFields({ resource, verb }: Operation, names: readonly string[] | undefined): void {
  if (resource === null || verb === null || names === undefined) return;
  const known = [...resource.shown.map(([name]) => name), ...Object.keys(resource.expand ?? {}), ...(resource.alsoShown ?? [])];
  const i = names.findIndex((name) => !name.startsWith("_") && !known.includes(name.split(".")[0]!));
  if (i >= 0) throw invalid({ [`fields.${i}`]: notAmong(names[i], known) });
}
