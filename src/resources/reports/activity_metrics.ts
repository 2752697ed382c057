// The metrics of the activity report. Each has a name, a source of rows, and a sum over them.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { valueDue } from "../opportunities/deal_sums.ts";
import { periods } from "../shared/money.ts";
import { total } from "./report.ts";

export type Unit = "count" | "seconds" | "money";

/**
 * The source of a metric. Rows of `activity` are counts of equal activities. The others are single records: leads spoken to,
 * leads created, and deals by their creator, by their owner, and by when they were won or lost.
 */
export type Source = "activity" | "contacted" | "lead" | "deal_created" | "deal_created_for" | "deal_won" | "deal_lost";

export interface Metric {
  key: string;
  name: string;
  description: string;
  unit: Unit;
  source: Source;
  /** The sum over the rows of the source. Amounts of money are summed where they are `inCurrency`. */
  sum: (inCurrency: Sql) => Sql;
}

const metric = (source: Source, unit: Unit, key: string, name: string, description: string, sum: Metric["sum"]): Metric => ({
  key,
  name,
  description,
  unit,
  source,
  sum,
});

// --- activities ---

const activities = (where: string): Sql => total(sql`n`, raw(where));

const counted = (key: string, name: string, description: string, where: string): Metric =>
  metric("activity", "count", `${key}.count`, name, description, () => activities(where));

function calls(kind: string, words: string, where: string): Metric[] {
  const these = `_type = 'Call'${where}`;
  const average = sql`coalesce(round(${activitiesSeconds(these)} / nullif(${activities(these)}, 0), 2), 0)`;
  return [
    counted(`calls.${kind}`, `${words} calls`, `How many ${words.toLowerCase()} calls there were.`, these),
    metric(
      "activity",
      "seconds",
      `calls.${kind}.sum_duration`,
      `${words} calls, duration`,
      `How long ${words.toLowerCase()} calls took together.`,
      () => activitiesSeconds(these),
    ),
    metric(
      "activity",
      "seconds",
      `calls.${kind}.avg_duration`,
      `${words} calls, average duration`,
      `How long ${words.toLowerCase()} calls took on average.`,
      () => average,
    ),
  ];
}

const activitiesSeconds = (where: string): Sql => total(sql`seconds`, raw(where));

const outbound = " and direction = 'outbound'";
const sent = "_type = 'Email' and status = 'sent'";

const notCalledOff = "_type = 'Meeting' and status not in ('canceled', 'declined-by-lead', 'declined-by-org')";

const ofActivities: Metric[] = [
  ...calls("all.all", "All", ""),
  ...calls("outbound.all", "Outbound", outbound),
  ...calls("outbound.regular", "Regular outbound", `${outbound} and call_method = 'regular'`),
  ...calls("outbound.external", "External outbound", `${outbound} and call_method = 'external'`),
  ...calls("outbound.power_dialer", "Power dialer", `${outbound} and call_method = 'power'`),
  ...calls("outbound.predictive_dialer", "Predictive dialer", `${outbound} and call_method = 'predictive'`),
  ...calls("inbound.all", "Inbound", " and direction = 'inbound'"),
  counted("emails.sent.all", "Sent e-mails", "How many e-mails were sent.", sent),
  counted("emails.sent.sequences", "E-mails of sequences", "How many e-mails sequences sent.", `${sent} and sequenced`),
  counted(
    "emails.sent.sequences_with_reply",
    "E-mails of sequences with a reply",
    "How many e-mails of sequences were answered.",
    `${sent} and sequenced and has_reply`,
  ),
  counted(
    "emails.sent.sequences_without_reply",
    "E-mails of sequences without a reply",
    "How many e-mails of sequences were not answered.",
    `${sent} and sequenced and not has_reply`,
  ),
  counted("emails.received.all", "Received e-mails", "How many e-mails came in.", "_type = 'Email' and status = 'inbox'"),
  counted("emails.opened.all", "Opened e-mails", "How many of the sent e-mails were opened.", `${sent} and opened`),
  counted(
    "emails.opened.sequences",
    "Opened e-mails of sequences",
    "How many e-mails of sequences were opened.",
    `${sent} and sequenced and opened`,
  ),
  counted("sms.sent.all", "Sent SMS", "How many SMS were sent.", "_type = 'SMS' and status = 'sent'"),
  counted("sms.received.all", "Received SMS", "How many SMS came in.", "_type = 'SMS' and status = 'inbox'"),
  counted(
    "channel_messages.sent.all",
    "Sent channel messages",
    "How many channel messages were sent.",
    "_type = 'ChannelMessage' and status = 'sent'",
  ),
  counted(
    "channel_messages.received.all",
    "Received channel messages",
    "How many channel messages came in.",
    "_type = 'ChannelMessage' and status = 'inbox'",
  ),
  counted("meetings.scheduled.all", "Meetings", "How many meetings there are, without canceled ones.", notCalledOff),
  counted("meetings.completed.all", "Completed meetings", "How many meetings took place.", `${notCalledOff} and over`),
  counted("notes.created.all", "Notes", "How many notes were made.", "_type = 'Note'"),
  counted("tasks.completed.all", "Completed tasks", "How many tasks were done.", "_type = 'TaskCompleted'"),
];

