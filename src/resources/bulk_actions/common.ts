// What every kind of bulk action has.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { boolean, choice, integer, json, text, texts, timestamp } from "../../core/field.ts";
import { name, sql } from "../../db/sql.ts";
import { idFilter } from "../activities/act.ts";
import { objectsMax } from "../shared/selection.ts";

export const kinds = ["edit", "delete", "email", "sequence_subscription"] as const;
export type Kind = (typeof kinds)[number];

export const statuses = ["created", "loading", "processing", "done", "paused", "resuming", "error"] as const;
export type Status = (typeof statuses)[number];

const shared = {
  prefix: "bulk",
  table: "bulk_action",
  // Failures are listed by id, and restricted members must not learn that such records exist.
  visible: (ctx: Ctx, alias: string) =>
    may(ctx, "view_all_leads") ? null : sql`${name(alias)}.created_by = ${ctx.actor.user_id}`,
  owned: { by: "created_by", own: "bulk_edit", others: "manage_organization" },
  filters: { type: idFilter("type"), template_id: idFilter("template_id") },
} as const;

/** The declaration that covers all bulk actions. */
export const stream = shared;

/** The declaration of one kind, under its own path. */
export const kind = <K extends Kind>(word: K) =>
  ({
    ...shared,
    name: `bulk_action_${word}`,
    path: `/bulk_action/${word}`,
    event: `bulk_action.${word}`,
    only: { column: "kind", value: word },
  }) as const;

/** The fields that every kind starts with. */
export const common = () => ({
  kind: choice(kinds, { readOnly: true, required: true, doc: "What is done." }),
  status: choice(statuses, { readOnly: true, default: "created", doc: "The current status." }),
  s_query: json(z.record(z.string(), z.unknown()), {
    createOnly: true,
    doc: "The records, as a query of `POST /data/search/`.",
  }),
  query: text({ createOnly: true, max: 10_000, doc: "The records, as a text query." }),
  object_ids: texts({ readOnly: true, default: null as string[] | null, doc: "The records, by their ids." }),
  sort: json(z.array(z.unknown()), { createOnly: true, default: [] as unknown[] }),
  results_limit: integer({ createOnly: true, min: 1, max: objectsMax, doc: "The maximum number of records." }),
  n_objects: integer({ readOnly: true, doc: "How many records it covers; null until they are counted." }),
  n_objects_processed: integer({ readOnly: true, default: 0 }),
  n_leads: integer({ readOnly: true }),
  n_leads_processed: integer({ readOnly: true, default: 0 }),
  n_failed: integer({ readOnly: true, default: 0 }),
  errors: json(z.array(z.object({ object_id: z.string(), error: z.string() })), {
    readOnly: true,
    default: [] as { object_id: string; error: string }[],
    doc: "The first hundred failures.",
  }),
  send_done_email: boolean({ createOnly: true, default: true }),
  date_started: timestamp({ readOnly: true }),
  date_paused: timestamp({ readOnly: true, doc: "When it was paused." }),
  date_completed: timestamp({ readOnly: true }),
});
