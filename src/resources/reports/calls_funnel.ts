// `POST /report/calls_funnel/`: how many calls were made, how they ended, and how far they led.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { raw, sql } from "../../db/sql.ts";
import { call } from "../activities/call.ts";
import { meeting } from "../activities/meeting.ts";
import { outcomesOf } from "../activities/outcomes.ts";
import { periodOf, periodsOf, within } from "./range.ts";
import { ask, perUser, report, total } from "./report.ts";

/** From this many seconds on, a call counts as a conversation. */
const conversationSeconds = 60;

const measures = {
  calls: z.int(),
  outbound: z.int(),
  inbound: z.int(),
  connected: z.int().describe("Somebody answered, and the call took time."),
  voicemail: z.int(),
  no_answer: z.int(),
  busy: z.int(),
  failed: z.int(),
  missed: z.int().describe("Inbound calls that nobody answered."),
  total_duration: z.int().describe("In seconds."),
  average_duration: z.number().describe("In seconds, of all calls."),
  connect_rate: z.number(),
};

const nothing = Object.fromEntries(Object.keys(measures).map((key) => [key, 0]));

export const callsFunnelReport = report({
  path: "calls_funnel",
  doc: "Counts calls: how they ended, how many led to a conversation and how many to a meeting, in all, by member and by day.",
  input: { direction: z.enum(["inbound", "outbound"]).nullish().describe("Only calls in this direction.") },
  output: {
    totals: z.strictObject(measures),
    outcomes: z.array(
      z
        .strictObject({
          outcome_id: z.string().nullable(),
          disposition: z.string().nullable(),
          label: z.string(),
          count: z.int(),
        })
        .describe("Each call counts once: by its outcome, or without one by how it ended."),
    ),
    funnel: z.array(
      z.strictObject({
        stage: z.enum(["dialed", "connected", "conversation", "meeting"]),
        count: z.int(),
        conversion_rate: z.number().describe("The share of those in the stage before."),
      }),
    ),
    per_user: z.array(z.strictObject({ user_id: z.string().nullable(), user_name: z.string().nullable(), ...measures })),
    per_day: z.array(z.strictObject({ date: z.iso.date(), calls: z.int(), connected: z.int() })),
  },
  tables: {
    per_user: ({ per_user }) => per_user,
    per_day: ({ per_day }) => per_day,
    outcomes: ({ outcomes }) => outcomes,
    funnel: ({ funnel }) => funnel,
  },
  async run(ctx, { direction }, asked) {
    const { records, range } = asked;
    const calls = sql`${records(call, "t", "user_id")} and ${within(range, raw("t.activity_at"))}${direction ? sql` and t.direction = ${direction}` : raw("")}`;
    const edges = range.start === null || range.end === null;
    const found = edges
      ? (await ask(ctx, { edges: sql`select min(t.activity_at), max(t.activity_at) from activity t where ${calls}` })).edges
      : [];
    const days = periodsOf(
      range,
      "day",
      found.flatMap(({ min, max }) => [min, max]),
    );

    const { whole, outcomes, users, daily } = await ask(
      ctx,
      {
        whole: sql`select ${measured}, ${total(raw("n"), raw("conversed"))} as conversations, ${total(raw("n"), raw("conversed and followed"))} as meetings from alike`,
        outcomes: sql`select outcome_id, case when outcome_id is null then disposition end as disposition, sum(n) as count from alike group by 1, 2`,
        users: sql`select user_id, ${measured} from alike group by 1`,
        daily: sql`select day, sum(n) as calls, ${total(raw("n"), raw("answered"))} as connected from alike group by 1`,
      },
      // A row of `alike` is a number of calls of a member on a day with the same result. A row of `met` is the time when the last
      // meeting of a lead was created.
      sql`
        with met as (
          select t.lead_id, max(t.date_created) as at from activity t
          where ${records(meeting, "t", null)} and t.status not in ('canceled', 'declined-by-lead', 'declined-by-org') group by 1
        ), alike as (
          select t.user_id, ${periodOf(days, raw("t.activity_at"))} as day, t.direction, t.disposition, t.outcome_id,
            t.disposition = 'answered' and t.duration > 0 as answered,
            t.disposition = 'answered' and t.duration >= ${conversationSeconds} as conversed,
            met.at >= t.activity_at as followed,
            count(*) as n, sum(t.duration) as seconds
          from activity t left join met on met.lead_id = t.lead_id
          where ${calls} group by 1, 2, 3, 4, 5, 6, 7, 8
        )`,
    );

    const byDay = new Map(daily.map((row) => [row.day, row]));
    const { conversations, meetings, ...totals } = whole[0];
    return {
      totals,
      outcomes: labelled(ctx, outcomes),
      funnel: funnelOf([totals.calls, totals.connected, conversations, meetings]),
      per_user: perUser(ctx, asked, users, nothing),
      per_day: days.days.map((date, i) => {
        const { calls = 0, connected = 0 } = byDay.get(i + 1) ?? {};
        return { date, calls, connected };
      }),
    };
  },
});

const n = raw("n");

const measured = sql`coalesce(sum(n), 0) as calls, ${total(n, raw("direction = 'outbound'"))} as outbound,
  ${total(n, raw("direction = 'inbound'"))} as inbound, ${total(n, raw("answered"))} as connected,
  ${total(n, raw("disposition in ('vm-left', 'vm-answer')"))} as voicemail,
  ${total(n, raw("disposition = 'no-answer'"))} as no_answer, ${total(n, raw("disposition = 'busy'"))} as busy,
  ${total(n, raw("disposition in ('error', 'blocked')"))} as failed,
  ${total(n, raw("direction = 'inbound' and disposition <> 'answered'"))} as missed,
  coalesce(sum(seconds), 0) as total_duration, coalesce(round(sum(seconds) / sum(n), 2), 0) as average_duration,
  coalesce(round(${total(n, raw("answered"))} / sum(n), 4), 0) as connect_rate`;

const words: Record<string, string> = {
  answered: "Answered",
  "no-answer": "No answer",
  "vm-answer": "Voicemail answered",
  "vm-left": "Voicemail left",
  busy: "Busy",
  blocked: "Blocked",
  error: "Failed",
  abandoned: "Abandoned",
};

interface Outcome {
  outcome_id: string | null;
  disposition: string | null;
  count: number;
}

function labelled(ctx: Ctx, found: readonly Outcome[]): (Outcome & { label: string })[] {
  const outcomes = new Map(outcomesOf(ctx, "call_outcomes").map(({ id, name }) => [id, name]));
  return found
    .map(({ outcome_id, disposition, count }) => {
      const label = outcome_id === null ? (words[disposition ?? ""] ?? "Under way") : (outcomes.get(outcome_id) ?? outcome_id);
      return { outcome_id, disposition, label, count };
    })
    .sort((a, b) => b.count - a.count || (a.label < b.label ? -1 : 1));
}

const stages = ["dialed", "connected", "conversation", "meeting"] as const;

const funnelOf = (counts: readonly number[]) =>
  stages.map((stage, i) => {
    const count = counts[i]!;
    const before = i === 0 ? count : counts[i - 1]!;
    return { stage, count, conversion_rate: before === 0 ? 0 : count / before };
  });
