// The checks before an automation is published: its fields exist on its records, its values fit them, its messages have content,
// and its senders are allowed.

import type { Ctx } from "../../core/context.ts";
import { below, collect, type FieldErrors, placed } from "../../core/errors.ts";
import type { AnyField, Field } from "../../core/field.ts";
import { sql } from "../../db/sql.ts";
import { type CustomField, checkValue } from "../../records/custom_fields.ts";
import { readOrder } from "../../records/order.ts";
import { findRecords } from "../../records/records.ts";
import { aNoun } from "../../records/standard_operation.ts";
import { comesWithin } from "../../values/cron.ts";
import { isId } from "../../values/id.ts";
import { reasons } from "../../values/reasons.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { contactList } from "../lists/contact_list.ts";
import { leadList } from "../lists/lead_list.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import { anyAutomation } from "./any_automation.ts";
import { checkAskedBefore, checkAwaited, checkConditions, checkMatch } from "./check_conditions.ts";
import { checkAssigned, checkTold } from "./check_members.ts";
import { checkContact, checkMailed, checkTexted } from "./check_recipients.ts";
import { type SenderCheck as Check, checkNumber, checkSender } from "./check_senders.ts";
import { checkDuration, checkEvent, checkExits, checkTimeout, checkUntil } from "./check_waits.ts";
import { checkKey, checkTemplates, checkWords } from "./check_words.ts";
import { dateOf } from "./clock/dates.ts";
import { isDynamic, isItself, isObject } from "./config.ts";
import type { Plan } from "./fields.ts";
import { checkLookup, type Lookup } from "./hooks/lookup.ts";
import { checkKnown, customOf } from "./known_fields.ts";
import { recordsThat } from "./searched_records.ts";

type Config = Record<string, unknown>;

/** What keeps the plan from running, by place. */
export async function problemsOfRunning(ctx: Ctx, plan: Plan, userId: string): Promise<FieldErrors> {
  const { object_type, for_each } = plan.trigger.config as Record<string, any>;
  const of = ctx.registry.resource(object_type ?? for_each?.object_type ?? "");
  const check: Check = { ctx, errors: {}, of, userId };
  checkTrigger(check, plan.trigger.config);
  checkLookup(check, plan.trigger.config.record_lookup as Lookup | null | undefined);
  await checkClock(check, plan.trigger.config);
  if (plan.trigger.type === "record.matches") checkAskedBefore(check, plan.trigger.config.condition, "trigger.config.condition");
  checkConditions(check, plan.filter, "filter");
  checkKey(check.errors, plan.settings);
  for (const [id, { type, config }] of Object.entries(plan.graph.steps)) {
    const at = `graph.steps.${id}.config`;
    checkTemplates(check.errors, config, at);
    checkConditions(check, config.when, `${at}.when`);
    if (Array.isArray(config.cases))
      config.cases.forEach((one, i) => checkConditions(check, (one as Config | null)?.when, `${at}.cases.${i}.when`));
    await steps[type]?.(check, config, at);
  }
  checkExits(check, plan.graph.exits ?? []);
  for (const key of ["goals", "exits"] as const)
    plan.graph[key]?.forEach((one, i) => isObject(one) && checkMatch(check, one, `graph.${key}.${i}`));
  return check.errors;
}

// --- fields ---

function checkTrigger(check: Check, config: Config): void {
  for (const key of ["field", "date_field"]) checkKnown(check, config[key], `trigger.config.${key}`);
  if (Array.isArray(config.fields)) config.fields.forEach((one, i) => checkKnown(check, one, `trigger.config.fields.${i}`));
  checkConditions(check, config.condition, "trigger.config.condition");
}

/** A date is one of the record, and who is started for many is not started all the time. */
async function checkClock(
  { ctx, errors, of }: Check,
  { cron, for_each, date_field, object_type }: Record<string, any>,
): Promise<void> {
  if (date_field != null && errors["trigger.config.date_field"] === undefined && dateOf(ctx, object_type, date_field) === null)
    errors["trigger.config.date_field"] = `is not a field of a ${String(object_type)} that is a date`;
  if (for_each == null || of === undefined) return;
  if (comesWithin(cron, 5 * 60_000))
    errors["trigger.config.cron"] = "comes too often: with for_each it leaves at least five minutes between two times";
  if (for_each.condition != null)
    await collect(errors, () =>
      placed(
        (inner) => `trigger.config.for_each.${inner.replace(/^where/, "condition")}`,
        () => recordsThat(ctx, of, for_each.condition),
      ),
    );
}

/** Values that fields are set to. Those that are already known must be valid for the field. */
function checkSet(check: Check, { fields, target }: Config, at: string): void {
  if (check.of === undefined || check.of.kinds || !isObject(fields) || !isItself(target)) return;
  for (const [name, value] of Object.entries(fields)) {
    const place = `${at}.fields.${name}`;
    checkKnown(check, name, place);
    const custom = customOf(check.ctx, check.of, name);
    const field = check.of.fields[name] as AnyField | undefined;
    if (custom !== undefined) checkCustom(check, custom, value, place);
    else if (field?.source === "column") checkColumn(check, field, value, place);
    else if (field !== undefined && field.source !== "input") check.errors[place] = "cannot be changed";
  }
}

