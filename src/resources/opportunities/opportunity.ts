// An opportunity: a deal that may be won from a lead.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import {
  choice,
  computed,
  date,
  input,
  integer,
  json,
  label,
  lookedUp,
  ref,
  related,
  text,
  timestamp,
} from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { readBoolean } from "../../records/comparisons.ts";
import { searched } from "../../search/searched.ts";
import { relatedTextQuery } from "../../search/text_filter.ts";
import { percentOf } from "../../values/decimal.ts";
import { formatMoney } from "../../values/money.ts";
import { isOneLine } from "../../values/one_line.ts";
import { parseUrl } from "../../values/url.ts";
import { commentSummary } from "../comments/comment_summary.ts";
import { visibleAsLead } from "../leads/visibility.ts";
import { labelFilter } from "../shared/filters.ts";
import { dateCreated, pastDay, pastMoment } from "../shared/history.ts";
import { currency, currencyOfOrganization, moneyMax, type Period, periods } from "../shared/money.ts";
import { authorNames } from "../shared/names.ts";
import { type ByPeriod, inAYear } from "./line_totals.ts";
import { opportunityStatus } from "./opportunity_status.ts";
import { pipeline } from "./pipeline.ts";

const line = z.string().max(255).refine(isOneLine, { error: "must be one line, without control characters" });

const attachment = z.object({
  url: z.string().refine((raw) => parseUrl(raw) !== null, { error: "is not a web address" }),
  filename: line.nullable().default(null),
  content_type: line.nullable().default(null),
});

/** The fields that the value depends on, and those that depend on it. */
interface Worth {
  value: number | null;
  value_period: Period;
  confidence: number | null;
  line_items_by_period: ByPeriod | null;
}

export const opportunity = resource({
  name: "opportunity",
  prefix: "oppo",
  doc: "A deal that may be won from a lead. Its status is its stage; its value is in minor units of its currency.",
  commentable: true,
  custom: "opportunity",
  rendered: 2,
  visible: visibleAsLead,
  owned: { by: "user_id", own: "delete_own_opportunities", others: "manage_others_opportunities" },
  indexed: ["lead_id", "contact_id"],
  sort: {
    date_won: true,
    expected_close_date: true,
    confidence: true,
    value: true,
    annualized_value: true,
    annualized_expected_value: true,
    user_name: { sql: userName, type: "text" },
  },
  search: searched({ words: (row: { note: string | null }) => [{ text: row.note }], covers: ["note"] }),
  filters: {
    lead_query: relatedTextQuery("opportunity", "lead"),
    ...labelFilter("status_label", "status_id", opportunityStatus),
    ...labelFilter("status", "status_id", opportunityStatus),
    ...labelFilter("status_type", "status_id", opportunityStatus, "type"),
    ...labelFilter("pipeline_id", "status_id", opportunityStatus, "pipeline_id"),
    is_stalled: {
      doc: "`true` for active opportunities without any activity for 30 days, `false` for the others.",
      sql: (ctx, value, alias) => (readBoolean(value) ? isStalled(alias, ctx) : sql`not ${isStalled(alias, ctx)}`),
    },
  },
  expand: {
    lead: { resource: "lead", via: "lead_id", many: false },
    contact: { resource: "contact", via: "contact_id", many: false },
    line_items: { resource: "line_item", via: "opportunity_id", many: true },
  },
  fields: {
    lead_id: ref(
      "lead",
      { onDelete: "cascade", onMove: "follow" },
      { createOnly: true, filled: true, doc: "The lead; by default the contact's, or else a new one." },
    ),
    lead_name: label("lead_id", "lead", "display_name"),
    contact_id: ref("contact", { onDelete: "clear", onMove: "follow" }, { doc: "The person to talk to, a contact of the lead." }),
    contact_name: label("contact_id", "contact", "display_name"),
    status_id: ref(
      "opportunity_status",
      { onDelete: "refuse", onMove: "match" },
      { filled: true, doc: "Its status; by default the first one of the pipeline." },
    ),
    status: input(z.string(), { doc: "The label of a status, instead of `status_id`." }),
    status_label: label("status_id", "opportunity_status", "label"),
    status_display_name: lookedUp(
      ["status_id"],
      z.string().nullable(),
      displayName,
      "With the pipeline, where there are several.",
    ),
    status_type: label("status_id", "opportunity_status", "type", "`active`, `won` or `lost`."),
    pipeline_id: input(z.string(), {
      doc: "A pipeline. Without a status it selects the pipeline's first one.",
      shown: label("status_id", "opportunity_status", "pipeline_id", "The status's pipeline."),
    }),
    pipeline_name: lookedUp(
      ["status_id"],
      z.string().nullable(),
      pipelineName,
      "The name of the pipeline that its status is in.",
    ),
    user_id: ref("user", { onDelete: "keep", onMove: "match" }, { doc: "The owner of the deal; by default the caller." }),
    user_name: label("user_id", "user", "name"),
    value: integer({
      min: 0,
      max: moneyMax,
      doc: "In minor units. While there are line items it is their sum, and cannot be set.",
    }),
    value_period: choice(periods, {
      default: "one_time",
      doc: "How often the value is due. With line items it is theirs, and `one_time` if they differ.",
    }),
    value_currency: currency({ default: currencyOfOrganization, doc: "By default the organization's." }),
    value_formatted: computed(["value", "value_currency"], z.string().nullable(), formatMoney, "Such as `$12,000.00`."),
    value_display: computed(
      ["value", "value_currency", "value_period"],
      z.string().nullable(),
      valueDisplay,
      "With the period: `$12,000.00 annually`.",
    ),
    confidence: integer({
      min: 0,
      max: 100,
      default: 50,
      nullable: true,
      doc: "The probability of winning it, in percent; by default 50, null if unknown.",
    }),
    expected_value: integer({
      derive: (row: Worth) => likely(row.value, row),
      doc: "The value times the confidence; null if either is missing.",
    }),
    annualized_value: integer({
      derive: annualized,
      doc: "The value of one year: a monthly value counts twelve times. Line items count by their own periods.",
    }),
    annualized_expected_value: integer({
      derive: (row: Worth) => likely(annualized(row), row),
      doc: "The value of a year, weighed by the confidence, in minor units.",
    }),
    note: text({ max: 100_000 }),
    note_html: text({ max: 100_000, doc: "The note as rich text. It takes precedence over `note`." }),
    date_won: date({
      resolve: pastDay,
      doc: "The day it was won; it is kept afterwards. By default, when it gets a won status: the day of a given `date_created`, else today.",
    }),
    date_lost: timestamp({
      resolve: pastMoment,
      doc: "When it was lost; null once it has another status. By default a given `date_created`, else now.",
    }),
    expected_close_date: date({ doc: "When it is expected to be won." }),
    close_date: input(z.string().nullable(), { doc: "Another name of `expected_close_date`." }),
    is_stalled: related(
      z.boolean(),
      (alias, ctx) => sql`to_json(${isStalled(alias, ctx)})`,
      "Active, and no activity for 30 days.",
    ),
    attachments: json(z.array(attachment).max(100), { default: [] as z.output<typeof attachment>[] }),
    comment_summary: commentSummary(),
    line_items_total: integer({ readOnly: true, doc: "The sum of the line items; null without any." }),
    line_items_by_period: json(z.object({ one_time: z.int(), monthly: z.int(), annual: z.int() }), {
      readOnly: true,
      doc: "The sums of the line items due once, each month and each year; null without any.",
    }),
    integration_links: computed(
      [],
      z.array(z.object({ name: z.string(), url: z.string() })),
      () => [],
      "Links to the same thing in other services.",
    ),
    date_created: dateCreated,
    ...authorNames,
  },
});

