// What a tree of conditions depends on: which fields of the record, which other records, and whether on time.
import { conditionTypes } from "./condition_types.ts";
import type { ConditionType } from "./conditions/condition.ts";
import { isObject } from "./config.ts";
import type { Values } from "./facts.ts";

const catalog = new Map(conditionTypes.map((one) => [one.type, one]));

interface Leaf {
  leaf: Values;
  of: ConditionType;
  at: string;
}

/** The conditions of a tree, with their declarations and places. */
export function leavesOf(node: unknown, at = ""): Leaf[] {
  if (Array.isArray(node)) return node.flatMap((one, i) => leavesOf(one, `${at}.${i}`));
  if (!isObject(node)) return [];
  const of = catalog.get(String(node.type));
  return of === undefined
    ? ["all", "any", "not"].flatMap((word) => leavesOf(node[word], `${at}.${word}`))
    : [{ leaf: node, of, at }];
}

/** The same with the conditions on related records. */
const allLeaves = (node: unknown): Leaf[] => leavesOf(node).flatMap((one) => [one, ...allLeaves(one.leaf.where)]);

/** The fields of the record that decide; null if anything else does too. */
export function fieldsRead(node: unknown): string[] | null {
  const fields = leavesOf(node).map(({ leaf, of }) => of.reads?.(leaf) ?? null);
  return fields.includes(null) ? null : [...new Set(fields.flatMap((one) => one!))];
}

/** Further records whose events can change the answer, by their ids. */
export const recordsWatched = (node: unknown): string[] => allLeaves(node).flatMap(({ leaf, of }) => of.watches?.(leaf) ?? []);

/** Whether time alone can change the answer. */
export const changesByTime = (node: unknown): boolean => allLeaves(node).some(({ leaf, of }) => of.byTime?.(leaf) === true);
