/**
 * What is worked out from a lead's activities, tasks, deals and people (domain.md, Appendix A): one definition for each family,
 * each field a correlated expression. Reads select them only when `_fields` names them; searches and sorts use the same expression.
 */
import { z } from "zod";
import type { Ctx } from "../core/context.ts";
import { type Related, related, type SharedRows } from "../core/field.ts";
import type { Resource } from "../core/resource.ts";
import { join, name, raw, type Sql, sql, wireTime } from "../db/sql.ts";
import { currencyDigits, currencySymbol, formatMoney } from "../values/money.ts";
import { byName } from "../values/names.ts";
import type { Kind } from "./attributes.ts";

export interface SmartField {
  kind: Kind;
  doc: string;
  /** Its value, over the alias of the record. */
  value: (record: Sql, ctx: Ctx) => Sql;
  /** The resource whose id it is. */
  refersTo?: string;
  /** The rows it is read off, where others are too: what they are called, what they are, and its value over them. */
  shared?: { name: string; rows: (record: Sql, ctx: Ctx) => Sql; value: (ctx: Ctx) => Sql };
}

type SmartFields = Readonly<Record<string, SmartField>>;

/** The smart fields of a kind of record. */
export const smartFieldsOf = (of: Resource): SmartFields => smartFields[of.name] ?? none;
const none: SmartFields = byName({});

/** The smart fields of leads, as fields of their definition. */
export const leadSmartFields = (): Record<string, Related> =>
  Object.fromEntries(
    Object.entries(smartFields.lead!).map(([key, field]) => [
      key,
      related(schemas[field.kind].nullable(), (alias, ctx) => asJson(field.kind, field.value(name(alias), ctx)), field.doc, {
        shared: sharedRows(field),
      }),
    ]),
  );

function sharedRows({ kind, shared }: SmartField): SharedRows | null {
  if (shared === undefined) return null;
  const { name: called, rows, value } = shared;
  return { name: called, rows: (alias, ctx) => rows(name(alias), ctx), value: (ctx) => asJson(kind, value(ctx)) };
}

const schemas: Record<Kind, z.ZodType> = {
  text: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  timestamp: z.iso.datetime(),
  date: z.iso.date(),
};

const asJson = (kind: Kind, value: Sql): Sql =>
  kind === "timestamp" ? sql`to_json(${wireTime(value)})` : sql`to_json(${value})`;

// --- the rows of a lead in another table ---

const rowsOf = (table: string, alias: string, record: Sql, where: Sql): Sql =>
  sql`${name(table)} ${name(alias)} where ${name(alias)}.organization_id = ${record}.organization_id and ${name(alias)}.lead_id = ${record}.id and ${where}`;

type Valued = Pick<SmartField, "value" | "shared">;

/** An aggregate over the rows that meet a condition. `as` writes it with what keeps the other rows out. */
const aggregate = (table: string, as: (ctx: Ctx, where: Sql) => Sql, where: (ctx: Ctx) => Sql = () => everything): Valued => ({
  value: (record, ctx) => sql`(select ${as(ctx, everything)} from ${rowsOf(table, "r", record, where(ctx))})`,
  shared: {
    name: `all rows of ${table}`,
    rows: (record) => rowsOf(table, "r", record, everything),
    value: (ctx) => as(ctx, where(ctx)),
  },
});

const count = (table: string, where?: (ctx: Ctx) => Sql): Valued =>
  aggregate(table, (_ctx, met) => sql`count(*) filter (where ${met})`, where);

/** A column of the first row in an order; `called` is the same for all columns of that row. */
function first(called: string, table: string, column: Sql, order: (ctx: Ctx) => Sql, where: (ctx: Ctx) => Sql): Valued {
  const rows = (record: Sql, ctx: Ctx) => sql`${rowsOf(table, "r", record, where(ctx))} order by ${order(ctx)} limit 1`;
  return {
    value: (record, ctx) => sql`(select ${column} from ${rows(record, ctx)})`,
    shared: { name: called, rows, value: () => column },
  };
}

const everything = raw("true");
const earliest = raw("r.activity_at, r.id");
const latest = raw("r.activity_at desc, r.id desc");

// --- activities ---

