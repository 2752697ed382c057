// A kind of condition: one declaration with what its config takes and how it is checked. The catalog, the checks of publishing and the
// interpreter are made from it. To make a further one available: give its declaration a `meets`, and an example in the tests.
import type { Ctx } from "../../../core/context.ts";
import type { TypeDefinition } from "../catalog.ts";
import type { Facts, Values } from "../facts.ts";

/** What a condition is asked of. */
export interface Asked {
  ctx: Ctx;
  facts: Facts;
  now: Date;
}

/** A condition that this release carries out says whether it is met. Its references and templates are filled in. */
export interface ConditionType extends TypeDefinition {
  meets?(leaf: Values, asked: Asked): Promise<boolean> | boolean;
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
