/**
 * The query tree of `POST /data/search/`. `readQuery` turns what a caller sent into the one
 * normal form that the compiler reads: `negate` always there, ids always a list, time shorthand always moments.
 *
 * Which types, fields and relations exist is not known here; the compiler asks the resource's definition.
 */

import { z } from "zod";
import { reasons } from "../values/reasons.ts";
import { isoSpan, type Moment, moment, type Span } from "./moments.ts";

export type TextMode = "full_words" | "phrase" | "beginning_of_words";

/**
 * How a field is compared with text. `contains`: the words side by side, with the last one possibly incomplete. Only `name:x` of
 * a text query uses it. The conditions of automations look for letters anywhere, at the begin or at the end, whatever words they are of.
 */
export type SoughtMode = TextMode | "exact_value" | "contains" | LetterMode;
export type LetterMode = "has_letters" | "begins_with" | "ends_with";

export type Operator = ":" | "=" | ">" | ">=" | "<" | "<=" | "in";

/** Null in `this_object_type` and `object_type` means the type in scope. */
export type QueryNode = { negate: boolean } & (
  | { type: "and" | "or"; queries: QueryNode[] }
  | { type: "match_all" }
  | { type: "object_type"; object_type: string }
  | { type: "id"; value: string[] }
  | { type: "text"; value: string; mode: TextMode }
  | { type: "list"; list_id: string }
  | { type: "tag"; value: string }
  | {
      type: "has_related";
      this_object_type: string | null;
      related_object_type: string;
      related_query: QueryNode;
    }
  | { type: "field_condition"; field: FieldReference; condition: FieldCondition }
  // Only from a text query. The searched resource decides what the name and the values mean.
  | { type: "named_field"; name: string; operator: Operator; values: string[] }
  | { type: "named_related"; name: string; related_query: QueryNode }
);

export type FieldReference =
  | { type: "regular_field"; object_type: string | null; field_name: string }
  | { type: "custom_field"; custom_field_id: string };

export type FieldCondition =
  | { type: "boolean"; value: boolean }
  | { type: "exists" }
  | { type: "current_user" }
  | { type: "text"; value: string; mode: SoughtMode }
  | { type: "term"; values: (string | number | boolean)[] }
  | { type: "reference"; reference_type: string | null; object_ids: string[] }
  | { type: "number_range"; gt: number | null; gte: number | null; lt: number | null; lte: number | null }
  | { type: "moment_range"; on_or_after: Moment | null; before: Moment | null };

export type ReadQuery = { query: QueryNode; errors: null } | { query: null; errors: Record<string, string> };

export const MAX_DEPTH = 20;
export const MAX_NODES = 500;
const MAX_BYTES = 64 * 1024;

/** `errors` names each mistake by its dotted place: `query.queries.1.condition.gte`. */
export function readQuery(given: unknown, place = "query"): ReadQuery {
  // Created first, so that the following may be recursive.
  const excess = excessOf(given);
  if (excess !== null) return { query: null, errors: { [place]: excess } };

  const read = queryNode.safeParse(given, { reportInput: true });
  if (!read.success) return { query: null, errors: reasons(read.error, place) };
  const tooLong = Buffer.byteLength(JSON.stringify(given)) > MAX_BYTES;
  return tooLong ? { query: null, errors: { [place]: "must be at most 64 KB" } } : { query: read.data, errors: null };
}

function excessOf(given: unknown): string | null {
  const open = [{ node: given as { queries?: unknown; related_query?: unknown } | null | undefined, depth: 1 }];
  for (const { node, depth } of open) {
    if (depth > MAX_DEPTH) return `must be nested at most ${MAX_DEPTH} deep`;
    const inner = [node?.queries, node?.related_query].flat().filter((child) => child !== undefined);
    if (open.length + inner.length > MAX_NODES) return `must have at most ${MAX_NODES} nodes`;
    for (const child of inner) open.push({ node: child as object, depth: depth + 1 });
  }
  return null;
}

