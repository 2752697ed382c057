// What references, templates and conditions of a run can name: the event that started it, the record as it is now, results of earlier
// steps, variables.
import type { Ctx } from "../../core/context.ts";
import { showAnyRecord } from "../../records/records.ts";
import { renderTemplate, TemplateError } from "../../services/liquid.ts";
import { hiddenIn } from "../../values/hidden.ts";
import { isDynamic, isObject } from "./config.ts";
import type { Occurrence } from "./occurrence.ts";
import { listsNamed } from "./related_lists.ts";
import { StepFailure } from "./step_failure.ts";

export type Values = Record<string, unknown>;

export interface Facts {
  /** `record`, `previous`, `changed_fields`, `payload`, `actor`: as they were. */
  trigger: Values;
  /** As it is now, for the member in whose name the run acts. Null when there is none. */
  record: Values | null;
  steps: Record<string, { output: unknown }>;
  vars: Values;
  /** In a loop: the element whose turn it is, and its place from 0. */
  item?: unknown;
  item_index?: number;
  run: Values;
  org: Values;
  now: string;
}

export const triggerFacts = (
  { event, record, previous, changed_fields, user_id, headers, at }: Occurrence,
  input: Values,
): Values => ({
  event,
  record,
  previous,
  changed_fields,
  payload: input,
  ...(headers && { headers }),
  actor: { user_id },
  at,
});

/** What an event alone says, before there is a run. */
export const factsOfEvent = (
  { now }: Ctx,
  event: Occurrence,
  input: Values = {},
  { record = event.record, run = {} }: { record?: Values | null; run?: Values } = {},
): Facts => ({ trigger: triggerFacts(event, input), record, steps: {}, vars: {}, run, org: {}, now: now.toISOString() });

/** The record with this id as a read shows it. Null if it does not exist or the actor may not see it. */
export async function recordById(ctx: Ctx, id: string): Promise<Values | null> {
  const shown = await showAnyRecord(ctx, id);
  return shown === null ? null : asSeen(ctx, JSON.parse(shown.text) as Values);
}

/** A tool that tries an automation is shown no link by a text of it either. */
export const asSeen = <T>({ request }: Ctx, values: T): T => (request.byTool === true ? hiddenIn(values) : values);

/**
 * Adds the related records that a config names with a second word, as in `record.lead.name`: the record that `lead_id` names; and the
 * lists of those that belong to it, as in `record.contacts`. `root` is the first word.
 */
export async function withRelated(ctx: Ctx, record: Values | null, mentions: unknown, root = "record"): Promise<Values | null> {
  if (record === null) return null;
  const said = JSON.stringify(mentions);
  const related: Values = await listsNamed(ctx, record, said, root);
  for (const [, name] of said.matchAll(new RegExp(`\\b${root}\\.(\\w+)\\.\\w`, "g"))) {
    const id = record[`${name}_id`] ?? (name === "owner" ? record.user_id : undefined);
    if (related[name!] === undefined && !isObject(record[name!]) && typeof id === "string")
      related[name!] = await recordById(ctx, id);
  }
  return withCustom(asSeen(ctx, { ...record, ...related }), said);
}

/** Templates name custom fields as references do: `record.custom.cf_…`. */
function withCustom(record: Values, said: string): Values {
  if (!said.includes(".custom.")) return record;
  const custom = Object.entries(record).flatMap(([key, value]) => (key.startsWith("custom.") ? [[key.slice(7), value]] : []));
  const inner = Object.entries(record).map(([key, value]) => [key, isObject(value) ? withCustom(value, said) : value]);
  return { ...Object.fromEntries(inner), ...(custom.length > 0 && { custom: Object.fromEntries(custom) }) };
}

/** Follows a path such as `record.lead.name`. Undefined where it leads nowhere. */
export function valueAt(facts: Facts, path: string): unknown {
  let value: unknown = facts;
  // Names of custom fields contain a dot.
  const words = path.replace(/\bcustom\.(cf_\w+)/g, "custom\u0000$1").split(".");
  for (const word of words.map((one) => one.replace("\u0000", "."))) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, word)) return undefined;
    value = (value as Values)[word];
  }
  return value;
}

/** The value with all references and templates filled in. A reference that leads nowhere is null. */
export function filledIn(value: unknown, facts: Facts): unknown {
  if (isDynamic(value))
    return "$ref" in value ? (valueAt(facts, String(value.$ref)) ?? null) : rendered(String(value.$template), facts);
  if (Array.isArray(value)) return value.map((one) => filledIn(one, facts));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one, facts)]));
}

/** No template of a step comes to more. */
const renderedMost = 64 * 1024;

function rendered(template: string, facts: Facts): string {
  try {
    const { text } = renderTemplate(template, facts as unknown as Values, "text");
    if (Buffer.byteLength(text) <= renderedMost) return text;
    throw new TemplateError("comes to more than 64 KB: shorten what it repeats");
  } catch (error) {
    if (error instanceof TemplateError) throw new StepFailure("template_failed", "config", `The template ${error.message}`);
    throw error;
  }
}
