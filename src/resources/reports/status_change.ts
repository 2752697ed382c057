// `POST /report/status_change/lead/` and `…/opportunity/`: how many records had each status at the start and at the end of a
// range of time, and how they moved in between.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { and, empty, name, raw, type Sql, sql } from "../../db/sql.ts";
import { leadStatusChange, opportunityStatusChange } from "../activities/status_change.ts";
import { lead } from "../leads/lead.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { user } from "../organization/organization.ts";
import { stoodSince } from "./first_standing.ts";
import { type Range, within } from "./range.ts";
import { type Asked, ask, pipelineInput, pipelinesOf, report } from "./report.ts";

interface Subject {
  of: Resource;
  /** The activity that records the changes, and its column for the record. */
  change: Resource;
  by: string;
  /** When a record got its first status, computed from the changes that `places` reads. */
  since: (range: Range) => Sql;
}

interface Status {
  id: string;
  label: string;
}

const overview = z.strictObject({
  status_id: z.string(),
  status_label: z.string(),
  status_is_deleted: z.boolean(),
  started: z.int().nullable().describe("How many had this status when the range began; null without a beginning."),
  ended: z.int().describe("How many had this status when it ended."),
  change: z.int().nullable(),
  change_percent: z.number().nullable().describe("Null if there were none at the beginning."),
  gained: z.int().nullable().describe("How many had this status at the end and not at the beginning."),
  lost: z.int().nullable().describe("How many had this status at the beginning and not at the end."),
  entered: z.int().describe("How often a record got this status in the range, new records included."),
  left: z.int().describe("How often a record left this status in the range."),
});
const transition = z.strictObject({
  from_status_id: z.string(),
  from_status_label: z.string(),
  from_status_is_deleted: z.boolean(),
  to_status_id: z.string(),
  to_status_label: z.string(),
  to_status_is_deleted: z.boolean(),
  count: z.int(),
});

const output = {
  status_overview: z.array(overview),
  status_transitions: z.array(transition).describe("Every change of status."),
  status_transitions_summary: z
    .array(transition)
    .describe("From the first status in the range to the last, once for each record."),
};
const tables = {
  status_overview: (answer: any) => answer.status_overview,
  status_transitions: (answer: any) => answer.status_transitions,
  status_transitions_summary: (answer: any) => answer.status_transitions_summary,
};

export const leadStatusChangeReport = report({
  path: "status_change/lead",
  doc: "Counts how leads moved between statuses in a range of time; without a range, from the beginning.",
  range: "all-time",
  input: {},
  output,
  tables,
  run: (ctx, _given, asked) =>
    statusChanges(
      ctx,
      asked,
      { of: lead, change: leadStatusChange, by: "lead_id", since: () => raw("t.date_created") },
      ctx.directory.list(leadStatus),
      {
        owner: "owner_id",
        narrowed: [],
      },
    ),
});

export const opportunityStatusChangeReport = report({
  path: "status_change/opportunity",
  doc: "Counts how deals moved between statuses in a range of time; without a range, from the beginning.",
  range: "all-time",
  input: { ...pipelineInput, user_id: z.string().nullish().describe("Only deals of this member.") },
  output,
  tables,
  run(ctx, { pipeline_id, user_id }, asked) {
    if (user_id && ctx.directory.get(user, user_id) === undefined) throw invalid({ user_id: "does not exist" });
    const statuses = pipelinesOf(ctx, pipeline_id).flatMap((one) => one.statuses);
    const narrowed = user_id ? [sql`t.user_id = ${user_id}`] : [];
    // The records of the requested pipelines had their first status in any pipeline.
    const all = pipelinesOf(ctx, null);
    const first = { status: raw("coalesce(first.old_status_id, t.status_id)"), changed: raw("first.activity_at") };
    const since = (range: Range) => stoodSince(ctx, range, all, { from: range.start, ...first });
    const subject = { of: opportunity, change: opportunityStatusChange, by: "opportunity_id", since };
    return statusChanges(ctx, asked, subject, statuses, { owner: "user_id", narrowed, only: pipeline_id ? statuses : undefined });
  },
});

interface Narrowed {
  owner: string;
  narrowed: readonly Sql[];
  /** Only these statuses are shown, and changes to and from them. */
  only?: readonly Status[];
}

async function statusChanges(
  ctx: Ctx,
  asked: Asked,
  subject: Subject,
  statuses: readonly Status[],
  { owner, narrowed, only }: Narrowed,
) {
  const { range } = asked;
  const where = and([asked.records(subject.of, "t", owner), ...narrowed]);
  const whole = asked.isWhole && narrowed.length === 0 && (subject.of.visible?.(ctx, "t") ?? null) === null;
  const { standing, transitions } = await ask(ctx, {
    // How many records started with one status (at the start of the range, or when they were created in it) and ended with
    // another.
    standing: sql`select began, ended, is_new, has_moved, count(*)::int from (${places(ctx, asked, subject, where)}) p group by 1, 2, 3, 4`,
    // How many changes from one status to another.
    transitions: sql`select c.old_status_id as from, c.new_status_id as to, count(*)::int from activity c
      where ${changesOf(ctx, subject)} and ${within(range, raw("c.activity_at"))}
        ${whole ? empty : sql`and c.${name(subject.by)} in (select t.id from ${name(subject.of.table)} t where ${where})`} group by 1, 2`,
  });

  const summary = standing.filter((row) => row.has_moved && row.began !== row.ended);
  const seen = [...standing.flatMap(({ began, ended }) => [began, ended]), ...transitions.flatMap(({ from, to }) => [from, to])];
  const labelOf = await labels(ctx, subject.change, statuses, seen);
  const shows = (id: string) => only === undefined || only.some((one) => one.id === id);
  const moves = (rows: readonly Move[]) =>
    rows
      .filter(({ from, to }) => shows(from) || shows(to))
      .sort((a, b) => b.count - a.count)
      .map(({ from, to, count }) => ({ ...prefixed("from_", labelOf(from)), ...prefixed("to_", labelOf(to)), count }));
  const ids = [...new Set([...statuses.map(({ id }) => id), ...seen])].filter((id) => shows(id));
  return {
    status_overview: ids.map((id) => ({ ...labelOf(id), ...overviewOf(id, standing, transitions, range.start !== null) })),
    status_transitions: moves(transitions),
    status_transitions_summary: moves(together(summary.map(({ began, ended, count }) => ({ from: began, to: ended, count })))),
  };
}

