// Whether references to the record of a run name fields that such a record has. A run would be held by one that does not.
import type { Ctx } from "../../core/context.ts";
import type { FieldErrors } from "../../core/errors.ts";
import type { Resource } from "../../core/resource.ts";
import type { Plan } from "./fields.ts";
import { type Finding, finding } from "./findings.ts";
import { checkKnown } from "./known_fields.ts";
import { mentionsIn } from "./references.ts";
import { listNames } from "./related_lists.ts";
import { triggerTypes } from "./trigger_types.ts";

/** The record is of the kind that the trigger names, unless the trigger is about something else. */
const ofItsKind = new Set(triggerTypes.filter(({ about }) => about === undefined).map(({ type }) => type));

/** The kind of record that a plan runs for, where its trigger says that. */
export function recordOf(registry: Ctx["registry"], { trigger: { type, config } }: Pick<Plan, "trigger">): Resource | undefined {
  return ofItsKind.has(type) && typeof config.object_type === "string" ? registry.resource(config.object_type) : undefined;
}

export function problemsOfRecordReferences(ctx: Ctx, { trigger, graph }: Plan): Finding[] {
  const of = recordOf(ctx.registry, { trigger });
  const lists = of === undefined ? [] : listNames(ctx, of);
  const errors: FieldErrors = {};
  for (const [id, { config }] of Object.entries(graph.steps))
    for (const { at, said } of mentionsIn(config, `graph.steps.${id}.config`)) {
      const [, named] = /^record\.(.+)$/.exec(said) ?? [];
      // What conditions refer to is checked with them.
      if (named !== undefined && at.endsWith(".$ref") && !lists.includes(named)) checkKnown({ ctx, errors, of }, named, at);
    }
  return Object.entries(errors).map(([at, reason]) => finding("ref_unknown", at, reason));
}