/** What people did or received; not what the service noted by itself. */
const byPeople = raw("r._type in ('Note', 'Call', 'ChannelMessage', 'CustomActivity', 'Email', 'SMS', 'Meeting')");
/** A message that has not left is still to happen. */
const hasLeft = raw("(r._type not in ('ChannelMessage', 'Email', 'SMS') or r.status in ('inbox', 'sent'))");
const call = raw("r._type = 'Call'");
const email = raw("r._type = 'Email' and r.status in ('inbox', 'sent')");
const sms = raw("r._type = 'SMS' and r.status in ('inbox', 'sent')");
const note = raw("r._type = 'Note'");
const calledOff = raw("('canceled', 'declined-by-lead', 'declined-by-org')");
const past = (ctx: Ctx, column: string) => sql`r.${name(column)} <= ${ctx.now}::timestamptz`;
const meetingsBy = {
  upcoming: (ctx) => sql`r._type = 'Meeting' and r.status not in ${calledOff} and not ${past(ctx, "starts_at")}`,
  in_progress: (ctx) =>
    sql`r._type = 'Meeting' and r.status not in ${calledOff} and ${past(ctx, "starts_at")} and not ${past(ctx, "ends_at")}`,
  completed: (ctx) => sql`r._type = 'Meeting' and r.status not in ${calledOff} and ${past(ctx, "ends_at")}`,
  canceled: () => raw("r._type = 'Meeting' and r.status = 'canceled'"),
  declined_by_lead: () => raw("r._type = 'Meeting' and r.status = 'declined-by-lead'"),
  declined_by_org: () => raw("r._type = 'Meeting' and r.status = 'declined-by-org'"),
} satisfies Record<string, (ctx: Ctx) => Sql>;
/** Words that went one way or the other: calls, sent and received messages, meetings that took place. */
const communication = (ctx: Ctx): Sql =>
  sql`(${call} or (r._type in ('Email', 'SMS', 'ChannelMessage') and r.status in ('inbox', 'sent')) or (${meetingsBy.completed(ctx)}))`;

/** What an activity says of itself in one line. */
const summary = raw("left(coalesce(r.subject, r.title, r.text, r.note, r.body_preview), 255)");

const columns: Record<string, [Kind, Sql, doc: string, refersTo?: string]> = {
  date: ["timestamp", raw("r.activity_at"), "When it happened."],
  type: ["text", raw("r._type"), "Its kind."],
  user: ["text", raw("r.user_id"), "Whose it was.", "user"],
  summary: ["text", summary, "What it says of itself."],
  duration: ["number", raw("r.duration"), "In seconds."],
  disposition: ["text", raw("r.disposition"), "How it ended."],
  subject: ["text", raw("r.subject"), "Its subject."],
};

/**
 * `last_call_date`, `last_call_user` and so on: columns of the first or last activity that meets a condition. They look back: what is
 * planned has not happened.
 */
function ofOneActivity(
  prefix: string,
  what: string,
  order: Sql,
  where: (ctx: Ctx) => Sql,
  names: readonly string[],
): SmartFields {
  return Object.fromEntries(
    names.map((column) => {
      const [kind, expression, doc, refersTo] = columns[column]!;
      const isPast = (ctx: Ctx) => sql`${where(ctx)} and ${past(ctx, "activity_at")}`;
      const valued = first(prefix, "activity", expression, () => order, isPast);
      return [`${prefix}_${column}`, { kind, refersTo, ...valued, doc: `Of the ${what}. ${doc}` }];
    }),
  );
}

const always = (condition: Sql) => () => condition;
const both = (condition: Sql, column: string, value: string) => () => sql`${condition} and r.${name(column)} = ${value}`;