const changesOf = (ctx: Ctx, { change }: Subject): Sql =>
  sql`c.organization_id = ${ctx.organization_id} and c._type = ${change.only!.value}`;

/**
 * A row is a record that existed at the end of the range, with its first and last status in it. The status at any time is the one
 * that the next change came from, or else the present one.
 */
function places(ctx: Ctx, { range }: Asked, subject: Subject, where: Sql): Sql {
  const { start, end } = range;
  const since = subject.since(range);
  const by = sql`c.${name(subject.by)}`;
  const firstSince = (moment: string | null) =>
    sql`select distinct on (${by}) ${by} as id, c.old_status_id, c.activity_at from activity c
      where ${changesOf(ctx, subject)} ${moment === null ? empty : sql`and c.activity_at >= ${moment}::timestamptz`} order by ${by}, c.activity_at`;
  // Future changes have not happened yet.
  const over = end !== null && Date.parse(end) <= ctx.now.getTime();
  return sql`
    select coalesce(first.old_status_id, t.status_id) as began,
      ${over ? sql`coalesce(next.old_status_id, t.status_id)` : raw("t.status_id")} as ended,
      ${start === null ? raw("true") : sql`${since} >= ${start}::timestamptz`} as is_new,
      first.id is not null ${over ? sql`and first.activity_at < ${end}::timestamptz` : empty} as has_moved
    from ${name(subject.of.table)} t
    left join (${firstSince(start)}) first on first.id = t.id
    ${over ? sql`left join (${firstSince(end)}) next on next.id = t.id` : empty}
    where ${where} ${end === null ? empty : sql`and ${since} < ${end}::timestamptz`}`;
}

// --- rows ---

interface Standing {
  began: string;
  ended: string;
  is_new: boolean;
  has_moved: boolean;
  count: number;
}

interface Move {
  from: string;
  to: string;
  count: number;
}

const sum = <T extends { count: number }>(rows: readonly T[], where: (row: T) => boolean): number =>
  rows.reduce((all, row) => all + (where(row) ? row.count : 0), 0);

function overviewOf(id: string, standing: readonly Standing[], moves: readonly Move[], hasStart: boolean) {
  const ended = sum(standing, (row) => row.ended === id);
  const created = sum(standing, (row) => row.is_new && row.began === id);
  const ways = { entered: created + sum(moves, ({ to }) => to === id), left: sum(moves, ({ from }) => from === id) };
  if (!hasStart) return { started: null, ended, change: null, change_percent: null, gained: null, lost: null, ...ways };
  const started = sum(standing, (row) => !row.is_new && row.began === id);
  const stayed = sum(standing, (row) => !row.is_new && row.began === id && row.ended === id);
  return {
    started,
    ended,
    change: ended - started,
    change_percent: started === 0 ? null : Math.round(((ended - started) / started) * 10_000) / 100,
    gained: ended - stayed,
    lost: started - stayed,
    ...ways,
  };
}

/** One row for each way, whether the records were new or not. */
function together(moves: readonly Move[]): Move[] {
  const ways = Object.values(Object.groupBy(moves, ({ from, to }) => `${from} ${to}`)) as Move[][];
  return ways.map((rows) => ({ ...rows[0]!, count: sum(rows, () => true) }));
}

interface Labelled {
  status_id: string;
  status_label: string;
  status_is_deleted: boolean;
}

/** The label of each status. Deleted ones have their last label. */
async function labels(
  ctx: Ctx,
  change: Resource,
  statuses: readonly Status[],
  ids: readonly (string | null)[],
): Promise<(id: string) => Labelled> {
  const present = new Map(
    ctx.directory
      .all(change === leadStatusChange ? "lead_status" : "opportunity_status")
      .map((one) => [one.id, one.label as string]),
  );
  const gone = [...new Set(ids)].filter((id) => id !== null && !present.has(id));
  const known = new Map<unknown, string>(statuses.map(({ id, label }) => [id, label]));
  for (const [id, label] of present) known.set(id, label);
  if (gone.length > 0) {
    const { found } = await ask(ctx, {
      found: sql`
        select s.id, (select case when c.old_status_id = s.id then c.old_status_label else c.new_status_label end from activity c
          where c.organization_id = ${ctx.organization_id} and c._type = ${change.only!.value} and s.id in (c.old_status_id, c.new_status_id)
          order by c.activity_at desc limit 1) as label
        from unnest(${gone}::text[]) s(id)`,
    });
    for (const { id, label } of found) known.set(id, label ?? id);
  }
  return (id) => ({ status_id: id, status_label: known.get(id) ?? id, status_is_deleted: !present.has(id) });
}

const prefixed = <P extends string>(prefix: P, values: Labelled) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${prefix}${key}`, value]));
