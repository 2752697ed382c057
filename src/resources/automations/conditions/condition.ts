// A kind of condition: one declaration with what its config takes and how it is checked. The catalog, the checks of publishing and the
// interpreter are made from it. To add one: write its declaration, and an example in the tests.
import type { Ctx } from "../../../core/context.ts";
import type { TypeDefinition } from "../catalog.ts";
import type { Facts, Values } from "../facts.ts";
import type { Trace } from "../trace.ts";

/** What a condition is asked of. */
export interface Asked {
  /** Its actor decides which records are seen. */
  ctx: Ctx;
  facts: Facts;
  now: Date;
  /** Whether a tree of conditions holds of another record. */
  holdsOf(record: Values, node: unknown): Promise<boolean>;
  /** Where what conditions find is wanted: it is added here. */
  trace?: Trace;
  /** A condition says by it what it compares. */
  found?(actual: unknown): void;
}

export interface ConditionType extends TypeDefinition {
  /** Whether it is met. Its references and templates are filled in. */
  meets(leaf: Values, asked: Asked): Promise<boolean> | boolean;
  /** The fields of the record that it looks at; null if it looks at anything else. Then it cannot be asked of the record as it was. */
  reads?(leaf: Values): string[] | null;
  /** Further records whose events can change the answer, by their ids. */
  watches?(leaf: Values): string[];
  /** Whether it can become true or false by time alone. */
  byTime?(leaf: Values): boolean;
}

/** How a field is compared. */
export const fieldOperators = [
  "is",
  "is_not",
  "in",
  "not_in",
  "contains",
  "not_contains",
  "starts_with",
  "ends_with",
  "gt",
  "gte",
  "lt",
  "lte",
  "between",
  "exists",
  "not_exists",
  "changed",
  "is_true",
  "is_false",
  "before",
  "after",
  "within_last",
  "within_next",
] as const;
