// What the references and templates of a plan can name: one tree, made from its trigger, its steps and the kinds of record. What is only
// known when it runs, such as the payload of a call, is not looked into.
import type { Ctx } from "../../core/context.ts";
import type { FieldErrors } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import { hint } from "../../values/reasons.ts";
import { isOfAnyValue } from "../templates/placeholders.ts";
import { schemaOf } from "./catalog.ts";
import { isObject } from "./config.ts";
import type { Plan } from "./fields.ts";
import type { Graph } from "./graph_shape.ts";
import { checkRead, unreadableBelow } from "./known_fields.ts";
import { itemsOfSteps } from "./loop_items.ts";
import { stepTypesByName } from "./step_types.ts";
import type { Trigger } from "./trigger.ts";
import { triggerTypes } from "./trigger_types.ts";

/** `any`: whatever stands below it is known only when it runs. `value`: nothing does. */
type Offered = "any" | "value" | "record" | "record_as_it_was" | ItemRecord | { [name: string]: Offered };

/** A record whose turn it is in a loop. */
class ItemRecord {
  readonly of: Resource;

  constructor(of: Resource) {
    this.of = of;
  }
}

const types = new Map(triggerTypes.map((one) => [one.type, one]));

/** The kinds of record that a run can be about. None where only the run knows. */
export function kindsOf(registry: Ctx["registry"], { type, config }: Trigger): readonly Resource[] {
  const { object_type, for_each, record_lookup } = config as Record<string, any>;
  const named = object_type ?? for_each?.object_type ?? record_lookup?.object_type;
  const names: readonly string[] = named == null ? (types.get(type)?.object_types ?? []) : [named];
  return names.flatMap((one) => registry.resource(one) ?? []);
}

const named = (...names: string[]): Offered => Object.fromEntries(names.map((one) => [one, "value"]));

/** What stands below each first word. */
function offeredBy({ trigger, graph }: Plan): Record<string, Offered> {
  const payload = payloadOf(trigger);
  return {
    trigger: {
      ...(named("event", "at") as object),
      record: "record_as_it_was",
      previous: "record_as_it_was",
      changed_fields: "any",
      payload,
      actor: named("user_id"),
      ...(types.get(trigger.type)?.calledByHook && { headers: "any" as const }),
    },
    record: "record",
    steps: Object.fromEntries(Object.entries(graph.steps).map(([id, { type }]) => [id, { output: outputOf(type) }])),
    vars: variablesOf(graph),
    item: "any",
    item_index: "value",
    run: { ...(named("id", "automation_id", "automation_name", "started_at") as object), input: payload },
    org: named("id", "name", "currency", "timezone"),
    now: "value",
  };
}

/** By hand and by calls comes whatever is sent; about another record, the record of the event comes along. */
function payloadOf({ type }: Trigger): Offered {
  const of = types.get(type);
  if (of?.clock) return named("scheduled_for", "occasion");
  return of?.byHand || of?.calledByHook || of?.about ? "any" : {};
}

function outputOf(type: string): Offered {
  const of = stepTypesByName.get(type);
  return of?.output === undefined ? "any" : inSchema(schemaOf(of.output));
}

/** The members of an object that takes no others. */
function inSchema(schema: Record<string, unknown>): Offered {
  const { properties, additionalProperties } = schema;
  if (!isObject(properties) || (additionalProperties !== undefined && additionalProperties !== false)) return "any";
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, isObject(one) ? inSchema(one) : "any"]));
}

function variablesOf({ steps }: Graph): Offered {
  const set = Object.values(steps).flatMap(({ type, config }) => (type === "set.vars" ? [config.values] : []));
  if (!set.every(isObject) || set.some((one) => "$ref" in one)) return "any";
  return Object.fromEntries(set.flatMap((values) => Object.keys(values).map((one) => [one, "any" as const])));
}

export interface OfferCheck {
  ctx: Ctx;
  errors: FieldErrors;
  kinds: readonly Resource[];
  offered: Record<string, Offered>;
  /** The kinds of record that `item` is, by the steps that loops repeat. */
  items: ReadonlyMap<string, Resource | null>;
}

export function offerCheck(ctx: Ctx, plan: Plan): OfferCheck {
  const kinds = kindsOf(ctx.registry, plan.trigger);
  return { ctx, errors: {}, kinds, offered: offeredBy(plan), items: itemsOfSteps(ctx, plan.graph, kinds) };
}

/** The same for one step, whose `item` may be a record of a known kind. */
export function forStep(check: OfferCheck, id: string): OfferCheck {
  const of = check.items.get(id);
  return of == null ? check : { ...check, offered: { ...check.offered, item: new ItemRecord(of) } };
}

/** Whether the words of a path lead to something. Those of custom fields are `custom` and the id. */
export function checkOffered({ ctx, errors, kinds, offered }: OfferCheck, words: readonly string[], at: string): void {
  let here: Offered = offered;
  for (const [i, word] of words.entries()) {
    if (here === "any" || isOfAnyValue(word)) return;
    if (here instanceof ItemRecord) {
      const reason = word === "object_type" ? null : reasonOf({ ctx, of: here.of }, words.slice(i).join("."));
      if (reason !== null) errors[at] = reason;
      return;
    }
    if (typeof here === "string") {
      const path = words.slice(i).join(".");
      if (here === "value") errors[at] = `has ${word} below ${words[i - 1]}, which is a value by itself`;
      else if (here === "record") checkKinds(errors, at, kinds, (of) => reasonOf({ ctx, of }, path));
      else checkKinds(errors, at, kinds, (of) => unreadableBelow(ctx, of, path));
      return;
    }
    if (!Object.hasOwn(here, word)) {
      const where = i === 0 ? "a first word" : `offered by ${words.slice(0, i).join(".")}`;
      errors[at] = `names ${word}, which is not ${where}${hint(word, Object.keys(here))}`;
      return;
    }
    here = here[word]!;
  }
}

function reasonOf({ ctx, of }: { ctx: Ctx; of: Resource }, path: string): string | null {
  const errors: FieldErrors = {};
  checkRead({ ctx, errors, of }, path, "path");
  return errors.path ?? null;
}

/** One of the kinds must have it. */
function checkKinds(errors: FieldErrors, at: string, kinds: readonly Resource[], reason: (of: Resource) => string | null): void {
  const found = kinds.map(reason);
  if (found.length > 0 && !found.includes(null)) errors[at] = found[0]!;
}
