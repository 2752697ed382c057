// Whether what references and templates name is there: fields of the record and of what it names, what the trigger brings along, results
// of steps, variables. A run would be held by a reference to nothing, and a template would be silent about it.
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";
import { namesInTemplate } from "../../services/liquid.ts";
import { namesInLetters, reasonOfPlaceholder } from "../templates/placeholders.ts";
import type { Plan } from "./fields.ts";
import { type Finding, finding } from "./findings.ts";
import { isOfMessage } from "./literal_words.ts";
import { checkOffered, forStep, type OfferCheck, offerCheck } from "./offered.ts";
import { type Mention, mentionsIn } from "./references.ts";
import { triggerTypes } from "./trigger_types.ts";

/** The record is of the kind that the trigger names, unless the trigger is about something else. */
const ofItsKind = new Set(triggerTypes.filter(({ about }) => about === undefined).map(({ type }) => type));

/** The kind of record that a plan runs for, where its trigger says that. */
export function recordOf(registry: Ctx["registry"], { trigger: { type, config } }: Pick<Plan, "trigger">): Resource | undefined {
  return ofItsKind.has(type) && typeof config.object_type === "string" ? registry.resource(config.object_type) : undefined;
}

/** Where names are said, outside of the steps. */
const placesOf = ({ filter, trigger, graph }: Plan): Record<string, unknown> => ({
  filter,
  "trigger.config.condition": trigger.config.condition,
  "graph.goals": graph.goals,
  "graph.exits": graph.exits,
});

export function problemsOfRecordReferences(ctx: Ctx, plan: Plan): Finding[] {
  const check = offerCheck(ctx, plan);
  for (const [at, value] of Object.entries(placesOf(plan))) for (const one of mentionsIn(value, at)) checkMention(check, one);
  for (const [id, { type, config }] of Object.entries(plan.graph.steps))
    for (const [key, value] of Object.entries(config)) {
      const at = `graph.steps.${id}.config.${key}`;
      const besides = isOfMessage(type, key) ? namesInLetters : [];
      for (const one of besides.length > 0 ? mentionsInWords(value, at) : mentionsIn(value, at))
        checkMention(forStep(check, id), one, besides);
    }
  for (const one of mentionsInWords(plan.settings.concurrency?.key, "settings.concurrency.key")) checkMention(check, one);
  return Object.entries(check.errors).map(([at, reason]) => finding("ref_unknown", at, reason));
}

/** Literal words are a template too. */
const mentionsInWords = (value: unknown, at: string): Mention[] =>
  typeof value === "string" ? [{ at, said: value, isTemplate: true }] : mentionsIn(value, at);

/** `besides` are the first words that a message has of its own. */
function checkMention(check: OfferCheck, { at, said, isTemplate }: Mention, besides: readonly string[] = []): void {
  if (isTemplate) {
    for (const words of namesInTemplate(said) ?? []) {
      const reason = besides.includes(words[0]!)
        ? reasonOfPlaceholder(check.ctx.directory, words)
        : checkOffered(check, words, at);
      if (typeof reason === "string") check.errors[at] = reason;
    }
  } else if (at.endsWith(".$ref") || (isAsked.test(at) && beyondRecord.test(said))) checkOffered(check, said.split("."), at);
}

/** The places of conditions that are asked of the run itself, and not of other records. */
const isAsked = /^filter\b(?!.*\.where\.)|\.(when|condition)\b(?!.*\.where\.)/;

/** What conditions refer to in the record is checked with them. */
const beyondRecord = /^(trigger|steps|vars|item|run|org|now)\./;
