// Scores a lead by a rubric: how much of each criterion it meets, and why.
import type { z } from "zod";
import { compares } from "../automations/comparing.ts";
import type { rubric, rubricOperators } from "../organization/rubric.ts";
import type { ShownLead, Values } from "./shown_leads.ts";

export type Rubric = z.output<typeof rubric>;
type Criterion = Rubric["criteria"][number];
type Operator = (typeof rubricOperators)[number];
/** A field, an operator and a value. */
type Condition = Pick<Criterion, "field" | "operator" | "value">;

export const grades = ["A", "B", "C", "D"] as const;
export const tiers = ["hot", "warm", "cool", "cold"] as const;

export interface Score {
  /** A whole number from 0 to 100. */
  score: number;
  grade: (typeof grades)[number];
  tier: (typeof tiers)[number];
  breakdown: Line[];
}

/** What one criterion gave. A disqualifier that holds is a line too, without points. */
interface Line {
  criterion: string;
  weight: number;
  points: number;
  max_points: number;
  matched: boolean;
  reason: string;
}

/** A disqualifier that holds makes the score 0, whatever else is true. */
export function scoreOf(rubric: Rubric, lead: ShownLead, now: Date): Score {
  const lines = rubric.criteria.map((one) => lineOf(one, lead, now));
  const out = rubric.disqualifiers.filter((one) => meets(one, lead, now));
  const sum = out.length > 0 ? 0 : lines.reduce((total, { points }) => total + points, 0);
  const score = Math.min(100, Math.max(0, Math.round(sum)));
  const { A, B, C } = rubric.thresholds;
  const place = out.length > 0 ? 3 : score >= A ? 0 : score >= B ? 1 : score >= C ? 2 : 3;
  return { score, grade: grades[place]!, tier: tiers[place]!, breakdown: [...out.map((one) => refusal(one, lead)), ...lines] };
}

function lineOf(one: Criterion, lead: ShownLead, now: Date): Line {
  const share = shareOf(one, lead, now);
  const points = Math.round(one.weight * share) / 100;
  const { label, weight } = one;
  return { criterion: label, weight, points, max_points: weight, matched: share > 0, reason: reasonOf(one, lead, share > 0) };
}

/** In percent. Where `points` grade people, the one who fits best counts: beside a chief, an assistant takes nothing away. */
function shareOf(one: Criterion, lead: ShownLead, now: Date): number {
  const isOfPeople = one.points !== undefined && pathOf(one.field)[0] === "contact" && !opposites.has(one.operator);
  if (!isOfPeople) return shareIn(one, lead, now);
  return Math.max(0, ...lead.contacts.map((person) => shareIn(one, { ...lead, contacts: [person] }, now)));
}

/** The first of `points` that holds decides; without one, the criterion's own condition gives all or nothing. */
function shareIn(one: Criterion, lead: ShownLead, now: Date): number {
  for (const { when, score } of one.points ?? []) {
    const graded = isCondition(when) ? { ...one, ...when } : { ...one, operator: "equals" as const, value: when };
    if (meets(graded, lead, now)) return score;
  }
  return meets(one, lead, now) ? 100 : 0;
}

const isCondition = (when: unknown): when is Pick<Condition, "operator" | "value"> =>
  typeof when === "object" && when !== null && "operator" in when;

const refusal = (one: Rubric["disqualifiers"][number], lead: ShownLead): Line => ({
  criterion: `Disqualified by ${one.field}`,
  weight: 0,
  points: 0,
  max_points: 0,
  matched: true,
  reason: one.reason || reasonOf(one, lead, true),
});

// --- conditions ---

/** These hold only when no element of a list holds the opposite. */
const opposites: ReadonlyMap<Operator, Operator> = new Map([
  ["not_equals", "equals"],
  ["not_contains", "contains"],
  ["not_in", "in"],
  ["not_exists", "exists"],
]);

const namesOf: ReadonlyMap<Operator, string> = new Map([
  ["equals", "is"],
  ["has_tag", "is"],
  ["in_list", "is"],
  ["status_is", "is"],
  ["owner_is", "is"],
]);

/** What these operators compare, whatever field is named. */
const ownFields: ReadonlyMap<Operator, readonly string[]> = new Map([
  ["has_tag", ["tags"]],
  ["in_list", ["list_ids"]],
  ["status_is", ["status_id", "status_label"]],
  ["owner_is", ["owner_id", "owner_name"]],
]);