function annualized({ value, value_period, line_items_by_period }: Worth): number | null {
  if (line_items_by_period) return inAYear(line_items_by_period);
  return value === null ? null : value * (value_period === "monthly" ? 12 : 1);
}

function likely(value: number | null, { confidence }: Worth): number | null {
  return value === null || confidence === null ? null : percentOf(value, confidence);
}

function valueDisplay(value: number | null, currency: string, period: Period): string | null {
  const suffix = { one_time: "", monthly: " monthly", annual: " annually" }[period];
  return value === null ? null : `${formatMoney(value, currency)}${suffix}`;
}

function pipelineName(directory: Directory, statusId: string): string | null {
  return directory.get(pipeline, directory.get(opportunityStatus, statusId)?.pipeline_id)?.name ?? null;
}

function displayName(directory: Directory, statusId: string): string | null {
  const status = directory.get(opportunityStatus, statusId);
  if (status === undefined) return null;
  return directory.list(pipeline).length > 1 ? `${status.label} (${pipelineName(directory, statusId)})` : status.label;
}

function userName(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  return sql`(select sort_key(m.name) from member m where m.organization_id = ${ctx.organization_id} and m.id = ${t}.user_id)`;
}

/** Records linked to another deal of the lead do not count for this one. A new deal is not stalled yet. */
function isStalled(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  const since = new Date(ctx.now.getTime() - 30 * 24 * 3_600_000);
  const active = ctx.directory.list(opportunityStatus).flatMap((status) => (status.type === "active" ? [status.id] : []));
  return sql`(${t}.status_id = any(${active}) and ${t}.date_created < ${since} and not exists (
    select from activity a where a.organization_id = ${ctx.organization_id} and a.lead_id = ${t}.lead_id
      and (a.opportunity_id is null or a.opportunity_id = ${t}.id) and a.activity_at between ${since} and ${ctx.now}))`;
}