// --- leads and deals ---

const ofLeads: Metric[] = [
  metric("lead", "count", "leads.created.all.count", "Created leads", "How many leads were created.", () => sql`count(*)`),
  metric(
    "contacted",
    "count",
    "leads.contacted.all.count",
    "Contacted leads",
    "How many leads were called, or sent an e-mail, an SMS or another message.",
    () => sql`count(*)`,
  ),
];

function ofOutcome(source: "deal_won" | "deal_lost"): Metric[] {
  const outcome = source === "deal_won" ? "won" : "lost";
  const words = source === "deal_won" ? "Won" : "Lost";
  return [
    metric(
      source,
      "count",
      `opportunities.${outcome}.all.count`,
      `${words} deals`,
      `How many deals were ${outcome}.`,
      () => sql`count(*)`,
    ),
    metric(
      source,
      "money",
      `opportunities.${outcome}.all.sum_annualized_value`,
      `${words} deals, annualized value`,
      `What ${outcome} deals are worth in a year.`,
      (inCurrency) => total(sql`t.annualized_value`, inCurrency),
    ),
    ...periods.flatMap((period) => {
      const due = { one_time: "once", monthly: "monthly", annual: "annually" }[period];
      const key = `opportunities.value_${outcome}.${period}`;
      return [
        metric(
          source,
          "count",
          `${key}.count`,
          `${words} deals, due ${due}`,
          `How many deals with a value due ${due} were ${outcome}.`,
          () => sql`count(*) filter (where t.value_period = ${period})`,
        ),
        metric(
          source,
          "money",
          `${key}.sum_value`,
          `${words} value, due ${due}`,
          `The value of ${outcome} deals that is due ${due}.`,
          (inCurrency) => total(valueDue(period), inCurrency),
        ),
      ];
    }),
  ];
}

const ofDeals: Metric[] = [
  metric(
    "deal_created",
    "count",
    "opportunities.created.all.count",
    "Created deals",
    "How many deals were created, by who created them.",
    () => sql`count(*)`,
  ),
  metric(
    "deal_created_for",
    "count",
    "opportunities.created_for.all.count",
    "Deals created for somebody",
    "How many deals were created, by whose they are.",
    () => sql`count(*)`,
  ),
  ...ofOutcome("deal_won"),
  ...ofOutcome("deal_lost"),
];

/** Every metric, in the order of the catalog. */
export const metrics: readonly Metric[] = [...ofActivities, ...ofLeads, ...ofDeals];

const shownMetric = z.strictObject({
  key: z.string(),
  name: z.string(),
  description: z.string(),
  unit: z.enum(["count", "seconds", "money"]),
});

export const listMetrics = operation({
  name: "report.metrics",
  method: "GET",
  path: "/report/activity/",
  doc: "Lists the metrics of the activity report.",
  permission: "member",
  group: "report",
  input: pageInput,
  output: pageOf(shownMetric).extend({ metrics: z.array(shownMetric).describe("The same as `data`.") }),
  async run(_ctx, input) {
    const found = page(
      metrics.map(({ key, name, description, unit }) => ({ key, name, description, unit })),
      input,
    );
    return { ...found, metrics: found.data };
  },
});