function meets({ field, operator, value }: Condition, lead: ShownLead, now: Date): boolean {
  const positive = opposites.get(operator);
  if (positive !== undefined) return !meets({ field, operator: positive, value }, lead, now);
  const found = (ownFields.get(operator) ?? [field]).flatMap((one) => listOf(valueOf(lead, one)));
  const wanted = operator === "within_last" ? spanOf(value) : value;
  const alternatives = Array.isArray(wanted) && !["in", "between"].includes(operator) ? wanted : [wanted];
  const compare = namesOf.get(operator) ?? operator;
  return found.some((one) => alternatives.some((other) => compares(compare, one, other, now)));
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [null] : [value]);

/** `30`, `"30 days"` or `{amount, unit}`. */
function spanOf(value: unknown): unknown {
  if (typeof value === "number") return { amount: value, unit: "days" };
  const [, amount, unit] = /^\s*(\d+)\s*(\w*)\s*$/.exec(typeof value === "string" ? value : "") ?? [];
  return amount === undefined ? value : { amount: Number(amount), unit: unit ? `${unit.replace(/s$/, "")}s` : "days" };
}

/** The fields of leads that a rubric reads. */
export const fieldsOf = ({ criteria, disqualifiers }: Rubric): string[] =>
  [...criteria, ...disqualifiers].flatMap(
    ({ field, operator }) => ownFields.get(operator) ?? [pathOf(field)[1].split(".")[0]!, pathOf(field)[1]],
  );

/** Of whom, and the rest of the path. A plain name is a field of the lead, or else of its people. */
function pathOf(field: string): ["lead" | "contact" | null, string] {
  const [, of, path] = /^(lead|contact|contacts)\.(.+)$/.exec(field) ?? [];
  return of === undefined ? [null, field] : [of === "lead" ? "lead" : "contact", path!];
}

/** A list when it is a value of several people, or of the elements of a list. Undefined when nobody has such a field. */
function valueOf({ values, contacts }: ShownLead, field: string): unknown {
  const [of, path] = pathOf(field);
  const own = of === "contact" ? undefined : inside(values, path);
  if (own !== undefined || of === "lead") return own;
  const theirs = contacts.map((one) => inside(one, path)).filter((one) => one !== undefined);
  return theirs.length === 0 ? undefined : theirs.flat();
}

function inside(value: unknown, path: string): unknown {
  if (Array.isArray(value))
    return value
      .map((one) => inside(one, path))
      .filter((one) => one !== undefined)
      .flat();
  if (typeof value !== "object" || value === null) return undefined;
  // Names of custom fields contain a dot.
  if (Object.hasOwn(value, path)) return (value as Values)[path];
  const dot = path.indexOf(".");
  const first = path.slice(0, dot);
  return dot > 0 && Object.hasOwn(value, first) ? inside((value as Values)[first], path.slice(dot + 1)) : undefined;
}

// --- in words ---

const phrases: ReadonlyMap<Operator, string> = new Map([
  ["equals", "is"],
  ["not_equals", "is not"],
  ["contains", "contains"],
  ["not_contains", "does not contain"],
  ["starts_with", "starts with"],
  ["ends_with", "ends with"],
  ["in", "is one of"],
  ["not_in", "is none of"],
  ["exists", "is known"],
  ["not_exists", "is unknown"],
  ["gt", "is more than"],
  ["gte", "is at least"],
  ["lt", "is less than"],
  ["lte", "is at most"],
  ["between", "is between"],
  ["before", "is before"],
  ["after", "is after"],
  ["within_last", "is within the last"],
  ["is_true", "is true"],
  ["is_false", "is false"],
  ["has_tag", "has the tag"],
  ["in_list", "is in the list"],
  ["status_is", "has the status"],
  ["owner_is", "has the owner"],
]);

function reasonOf({ field, operator, value }: Condition, lead: ShownLead, matched: boolean): string {
  const wanted = [phrases.get(operator), value === undefined ? "" : inWords(value)].filter((word) => word).join(" ");
  const found = ownFields.get(operator)?.[0] ?? field;
  return `${matched ? "Holds" : "Does not hold"}: ${field} ${wanted}. ${found} is ${inWords(valueOf(lead, found))}.`;
}

const wordsMax = 200;

function inWords(value: unknown): string {
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) return "empty";
  const text = Array.isArray(value)
    ? listOf(value)
        .map(inWords)
        .filter((word) => word !== "empty")
        .join(", ") || "empty"
    : typeof value === "object"
      ? partsInWords(value)
      : String(value);
  return text.length > wordsMax ? `${text.slice(0, wordsMax).toWellFormed()} …` : text;
}

/** Of a time, `90 days`; of anything else the plain parts. */
function partsInWords(value: object): string {
  if ("amount" in value && "unit" in value) return `${value.amount} ${value.unit}`;
  const parts = Object.values(value).filter((one) => typeof one !== "object" && one !== "" && one !== undefined);
  return parts.length === 0 ? "empty" : parts.join(" ");
}
