// What is read of a question in words, part by part: each part takes its words out of the rest and adds a condition.
import type { Ctx } from "../../core/context.ts";

export type Node = Record<string, unknown>;

/** What is left to read, and what was understood so far. */
export interface Reading {
  ctx: Ctx;
  type: string;
  rest: string;
  nodes: Node[];
  /** The field of a moment that a state named already, as "won" does. */
  moment?: string;
  /** Each part in words. */
  said: string[];
  /** The part that was taken last is said not to hold: "except", "not". */
  isNegated: boolean;
}

export const fieldNode = (field_name: string, condition: Node, negate = false): Node => ({
  type: "field_condition",
  field: { type: "regular_field", field_name },
  condition,
  negate,
});
export const related = (related_object_type: string, queries: readonly Node[], negate = false): Node => ({
  type: "has_related",
  related_object_type,
  related_query: queries.length === 1 ? queries[0] : queries.length === 0 ? { type: "match_all" } : { type: "and", queries },
  negate,
});
export const oneOf = (object_ids: readonly string[]): Node => ({ type: "reference", object_ids });

export function understood(reading: Reading, node: Node, words: string): void {
  reading.nodes.push(reading.isNegated ? { ...node, negate: node.negate !== true } : node);
  reading.said.push(reading.isNegated ? `not ${words}` : words);
  reading.isNegated = false;
}

/** What turns the part after it around. */
export const negations = "not|n't|never|except(?: for)?|excluding|exclude|other than|without|but";
const before = new RegExp(
  `(?:\\b(?:${negations})\\b|n't)(?: (?:in|with|the|those|any|of|are|is|that|which|from|yet|being|a|an))* *$`,
  "i",
);

/** The first match, which is taken out of what is left to read, with what turns it around. */
export function take(reading: Reading, pattern: RegExp): RegExpExecArray | null {
  const match = pattern.exec(reading.rest);
  reading.isNegated = false;
  if (match === null) return null;
  const [head, tail] = [reading.rest.slice(0, match.index), reading.rest.slice(match.index + match[0].length)];
  const negation = before.exec(head);
  reading.isNegated = negation !== null;
  reading.rest = `${negation === null ? head : head.slice(0, negation.index)} ${tail}`;
  return match;
}