const communicationFields: SmartFields = {
  ...ofOneActivity("first_communication", "first call, message or meeting", earliest, communication, [
    "date",
    "type",
    "summary",
    "user",
  ]),
  ...ofOneActivity("last_communication", "last call, message or meeting", latest, communication, [
    "date",
    "type",
    "summary",
    "user",
  ]),
  ...ofOneActivity("last_activity", "last activity of people", latest, always(sql`${byPeople} and ${hasLeft}`), [
    "date",
    "type",
    "user",
  ]),
  ...ofOneActivity("last_call", "last call", latest, always(call), ["date", "user", "duration", "disposition"]),
  ...ofOneActivity("last_email", "last e-mail", latest, always(email), ["date", "subject", "user"]),
  ...ofOneActivity("last_note", "last note", latest, always(note), ["date", "user"]),
  ...ofOneActivity("last_incoming_call", "last call received", latest, both(call, "direction", "inbound"), ["date"]),
  ...ofOneActivity("last_outgoing_call", "last call made", latest, both(call, "direction", "outbound"), ["date"]),
  ...ofOneActivity("last_incoming_email", "last e-mail received", latest, both(email, "status", "inbox"), ["date"]),
  ...ofOneActivity("last_outgoing_email", "last e-mail sent", latest, both(email, "status", "sent"), ["date"]),
  ...ofOneActivity("last_incoming_sms", "last SMS received", latest, both(sms, "status", "inbox"), ["date"]),
  ...ofOneActivity("last_outgoing_sms", "last SMS sent", latest, both(sms, "status", "sent"), ["date"]),
  ...ofOneActivity(
    "last_lead_status_change",
    "last change of the lead's status",
    latest,
    always(raw("r._type = 'LeadStatusChange'")),
    ["date"],
  ),
  ...ofOneActivity(
    "last_opportunity_status_change",
    "last change of a deal's status",
    latest,
    always(raw("r._type = 'OpportunityStatusChange'")),
    ["date"],
  ),
  times_communicated: {
    kind: "number",
    ...count("activity", communication),
    doc: "How many calls, messages and meetings there were.",
  },
  first_source: { kind: "text", value: (record) => sql`${record}.source`, doc: "Where the lead came from." },
};

const activityCounts: Record<string, (ctx: Ctx) => Sql> = {
  num_activities: always(byPeople),
  num_calls: always(call),
  num_incoming_calls: both(call, "direction", "inbound"),
  num_outgoing_calls: both(call, "direction", "outbound"),
  num_missed_calls: always(sql`${call} and r.direction = 'inbound' and r.disposition in ('no-answer', 'vm-left', 'abandoned')`),
  num_emails: always(email),
  num_sent_emails: both(email, "status", "sent"),
  num_received_emails: both(email, "status", "inbox"),
  num_sms: always(sms),
  num_sent_sms: both(sms, "status", "sent"),
  num_received_sms: both(sms, "status", "inbox"),
  num_notes: always(note),
  num_meetings: always(raw("r._type = 'Meeting'")),
  ...Object.fromEntries(Object.entries(meetingsBy).map(([state, where]) => [`num_${state}_meetings`, where])),
};

// --- tasks ---

const isNext = raw("not r.is_complete and r.date is not null");

const nextTask = (kind: Kind, column: string, doc: string, refersTo?: string): SmartField => ({
  kind,
  refersTo,
  doc: `Of the next task to do. ${doc}`,
  ...first("next task", "task", sql`r.${name(column)}`, always(raw("r.date, r.id")), always(isNext)),
});

const taskFields: SmartFields = {
  next_task_date: nextTask("date", "date", "The day it is due."),
  next_task_due_date: nextTask("date", "date", "The day it is due."),
  next_task_text: nextTask("text", "text", "What is to be done."),
  next_task_user_id: nextTask("text", "assigned_to", "Who is to do it.", "user"),
  num_tasks: { kind: "number", ...count("task"), doc: "How many tasks there are." },
  num_incomplete_tasks: {
    kind: "number",
    ...count("task", always(raw("not r.is_complete"))),
    doc: "How many tasks are to be done.",
  },
  num_completed_tasks: { kind: "number", ...count("task", always(raw("r.is_complete"))), doc: "How many tasks are done." },
};

// --- people and addresses ---

/** Members of a list of the lead and of the same list of its contacts. */
const inAllLists = (list: string) => (record: Sql) =>
  sql`(jsonb_array_length(${record}.${name(list)}) + (select coalesce(sum(jsonb_array_length(r.${name(list)})), 0) from ${rowsOf("contact", "r", record, everything)}))`;
const urls = (record: Sql): Sql =>
  sql`((${record}.url is not null)::int + (select coalesce(sum(jsonb_array_length(r.urls)), 0) from ${rowsOf("contact", "r", record, everything)}))`;