const name = z.string().min(1);
const inScope = name.nullable().default(null);
const negate = z.boolean().default(false);
// A tsquery of 64 KB would cost PostgreSQL more than its result is worth.
const text = z.string().max(4_000);
const textModes = ["full_words", "phrase", "beginning_of_words"] as const;

export const fieldReference = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("regular_field"), object_type: inScope, field_name: name }),
  z.strictObject({ type: z.literal("custom_field"), custom_field_id: name }),
]);

const scalar = z.union([z.string(), z.number(), z.boolean()], {
  error: "must be text, a number, true or false",
});
const bound = z.number().nullable().default(null);
const numberRange = z
  .strictObject({ type: z.literal("number_range"), gt: bound, gte: bound, lt: bound, lte: bound })
  .refine(({ gt, gte, lt, lte }) => (gt ?? gte ?? lt ?? lte) !== null, "needs gt, gte, lt or lte");

const span = z.string().transform((given, problems): Span => {
  const found = isoSpan(given);
  if (found === null) problems.addIssue("must be a date or time such as 2026-01-31 or 2026-01-31T09:30:00Z");
  return found ?? z.NEVER;
});
// `lte` a day reaches to its end and `gt` a day begins after it; both are exact on times.
const momentRange = z
  .strictObject({
    type: z.literal("moment_range"),
    on_or_after: moment.nullish(),
    before: moment.nullish(),
    gt: span.nullish(),
    gte: span.nullish(),
    lt: span.nullish(),
    lte: span.nullish(),
  })
  .transform(({ type, on_or_after, before, gt, gte, lt, lte }, problems) => {
    const from = [on_or_after, gte?.start, gt?.end].filter((moment) => moment != null);
    const until = [before, lt?.start, lte?.end].filter((moment) => moment != null);
    if (from.length + until.length === 0) problems.addIssue("needs on_or_after or before");
    if (from.length > 1) problems.addIssue("must have only one of on_or_after, gt and gte");
    if (until.length > 1) problems.addIssue("must have only one of before, lt and lte");
    return { type, on_or_after: from[0] ?? null, before: until[0] ?? null };
  });

/** As many as a filter of a list takes. */
export const MAX_VALUES = 100;

const condition = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("boolean"), value: z.boolean() }),
  z.strictObject({ type: z.literal("exists") }),
  z.strictObject({ type: z.literal("current_user") }),
  z.strictObject({
    type: z.literal("text"),
    value: text,
    mode: z.enum([...textModes, "exact_value"]).default("full_words"),
  }),
  z.strictObject({ type: z.literal("term"), values: z.array(scalar).max(MAX_VALUES) }),
  z.strictObject({
    type: z.literal("reference"),
    reference_type: inScope,
    object_ids: z.array(name).max(MAX_VALUES),
  }),
  numberRange,
  momentRange,
]);

const queries = z.array(z.lazy(() => queryNode));
const ids = z.union([name.transform((id) => [id]), z.array(name).max(MAX_VALUES)], {
  error: "must be an id or a list of ids",
});

/** For describing the interface; to read a query use `readQuery`, which bounds its size first. */
export const queryNode: z.ZodType<QueryNode> = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.literal(["and", "or"]), negate, queries }),
    z.strictObject({ type: z.literal("match_all"), negate }),
    z.strictObject({ type: z.literal("object_type"), negate, object_type: name }),
    z.strictObject({ type: z.literal("id"), negate, value: ids }),
    z.strictObject({
      type: z.literal("text"),
      negate,
      value: text,
      mode: z.enum(textModes).default("full_words"),
    }),
    z.strictObject({ type: z.literal("list"), negate, list_id: name }),
    z.strictObject({ type: z.literal("tag"), negate, value: name }),
    z.strictObject({
      type: z.literal("has_related"),
      negate,
      this_object_type: inScope,
      related_object_type: name,
      related_query: z.lazy(() => queryNode),
    }),
    z.strictObject({ type: z.literal("field_condition"), negate, field: fieldReference, condition }),
  ],
  { error: ({ input }) => (isSaved(input) ? "must be the query itself: saved searches are not kept here" : undefined) },
);

const isSaved = (given: unknown): boolean => (given as { type?: unknown } | null)?.type === "saved_search";
