// `POST /report/status_change/lead/` and `…/opportunity/`: how many stood where at the beginning and at the end of a range of time,
// and how they moved between.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { name, raw, type Sql, sql } from "../../db/sql.ts";
import { leadStatusChange, opportunityStatusChange } from "../activities/status_change.ts";
import { lead } from "../leads/lead.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { user } from "../organization/organization.ts";
import { type Range, within } from "./range.ts";
import { type Asked, ask, pipelineInput, pipelinesOf, report } from "./report.ts";

interface Subject {
  of: Resource;
  /** What notes its changes, and by which column. */
  change: Resource;
  by: string;
}

interface Status {
  id: string;
  label: string;
}

const overview = z.strictObject({
  status_id: z.string(),
  status_label: z.string(),
  status_is_deleted: z.boolean(),
  started: z.int().nullable().describe("How many stood here when the range began; null without a beginning."),
  ended: z.int().describe("How many stood here when it ended."),
  change: z.int().nullable(),
  change_percent: z.number().nullable().describe("Null where there was nothing to begin with."),
  gained: z.int().nullable().describe("How many stood here at the end and not at the beginning."),
  lost: z.int().nullable().describe("How many stood here at the beginning and not at the end."),
  entered: z.int().describe("How many came here in the range, whether they stayed or not; new ones as well."),
  left: z.int().describe("How many went away from here in the range, whether they came back or not."),
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
  doc: "Counts how leads moved between statuses in a range of time; without a range, since there are leads.",
  range: "all-time",
  input: {},
  output,
  tables,
  run: (ctx, _given, asked) =>
    statusChanges(ctx, asked, { of: lead, change: leadStatusChange, by: "lead_id" }, ctx.directory.list(leadStatus), {
      owner: "owner_id",
      narrowed: [],
    }),
});