const peopleFields: SmartFields = {
  num_contacts: { kind: "number", ...count("contact"), doc: "How many contacts there are." },
  contacts_count: { kind: "number", ...count("contact"), doc: "How many contacts there are." },
  num_addresses: {
    kind: "number",
    value: (record) => sql`jsonb_array_length(${record}.addresses)`,
    doc: "How many postal addresses the lead has.",
  },
  num_email_addresses: {
    kind: "number",
    value: inAllLists("emails"),
    doc: "How many e-mail addresses the lead and its contacts have.",
  },
  num_phone_numbers: {
    kind: "number",
    value: inAllLists("phones"),
    doc: "How many phone numbers the lead and its contacts have.",
  },
  num_urls: { kind: "number", value: urls, doc: "How many web addresses the lead and its contacts have." },
  all_urls_count: { kind: "number", value: urls, doc: "How many web addresses the lead and its contacts have." },
};

// --- deals ---

const statusTypes = ["active", "won", "lost"] as const;
const periods = ["one_time", "monthly", "annual"] as const;

/** The deals whose status is of this type. The statuses are in the directory, so that it takes no join. */
const dealsOf = (type: string | null) => (ctx: Ctx) => {
  if (type === null) return everything;
  const ids = ctx.directory.all("opportunity_status").flatMap((status) => (status.type === type ? [status.id as string] : []));
  return sql`r.status_id = any(${ids}::text[])`;
};

/** Amounts in other currencies than the organization's are in none of these numbers. */
function dealValue(how: string, period: string, type: string | null): SmartField {
  const amount = period === "annualized" ? raw("r.annualized_value") : due(period);
  const figure = (where: Sql) =>
    ({
      total: sql`coalesce(sum(${amount}) filter (where ${where}), 0)`,
      avg: sql`round(avg(${amount}) filter (where ${where}))`,
      min: sql`min(${amount}) filter (where ${where})`,
      max: sql`max(${amount}) filter (where ${where})`,
    })[how]!;
  return {
    kind: "number",
    doc: `The ${how} of the ${period.replace("_", "-")} values of ${type ?? "all"} deals in the organization's currency, in minor units.`,
    ...aggregate(
      "opportunity",
      (_ctx, where) => figure(where),
      (ctx) => {
        const { currency } = ctx.directory.find("organization", ctx.organization_id)!;
        return sql`r.value_currency = ${currency} and ${dealsOf(type)(ctx)}`;
      },
    ),
  };
}

/** The part of a deal's value that is due in a period. */
const due = (period: string): Sql => sql`value_due(${raw(`'${period}'`)}, r.value, r.value_period, r.line_items_by_period)`;

const dealCount = (doc: string, where: (ctx: Ctx) => Sql): SmartField => ({
  kind: "number",
  doc: `How many ${doc} there are.`,
  ...count("opportunity", where),
});

const dealFields: SmartFields = {
  num_opportunities: dealCount("deals", dealsOf(null)),
  ...Object.fromEntries(statusTypes.map((type) => [`num_${type}_opportunities`, dealCount(`${type} deals`, dealsOf(type))])),
  ...Object.fromEntries(
    periods.map((period) => [
      `num_${period}_opportunities`,
      dealCount(`${period.replace("_", "-")} deals`, always(sql`r.value_period = ${period}`)),
    ]),
  ),
  ...Object.fromEntries(
    [null, ...statusTypes].flatMap((type) =>
      ["total", "avg", "min", "max"].flatMap((how) =>
        [...periods, "annualized"].map((period) => [
          `${how}_${period}_${type === null ? "" : `${type}_`}opportunity_value`,
          dealValue(how, period, type),
        ]),
      ),
    ),
  ),
  ...Object.fromEntries(statusTypes.map((type) => [`${type}_opportunity_value_summary`, valueSummary(type)])),
};

/** `$12,000.00 annual, $500.00 monthly`: what the deals of a type are worth, by period and currency. */
function valueSummary(type: string): SmartField {
  return {
    kind: "text",
    doc: `What the ${type} deals are worth, in words.`,
    value: (
      record,
      ctx,
    ) => sql`(select string_agg(${money(raw("s.value"), raw("s.currency"))} || ' ' || replace(s.period, '_', '-'), ', ' order by s.value desc, s.currency, s.period) from (
      select sum(part.due) as value, part.currency, part.period from (
        select r.value_currency as currency, unnest(${[...periods]}::text[]) as period, unnest(array[${join(periods.map(due), ", ")}]) as due
        from ${rowsOf("opportunity", "r", record, dealsOf(type)(ctx))}) part
      where part.due is not null group by 2, 3) s)`,
  };
}

