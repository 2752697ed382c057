// The fields that automations of both generations have in common. One table has the rows of both.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { computed, integer, json, related, text, timestamp } from "../../core/field.ts";
import { name, type Sql, sql, wireTime } from "../../db/sql.ts";
import type { Graph } from "./graph_shape.ts";
import type { Settings } from "./settings.ts";
import type { Trigger } from "./trigger.ts";
import { visibleAsRun } from "./visibility.ts";

/** What an automation does: its trigger, its records, its steps, and how often it runs. */
export interface Plan {
  trigger: Trigger;
  filter: object | null;
  graph: Graph;
  settings: Settings;
}

export const shownTrigger = z.object({ type: z.string(), config: z.record(z.string(), z.unknown()) });
export const shownGraph = z.looseObject({ start: z.string().nullable(), steps: z.record(z.string(), z.looseObject({})) });
export const anyObject = z.looseObject({});

/** The generation, which tells the rows of the table apart. */
export const generation = (is: "1" | "2") =>
  text({
    required: true,
    readOnly: true,
    shown: computed(["generation"], z.literal(Number(is)), () => Number(is), "Which kind of automation."),
  });

export const isActive = ({ status }: { status: string }): boolean => status === "active";

const circuit = z.object({
  until: z.string().nullable(),
  reason: z.string().nullable(),
  trips: z.array(z.string()),
  since: z.string(),
  told_at: z.string().optional(),
});

/**
 * Until when nothing starts, when that happened within a day, since when starts are counted, and when somebody was last told of a record
 * that it starts too often for.
 */
export type Circuit = z.output<typeof circuit>;

const health = z.strictObject({
  state: z.enum(["ok", "degraded", "circuit_open"]),
  reason: z.string().nullable(),
  until: z.iso.datetime().nullable(),
});

/** On the alias `r`: a run that has effects, also one that an old event started again. What was only tried out is none. */
export const isReal: Sql = sql`not r.is_test and not r.is_simulation`;

/** The runs of an automation, on the alias `r`, that the caller may see. `of` is the column with its id. */
export function seenRuns(ctx: Ctx, alias: string, of = "id"): Sql {
  const visible = visibleAsRun(ctx, "r");
  const runs = sql`from automation_run r where r.organization_id = ${ctx.organization_id} and r.automation_id = ${name(alias)}.${name(of)} and ${isReal}`;
  return visible === null ? runs : sql`${runs} and ${visible}`;
}

function healthOf(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  return sql`case
    when (${t}.circuit->>'until')::timestamptz > ${ctx.now}::timestamptz
      then jsonb_build_object('state', 'circuit_open', 'reason', 'loop_rate', 'until', ${t}.circuit->>'until')
    when exists (select ${seenRuns(ctx, alias)} and r.status = 'held' and r.error is not null) then '{"state": "degraded", "reason": "held_runs", "until": null}'::jsonb
    else '{"state": "ok", "reason": null, "until": null}'::jsonb end`;
}

const counts = z.strictObject({ running: z.int(), waiting: z.int(), failed_24h: z.int(), runs_7d: z.int() });

/** Two ranges of indexes: the runs that are not over, and those of a week. */
function countsOf(alias: string, ctx: Ctx): Sql {
  const runs = seenRuns(ctx, alias);
  const since = (hours: number) => sql`r.date_created > ${ctx.now}::timestamptz - make_interval(hours => ${hours})`;
  return sql`(select json_build_object('running', l.running, 'waiting', l.waiting, 'failed_24h', w.failed, 'runs_7d', w.runs)
    from (select count(*) filter (where r.status in ('queued', 'running')) as running,
        count(*) filter (where r.status = 'waiting') as waiting
        ${runs} and r.status in ('queued', 'running', 'waiting', 'held')) l,
      (select count(*) filter (where r.status = 'failed' and ${since(24)}) as failed, count(*) as runs
        ${runs} and ${since(7 * 24)}) w)`;
}

const totals = z.object({ runs_total: z.int(), runs_failed: z.int(), last_run_at: z.iso.datetime().nullable() });

/** All runs are counted as they start and fail. Who does not see all of them gets those that they see, counted now. */
function totalsOf(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  const [all, seen] =
    visibleAsRun(ctx, "r") === null
      ? [[sql`${t}.runs_total`, sql`${t}.runs_failed`, sql`${t}.last_run_at`], sql``]
      : [[sql`count(*)`, sql`count(*) filter (where r.status = 'failed')`, sql`max(r.date_created)`], seenRuns(ctx, alias)];
  const [total, failed, last] = all;
  return sql`(select json_build_object('runs_total', ${total!}, 'runs_failed', ${failed!}, 'last_run_at', ${wireTime(last!)}) ${seen})`;
}

/** Its last run that the caller may see. */
const lastRunOf = (alias: string, ctx: Ctx): Sql =>
  visibleAsRun(ctx, "r") === null ? sql`${name(alias)}.last_run_at` : sql`(select max(r.date_created) ${seenRuns(ctx, alias)})`;

export const byLastRun = {
  last_run_at: { sql: (alias: string, ctx: Ctx) => sql`extract(epoch from ${lastRunOf(alias, ctx)})`, type: "number" },
} as const;

const alwaysShown = { always: true } as const;

/** What became of its runs, for who asks. */
export const runTotals = related(totals, totalsOf, "Its runs that the caller may see.", alwaysShown);

/** One of them under a name of its own. */
export const runTotal = (of: "runs_total" | "runs_failed", doc: string) =>
  related(z.int(), (alias, ctx) => sql`(${totalsOf(alias, ctx)}->${of}::text)`, doc, alwaysShown);

export const running = {
  trigger_type: text({ derive: (row: { trigger: Trigger }) => row.trigger.type, doc: "The type of its trigger." }),
  object_type: text({
    derive: (row: { trigger: Trigger }) => (row.trigger.config.object_type as string | undefined) ?? null,
    doc: "The kind of record it is about.",
  }),
  active_version_id: text({ readOnly: true, doc: "The active version." }),
  in_flight: text({ readOnly: true, hidden: true }),
  paused_at: timestamp({ readOnly: true, hidden: true }),
  active_version: integer({ readOnly: true, doc: "Its number." }),
  last_run_at: related(
    z.iso.datetime().nullable(),
    (alias, ctx) => sql`(${totalsOf(alias, ctx)}->'last_run_at')`,
    "When it ran last, for a record that the caller may see.",
    alwaysShown,
  ),
  runs_total: integer({ readOnly: true, hidden: true, default: 0 }),
  runs_failed: integer({ readOnly: true, hidden: true, default: 0 }),
  circuit: json(circuit, { readOnly: true, hidden: true }),
  counts: related(counts, countsOf, "Its runs: queued or running, waiting, failed of the last 24 hours, all of the last 7 days."),
  health: related(
    health,
    healthOf,
    "Whether it starts: `circuit_open` after too many starts, `degraded` while failures hold runs.",
    alwaysShown,
  ),
};