export const opportunityStatusChangeReport = report({
  path: "status_change/opportunity",
  doc: "Counts how deals moved between statuses in a range of time; without a range, since there are deals.",
  range: "all-time",
  input: { ...pipelineInput, user_id: z.string().nullish().describe("Only deals of this member.") },
  output,
  tables,
  run(ctx, { pipeline_id, user_id }, asked) {
    if (user_id && ctx.directory.get(user, user_id) === undefined) throw invalid({ user_id: "does not exist" });
    const statuses = pipelinesOf(ctx, pipeline_id).flatMap((one) => one.statuses);
    const narrowed = user_id ? [sql`t.user_id = ${user_id}`] : [];
    const subject = { of: opportunity, change: opportunityStatusChange, by: "opportunity_id" };
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
  const { standing, moved, transitions, summary } = await ask(
    ctx,
    {
      // How many stood at one status when the range began and at another when it ended; null where it was not there yet.
      standing: sql`select case when ${hadBegun(range)} then began end as began, ended, count(*)::int from place where ended is not null group by 1, 2`,
      // How many came to a status in the range, and how many went.
      moved: sql`
        select status_id, count(distinct id) filter (where way = 'in')::int as entered, count(distinct id) filter (where way = 'out')::int as left
        from (select id, new_status_id as status_id, 'in' as way from move
          union all select id, old_status_id, 'out' from move
          union all select id, began, 'in' from place where ${within(range, raw("date_created"))}) w
        group by 1`,
      transitions: sql`select old_status_id as from, new_status_id as to, count(*)::int from move group by 1, 2`,
      summary: sql`
        select began as from, ended as to, count(*)::int from place
        where began <> ended and ended is not null and id in (select id from move) group by 1, 2`,
    },
    history(ctx, asked, subject, owner, narrowed),
  );

  const labelOf = await labels(ctx, subject.change, statuses, [
    ...standing.flatMap(({ began, ended }) => [began, ended]),
    ...[...transitions, ...summary].flatMap(({ from, to }) => [from, to]),
  ]);
  const shows = (id: string) => only === undefined || only.some((one) => one.id === id);
  const moves = (rows: any[]) =>
    rows
      .filter(({ from, to }) => shows(from) || shows(to))
      .sort((a, b) => b.count - a.count)
      .map(({ from, to, count }) => ({ ...prefixed("from_", labelOf(from)), ...prefixed("to_", labelOf(to)), count }));
  const ids = [
    ...new Set([
      ...statuses.map(({ id }) => id),
      ...standing.flatMap(({ began, ended }) => [began, ended]),
      ...moved.map((one) => one.status_id),
    ]),
  ];
  return {
    status_overview: ids
      .filter((id) => id !== null && shows(id))
      .map((id) => ({ ...labelOf(id), ...overviewOf(id, standing, range.start !== null), ...wayOf(id, moved) })),
    status_transitions: moves(transitions),
    status_transitions_summary: moves(summary),
  };
}

/**
 * A row of `move` is a change of status in the range. A row of `place` is a record, where it began (when the range began, or when it
 * was created in it) and where it ended: the status at any time is what the first change after it came from, else the present one.
 */
function history(ctx: Ctx, { records, range }: Asked, { of, change, by }: Subject, owner: string, narrowed: readonly Sql[]): Sql {
  const id = sql`c.${name(by)}`;
  const firstFrom = (start: string | null) =>
    start === null
      ? sql`select distinct on (id) id, old_status_id from change order by id, activity_at`
      : sql`select distinct on (id) id, old_status_id from change where activity_at >= ${start}::timestamptz order by id, activity_at`;
  const since = range.start === null ? raw("true") : sql`c.activity_at >= ${range.start}::timestamptz`;
  const after = range.end === null ? sql`select null::text as id, null::text as old_status_id where false` : firstFrom(range.end);
  return sql`
    with change as (
      select ${id} as id, c.old_status_id, c.new_status_id, c.activity_at from activity c
      where c.organization_id = ${ctx.organization_id} and c._type = ${change.only!.value} and ${since}
    ), place as (
      select t.id, t.date_created, coalesce(first.old_status_id, t.status_id) as began,
        case when ${range.end === null ? raw("true") : sql`t.date_created < ${range.end}::timestamptz`}
          then coalesce(next.old_status_id, t.status_id) end as ended
      from ${name(of.table)} t
      left join (${firstFrom(range.start)}) first on first.id = t.id
      left join (${after}) next on next.id = t.id
      where ${records(of, "t", owner)}${narrowed.length === 0 ? raw("") : sql` and ${narrowed[0]}`}
    ), move as (
      select change.* from change join place on place.id = change.id where ${within(range, raw("change.activity_at"))}
    )`;
}

const hadBegun = ({ start }: Range): Sql => (start === null ? raw("false") : sql`date_created < ${start}::timestamptz`);

// --- rows ---

interface Standing {
  began: string | null;
  ended: string;
  count: number;
}

function overviewOf(id: string, standing: readonly Standing[], hasStart: boolean) {
  const count = (where: (row: Standing) => boolean) => standing.reduce((sum, row) => sum + (where(row) ? row.count : 0), 0);
  const ended = count((row) => row.ended === id);
  if (!hasStart) return { started: null, ended, change: null, change_percent: null, gained: null, lost: null };
  const started = count((row) => row.began === id);
  const stayed = count((row) => row.began === id && row.ended === id);
  return {
    started,
    ended,
    change: ended - started,
    change_percent: started === 0 ? null : Math.round(((ended - started) / started) * 10_000) / 100,
    gained: ended - stayed,
    lost: started - stayed,
  };
}

function wayOf(id: string, moved: readonly { status_id: string; entered: number; left: number }[]) {
  const { entered = 0, left = 0 } = moved.find((row) => row.status_id === id) ?? {};
  return { entered, left };
}

interface Labelled {
  status_id: string;
  status_label: string;
  status_is_deleted: boolean;
}

/** The label of each status; those that are gone have the one they last had. */
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