/** The deal that says most of a lead: an active one before a won, a won before a lost; of those the newest. */
function primaryDeal(kind: Kind, column: Sql, doc: string, refersTo?: string): SmartField {
  const rank = (ctx: Ctx) => sql`case when ${dealsOf("active")(ctx)} then 0 when ${dealsOf("won")(ctx)} then 1 else 2 end`;
  return {
    kind,
    refersTo,
    doc: `Of the deal that says most: the newest active one, else won, else lost. ${doc}`,
    ...first(
      "primary deal",
      "opportunity",
      column,
      (ctx) => sql`${rank(ctx)}, r.date_created desc, r.id desc`,
      always(everything),
    ),
  };
}

const ofStatus = (column: string): Sql =>
  sql`(select s.${name(column)} from opportunity_status s where s.organization_id = r.organization_id and s.id = r.status_id)`;
const pipelineName =
  raw(`(select p.name from opportunity_status s join pipeline p on p.organization_id = s.organization_id and p.id = s.pipeline_id
  where s.organization_id = r.organization_id and s.id = r.status_id)`);
const memberName = raw("(select m.name from member m where m.organization_id = r.organization_id and m.id = r.user_id)");

const primaryDealFields: SmartFields = {
  primary_opportunity_id: primaryDeal("text", raw("r.id"), "Its id.", "opportunity"),
  primary_opportunity_status_id: primaryDeal("text", raw("r.status_id"), "Its status.", "opportunity_status"),
  primary_opportunity_status_label: primaryDeal("text", ofStatus("label"), "Its status in words."),
  primary_opportunity_status_type: primaryDeal("text", ofStatus("type"), "`active`, `won` or `lost`."),
  primary_opportunity_pipeline_name: primaryDeal("text", pipelineName, "Its pipeline."),
  primary_opportunity_value: primaryDeal("number", raw("r.value"), "In minor units."),
  primary_opportunity_value_formatted: primaryDeal(
    "text",
    money(raw("r.value"), raw("r.value_currency")),
    "Such as `$12,000.00`.",
  ),
  primary_opportunity_value_period: primaryDeal("text", raw("r.value_period"), "How often the value is due."),
  primary_opportunity_confidence: primaryDeal("number", raw("r.confidence"), "In percent."),
  primary_opportunity_date_won: primaryDeal("date", raw("r.date_won"), "When it was won."),
  primary_opportunity_user_id: primaryDeal("text", raw("r.user_id"), "Whose it is.", "user"),
  primary_opportunity_user_name: primaryDeal("text", memberName, "Whose it is."),
  primary_opportunity_note: primaryDeal("text", raw("r.note"), "Its note."),
  primary_opportunity_date_created: primaryDeal("timestamp", raw("r.date_created"), "When it was created."),
};

/** An amount as `formatMoney` writes it. Most currencies look alike; those that do not are listed. */
function money(amount: Sql, currency: Sql): Sql {
  const odd = Intl.supportedValuesOf("currency").filter((code) => currencySymbol(code) !== code || currencyDigits(code) !== 2);
  const written = (prefix: string, digits: number) =>
    sql`${prefix}::text || to_char(${amount} / ${10 ** digits}::numeric, ${`FM999,999,999,999,999,990${digits === 0 ? "" : `.${"0".repeat(digits)}`}`})`;
  const cases = odd.map(
    (code) => sql`when ${code} then ${written(formatMoney(0, code)!.replace(/[\d.]+$/, ""), currencyDigits(code))}`,
  );
  return sql`case ${currency} ${join(cases, " ")} else ${currency} || ${"\u00a0"}::text || ${written("", 2)} end`;
}

const smartFields: Readonly<Record<string, SmartFields>> = {
  lead: byName<SmartFields>({
    ...communicationFields,
    ...Object.fromEntries(
      Object.entries(activityCounts).map(([key, where]) => [
        key,
        {
          kind: "number",
          ...count("activity", where),
          doc: `How many: ${key.slice(4).replaceAll("_", " ")}.`,
        } satisfies SmartField,
      ]),
    ),
    ...taskFields,
    ...peopleFields,
    ...dealFields,
    ...primaryDealFields,
  }),
};
