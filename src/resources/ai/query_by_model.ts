// A search that a model makes of a question. It reads no record for that: only the names of fields, statuses and tags.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { resourceOf } from "../../search/relations.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import { Useless } from "./ask_model.ts";
import type { Task } from "./prompt.ts";
import { checkAddressesIn, checkedProse } from "./prose.ts";
import type { Understood } from "./words_to_query.ts";

const kinds = [
  "lead",
  "contact",
  "opportunity",
  "task",
  "activity.call",
  "activity.email",
  "activity.note",
  "activity.meeting",
  "activity.sms",
];

const grammar = `A query is a tree of nodes, each with an optional "negate": true:
{"type": "and" or "or", "queries": [nodes]}; {"type": "text", "value": "words", "mode": "full_words" or "phrase"}; {"type": "tag", "value": "…"};
{"type": "has_related", "related_object_type": "contact", "opportunity", "task", "address", "contact_email" or an activity, "related_query": node or {"type": "match_all"}};
{"type": "field_condition", "field": {"type": "regular_field", "field_name": "…"} or {"type": "custom_field", "custom_field_id": "cf_…"}, "condition": condition}.
Conditions: {"type": "exists"}; {"type": "current_user"}; {"type": "boolean", "value": true}; {"type": "text", "value": "…", "mode": "phrase"};
{"type": "term", "values": ["DE"]}; {"type": "reference", "object_ids": ["ids of statuses"]}; {"type": "number_range", "gte": 1, "lt": 9};
{"type": "moment_range", "on_or_after": {"type": "fixed_local_date", "value": "2026-01-31", "which": "start"}, "before": {…, "which": "end"}}.
Money is in minor units. Cities and countries (two letters) are city and country of a related address.`;

export function queryTask(ctx: Ctx, question: string, object_type: string | undefined): Task {
  const named = (of: string) => Object.keys(resourceOf(ctx, of)?.fields ?? {});
  const custom = (of: string) =>
    [...customFieldsOf(ctx.directory, of).values()].slice(0, 100).map(({ id, name, type }) => ({ id, name, type }));
  return {
    does: `Turn the question in the wishes into a search. Today is ${ctx.now.toISOString().slice(0, 10)}. ${object_type === undefined ? `Kinds of record: ${kinds.join(", ")}.` : `The kind of record is ${object_type}.`}\n${grammar}`,
    wishes: question,
    answers: '{"object_type": "lead", "query": node, "explanation": "one sentence that says how the question was understood"}',
    data: {
      fields: Object.fromEntries(["lead", "contact", "opportunity", "task"].map((of) => [of, named(of)])),
      custom_fields: Object.fromEntries(["lead", "contact", "opportunity"].map((of) => [of, custom(of)])),
      lead_statuses: ctx.directory.list(leadStatus).map(({ id, label }) => ({ id, label })),
      opportunity_statuses: ctx.directory.list(opportunityStatus).map(({ id, label, type }) => ({ id, label, type })),
    },
    tokens: 2000,
  };
}

const shape = z.object({
  object_type: z.string().max(64),
  query: z.record(z.string(), z.unknown()),
  explanation: z.string(),
});

/** The search itself checks the query, like that of any caller. */
export function queryIn(ctx: Ctx, question: string, wanted: string | undefined, answer: unknown): Understood {
  const read = shape.safeParse(answer);
  if (!read.success) throw new Useless("answered no query");
  const { object_type, query } = read.data;
  if (wanted !== undefined && object_type !== wanted) throw new Useless("answered a query for another kind of record");
  if (resourceOf(ctx, object_type)?.search === undefined) throw new Useless("answered a query for no kind of record");
  const explanation = checkedProse(read.data.explanation, { known: question, most: 500 });
  for (const text of textsIn(query)) checkAddressesIn(text, question);
  return {
    object_type,
    query: { type: "and", queries: [{ type: "object_type", object_type }, query] },
    explanation,
    remark: null,
  };
}

/** What it looks for, without names of fields and kinds. */
function textsIn(node: unknown): unknown[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, one]) => (key === "value" || key === "values" ? [one] : textsIn(one)));
}