function checkCustom({ ctx, errors }: Check, field: CustomField, value: unknown, at: string): void {
  if (value !== null && !isDynamic(value)) collect(errors, () => below(at, () => checkValue(ctx, field, value)));
}

function checkColumn({ errors }: Check, field: Field, value: unknown, at: string): void {
  if (field.mode !== "write" || field.hidden) errors[at] = "cannot be changed";
  else if (value === null && !field.nullable) errors[at] = "must not be null";
  else if (value !== null && !isDynamic(value)) {
    const result = field.schema.safeParse(value, { reportInput: true });
    if (!result.success) Object.assign(errors, reasons(result.error, at));
  }
}

// --- steps ---

type CheckStep = (check: Check, config: Config, at: string) => void | Promise<void>;

const steps: Readonly<Record<string, CheckStep>> = {
  "record.update": checkSet,
  "status.set": ({ ctx, errors, of }, { status_id, target }, at) => {
    if (of === undefined || !isItself(target) || typeof status_id !== "string") return;
    const statuses = { lead: leadStatus, opportunity: opportunityStatus }[of.name];
    if (statuses === undefined || ctx.directory.find(statuses.name, status_id) === undefined)
      errors[`${at}.status_id`] = `is not a status of ${aNoun(of)}`;
  },
  "record.find": checkFind,
  "wait.duration": checkDuration,
  "wait.until": checkUntil,
  "wait.condition": checkTimeout,
  "wait.event": (check, config, at) => {
    checkTimeout(check, config, at);
    checkEvent(check, config, at);
    checkAwaited(check, config, at);
    checkMatch(check, config, at);
  },
  approve: checkTimeout,
  "task.complete": (check, { where }, at) => checkFind(check, { object_type: "task", where }, at),
  "notify.user": checkTold,
  "task.create": checkAssigned,
  "automation.start": checkChild,
  "list.change": ({ errors, of }, { list_id, target }, at) => {
    if (of === undefined || !isItself(target) || typeof list_id !== "string") return;
    const lists = { lead: leadList, contact: contactList }[of.name];
    if (lists === undefined || !isId(lists.prefix, list_id))
      errors[`${at}.list_id`] = `is not a list that ${aNoun(of)} can be on`;
  },
  "email.send": checkMail,
  "email.draft": checkMail,
  "sms.send": (check, config, at) => {
    checkWords(check.errors, config, at);
    checkTexted(check, config, at);
    if (!config.template_id && !config.text) check.errors[`${at}.text`] = "is required, or a template_id";
    checkNumber(check, config.from_number, `${at}.from_number`);
  },
  "message.send": (check, config, at) => {
    checkWords(check.errors, config, at);
    checkTexted(check, config, at);
  },
  "call.task": checkContact("to"),
  "dialer.add": checkContact("contact"),
  "mailing_export.push": checkContact("contact"),
  "sequence.subscribe": (check, config, at) => {
    checkContact("contact")(check, config, at);
    return checkSender(check, config.sender, `${at}.sender`);
  },
  "sequence.pause": checkContact("contact"),
  "sequence.resume": checkContact("contact"),
  "sequence.unsubscribe": checkContact("contact"),
  "http.request": ({ ctx, errors }, { url }, at) => {
    const { addresses } = ctx.settings;
    if (typeof url === "string" && !addresses.allowsHost(url)) errors[`${at}.url`] = addresses.words;
  },
};

/** What is only known when it runs is checked then. */
async function checkFind({ ctx, errors }: Check, { object_type, where, order }: Config, at: string): Promise<void> {
  const of = ctx.registry.resource(String(object_type));
  if (of === undefined || !isObject(where)) return;
  if (typeof order === "string")
    collect(errors, () =>
      placed(
        () => `${at}.order`,
        () => readOrder(of, order, ctx),
      ),
    );
  if (!hasDynamic(where)) await collect(errors, () => below(at, () => recordsThat(ctx, of, where)));
}

async function checkChild(check: Check, config: Config, at: string): Promise<void> {
  const { automation_id, wait, timeout } = config;
  const { ctx, errors } = check;
  checkTimeout(check, config, at);
  if (wait === true && timeout == null) errors[`${at}.timeout`] = "is required to wait";
  if (typeof automation_id !== "string") return;
  const [child] = await findRecords(ctx, anyAutomation, [sql`t.id = ${automation_id}`]);
  if (child !== undefined && child.trigger_type !== "manual")
    errors[`${at}.automation_id`] = `must start by the trigger manual: this automation starts by ${child.trigger_type}`;
}

const hasDynamic = (value: unknown): boolean =>
  isDynamic(value) || (typeof value === "object" && value !== null && Object.values(value).some(hasDynamic));

async function checkMail(check: Check, config: Config, at: string): Promise<void> {
  checkWords(check.errors, config, at);
  checkMailed(check, config, at);
  if (!config.template_id && !config.body) check.errors[`${at}.template_id`] = "is required, or a body";
  await checkSender(check, config.from, `${at}.from`);
}
