// What every kind of bulk action has.
import { z } from "zod";
import { type Ctx, may } from "../../core/context.ts";
import { boolean, choice, computed, integer, json, lookedUp, type Moment, text, texts, timestamp } from "../../core/field.ts";
import { name, sql } from "../../db/sql.ts";
import { idFilter } from "../activities/act.ts";
import { objectsMax } from "../shared/selection.ts";

export const kinds = ["edit", "delete", "email", "sequence_subscription", "enrich", "automation", "undo"] as const;
export type Kind = (typeof kinds)[number];

export const statuses = ["created", "loading", "processing", "done", "paused", "resuming", "canceled", "error"] as const;
export type Status = (typeof statuses)[number];

/** What is in one of these is over. */
export const finalStates: ReadonlySet<string> = new Set<Status>(["done", "canceled", "error"]);

/** For so long, an edit or a deletion can be undone. */
const undoDays = 30;

const shared = {
  prefix: "bulk",
  table: "bulk_action",
  // Failures are listed by id, and restricted members must not learn that such records exist.
  visible: (ctx: Ctx, alias: string) =>
    may(ctx, "view_all_leads") ? null : sql`${name(alias)}.created_by = ${ctx.actor.user_id}`,
  owned: { by: "created_by", own: "member", others: "manage_organization" },
  filters: { type: idFilter("type"), template_id: idFilter("template_id"), automation_id: idFilter("automation_id") },
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
  recheck_query: boolean({
    createOnly: true,
    default: false,
    doc: "Looks at the query again before each record is taken: one that does not match any more is skipped.",
  }),
  sort: json(z.array(z.unknown()), { createOnly: true, default: [] as unknown[] }),
  results_limit: integer({ createOnly: true, min: 1, max: objectsMax, doc: "The maximum number of records." }),
  n_objects: integer({ readOnly: true, doc: "How many records it covers; null until they are counted." }),
  n_objects_processed: integer({ readOnly: true, default: 0 }),
  n_leads: integer({ readOnly: true }),
  n_leads_processed: integer({ readOnly: true, default: 0 }),
  n_succeeded: integer({ readOnly: true, default: 0 }),
  n_skipped: integer({ readOnly: true, default: 0, doc: "How many needed nothing, or were not there any more." }),
  n_failed: integer({ readOnly: true, default: 0 }),
  progress: computed(["n_objects", "n_objects_processed"], z.number().min(0).max(1), progressOf, "From 0 to 1."),
  eta_seconds: computed(
    ["status", "n_objects", "n_objects_processed", "date_started", "date_updated"],
    z.int().nullable(),
    secondsLeft,
    "How long it will still take at its present pace; null while that is unknown.",
  ),
  errors: json(z.array(z.object({ object_id: z.string(), error: z.string() })), {
    readOnly: true,
    default: [] as { object_id: string; error: string }[],
    doc: "The first hundred failures.",
  }),
  send_done_email: boolean({ createOnly: true, default: true }),
  date_started: timestamp({ readOnly: true }),
  date_paused: timestamp({ readOnly: true, doc: "When it was paused." }),
  date_completed: timestamp({ readOnly: true }),
  error: text({ readOnly: true, max: 1000, doc: "Why it stopped. `resuming` goes on with the records that are left." }),
  undo: lookedUp(
    ["kind", "status", "date_completed", "undo_action_id"],
    z.strictObject({
      available: z.boolean(),
      until: z.iso.datetime().nullable(),
      bulk_action_id: z.string().nullable().describe("The bulk action that undoes it, or has undone it."),
    }),
    undoOf,
    "Whether `POST /bulk_action/{id}/undo/` can undo it.",
  ),
  undo_action_id: text({ readOnly: true, hidden: true }),
  run_by: text({ readOnly: true, hidden: true }),
});

function progressOf(all: number | null, processed: number): number {
  return all === null ? 0 : all === 0 ? 1 : processed / all;
}

function secondsLeft(
  status: Status,
  all: number | null,
  processed: number,
  started: string | null,
  updated: string,
): number | null {
  if (status !== "processing" || all === null || started === null || processed === 0) return null;
  return Math.ceil((((Date.parse(updated) - Date.parse(started)) / processed) * (all - processed)) / 1000);
}

export function undoOf(
  _directory: unknown,
  of: Kind,
  status: Status,
  completed: string | null,
  by: string | null,
  { now }: Pick<Moment, "now">,
) {
  const isKept = (of === "edit" || of === "delete") && finalStates.has(status) && completed !== null;
  const until = isKept ? new Date(Date.parse(completed) + undoDays * 86_400_000) : null;
  const available = until !== null && until > now && by === null;
  return { available, until: until?.toISOString() ?? null, bulk_action_id: by };
}
