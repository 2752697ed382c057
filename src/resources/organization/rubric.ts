// The rubric for scoring leads: what an ideal customer looks like. It is stored in the organization's settings.
import { z } from "zod";

/** How a rubric compares a field with a value. */
export const rubricOperators = [
  "equals",
  "not_equals",
  "contains",
  "not_contains",
  "starts_with",
  "ends_with",
  "in",
  "not_in",
  "exists",
  "not_exists",
  "gt",
  "gte",
  "lt",
  "lte",
  "between",
  "before",
  "after",
  "within_last",
  "is_true",
  "is_false",
  "has_tag",
  "in_list",
  "status_is",
  "owner_is",
] as const;

const words = (max: number) => z.string().trim().min(1).max(max);
const grade = z.number().min(0).max(100);
const condition = { field: words(255), operator: z.enum(rubricOperators), value: z.unknown().optional() };

type Operator = (typeof rubricOperators)[number];
const ordering: readonly Operator[] = ["gt", "gte", "lt", "lte"];
const alone: readonly Operator[] = ["exists", "not_exists", "is_true", "is_false"];
const isBlank = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
const isAmount = (value: unknown) =>
  typeof value === "number" ||
  (typeof value === "string" && value.trim() !== "" && !(Number.isNaN(Number(value)) && Number.isNaN(Date.parse(value))));
const isPlain = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
/** A moment may also be so long ago. */
const moments: readonly Operator[] = ["before", "after"];
const span = z.union([
  z.number().positive(),
  z.string().regex(/^\s*\d{1,6}\s*(minute|hour|day|week|month|year)?s?\s*$/),
  z.looseObject({ amount: z.number().positive(), unit: z.enum(["minutes", "hours", "days", "weeks", "months", "years"]) }),
]);

/** What is wrong with the value that an operator compares with; null where it can be compared. */
function problemOfValue(operator: Operator, value: unknown): string | null {
  if (alone.includes(operator)) return null;
  if (isBlank(value)) return `is needed by ${operator}`;
  if (operator === "between")
    return Array.isArray(value) && value.length === 2 && value.every(isAmount)
      ? null
      : "must be a list of two, such as [50, 500]";
  if (operator === "within_last") return span.safeParse(value).success ? null : 'must be a time such as "30 days"';
  if (moments.includes(operator))
    return isAmount(value) || span.safeParse(value).success ? null : "must be a date, or a time such as {amount, unit}";
  if (ordering.includes(operator)) return isAmount(value) ? null : "must be a number or a date";
  return [value].flat().every(isPlain) ? null : "must be a text, a number, or a list of them";
}

type Compared = { operator: Operator; value?: unknown };
const compared = ({ operator, value }: Compared, check: z.RefinementCtx): void => {
  const message = problemOfValue(operator, value);
  if (message !== null) check.addIssue({ code: "custom", path: ["value"], message });
};

const gradedBy = z.looseObject({ operator: condition.operator, value: condition.value });

const criterion = z
  .looseObject({
    key: words(64),
    label: words(255),
    description: z.string().max(2000).default(""),
    weight: z.number().positive().max(1000),
    ...condition,
    type: z.enum(["firmographic", "behavioral", "role"]).default("firmographic"),
    points: z
      .array(z.looseObject({ when: z.unknown(), score: grade }))
      .max(50)
      .optional(),
  })
  .superRefine((given, check) => {
    compared(given, check);
    given.points?.forEach(({ when }, i) => {
      const graded = gradedBy.safeParse(when);
      const message = graded.success ? problemOfValue(graded.data.operator, graded.data.value) : null;
      const isOther = !graded.success && typeof when === "object" && when !== null;
      if (isOther || message !== null)
        check.addIssue({
          code: "custom",
          path: ["points", i, "when"],
          message: message ?? "must be a value, or {operator, value}",
        });
    });
  });

const disqualifier = z.looseObject({ ...condition, reason: z.string().max(1000).default("") }).superRefine(compared);

/** A rubric in a request: checked, with defaults filled in, and with weights that sum to 100. */
export const rubric = z
  .looseObject({
    version: z.literal(1).default(1),
    name: words(255).default("Ideal customer"),
    description: z.string().max(5000).default(""),
    criteria: z.array(criterion).min(1).max(100),
    thresholds: z.looseObject({ A: grade.default(80), B: grade.default(60), C: grade.default(40) }).prefault({}),
    disqualifiers: z.array(disqualifier).max(100).default([]),
  })
  .superRefine(({ criteria, thresholds }, check) => {
    criteria.forEach(({ key }, i) => {
      if (criteria.findIndex((other) => other.key === key) < i)
        check.addIssue({ code: "custom", path: ["criteria", i, "key"], message: "is already used by another criterion" });
    });
    if (thresholds.A < thresholds.B || thresholds.B < thresholds.C)
      check.addIssue({ code: "custom", path: ["thresholds"], message: "must fall from A to C" });
  })
  .transform((given) => ({ ...given, criteria: weighedTo100(given.criteria) }));

/** The same proportions, in hundredths, with a sum of exactly 100. */
function weighedTo100<T extends { weight: number }>(criteria: readonly T[]): T[] {
  const sum = criteria.reduce((total, { weight }) => total + weight, 0);
  let used = 0;
  let before = 0;
  return criteria.map((one) => {
    before += one.weight;
    const upTo = Math.round((before / sum) * 10_000);
    const weight = (upTo - used) / 100;
    used = upTo;
    return { ...one, weight };
  });
}
