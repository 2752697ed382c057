// What a plan that can run would do and should not: name what may not be there yet, start itself, leave at once, do nothing.
import { type Ctx, query } from "../../core/context.ts";
import { same } from "../../values/same.ts";
import { noEvent } from "../events/event_names.ts";
import { isActiveMember } from "../organization/user.ts";
import { namesOf } from "../webhooks/wanted.ts";
import { isObject } from "./config.ts";
import type { Plan } from "./fields.ts";
import { type Finding, finding, warning } from "./findings.ts";
import type { Graph, Step } from "./graph_shape.ts";
import { warningsOfLiteralWords } from "./literal_words.ts";
import { readsOfRecord } from "./reads_record.ts";
import { problemsOfReferences } from "./references.ts";
import { stepTypesByName } from "./step_types.ts";
import { triggerTypes } from "./trigger_types.ts";
import { isWatched, writtenBy } from "./watched_fields.ts";

/** Errors and warnings of a plan whose structure is right. */
export async function semanticsOf(ctx: Ctx, plan: Plan): Promise<Finding[]> {
  return [
    ...problemsOfRunAs(ctx, plan),
    ...problemsOfReferences(plan.graph),
    ...problemsOfSelfTrigger(plan),
    ...problemsOfWatches(plan),
    ...warningsOfHaste(plan),
    ...problemsOfDeletedRecord(plan),
    ...warningsOfEffect(plan.graph),
    ...warningsOfDeletion(plan.graph),
    ...warningsOfLiteralWords(plan.graph),
    ...(await warningsOfSequences(ctx, plan.graph)),
  ];
}

function problemsOfRunAs({ directory }: Ctx, { settings: { run_as_user_id: id } }: Plan): Finding[] {
  if (id === null || isActiveMember(directory, id)) return [];
  return [finding("user_inactive", "settings.run_as_user_id", "is no longer an active member: name another one, or null")];
}

// --- what starts or ends it ---

/** A step that writes what the trigger watches. A change to a value that stays the same comes to rest by itself. */
function problemsOfSelfTrigger({ trigger, filter, graph, settings }: Plan): Finding[] {
  if (settings.allow_self_trigger === true) return [];
  const always = unconditional(graph);
  return Object.entries(graph.steps).flatMap(([id, step]) => {
    const written = writtenBy(step).filter((name) => isWatched(trigger, name));
    if (written.length === 0) return [];
    const { fields } = step.config as { fields: object };
    const moves = Object.entries(fields).some(([name, value]) => written.includes(name) && isObject(value));
    const isEndless = trigger.type === "record.updated" && filter === null && always.has(id) && moves;
    const mend = "let the trigger watch other fields, add a filter, or set allow_self_trigger";
    return [
      (isEndless ? finding : warning)(
        "self_trigger_risk",
        `graph.steps.${id}.config.fields`,
        `writes ${written[0]}, which starts this automation: ${mend}`,
      ),
    ];
  });
}

/** The steps that every run takes: those before the first that has a choice. */
function unconditional({ start, steps }: Graph): ReadonlySet<string> {
  const found = new Set<string>();
  for (let id = start; id !== null && !found.has(id) && Object.hasOwn(steps, id); ) {
    found.add(id);
    const targets: (string | null)[] = [...new Set(Object.values(steps[id]!.ports))];
    id = targets.length === 1 ? targets[0]! : null;
  }
  return found;
}

const triggers = new Map(triggerTypes.map((one) => [one.type, one]));

function problemsOfWatches({ trigger, graph: { goals = [], exits = [] } }: Plan): Finding[] {
  const starting = new Set(triggers.get(trigger.type)?.listens?.(trigger.config) ?? []);
  const lost = goals.flatMap((goal, i) =>
    isObject(goal) && namesOf([String(goal.event)])?.length === 0
      ? [warning("goal_unreachable", `graph.goals.${i}.event`, `${noEvent(String(goal.event))}: no run reaches this goal`)]
      : [],
  );
  const same = exits.flatMap((exit, i) =>
    isObject(exit) && isItsRecord(exit.match) && starting.has(String(exit.event))
      ? [
          finding(
            "exit_equals_trigger",
            `graph.exits.${i}.event`,
            "is what starts a run too: name another event, or say more in match",
          ),
        ]
      : [],
  );
  return [...lost, ...same];
}

/** Of a run that is over at once nothing that happens later is a goal. */
function warningsOfHaste({ graph: { steps, goals = [] }, settings }: Plan): Finding[] {
  if (Object.values(steps).some((step) => takesTime(step, settings))) return [];
  const words = "can be reached by no run: no step waits, so each run is over before it. Add a wait, or leave the goal out";
  return goals.map((_, i) => warning("goal_unreachable", `graph.goals.${i}`, words));
}

/** It waits, or may: for people, for other services, or for the hours of the automation. */
function takesTime({ type }: Step, { time_window }: Plan["settings"]): boolean {
  const of = stepTypesByName.get(type);
  const keepsHours = time_window != null && of?.keepsHours === true;
  return type.startsWith("wait.") || of?.awaited !== undefined || of?.outside !== undefined || keepsHours;
}

/** The values of `match` that stand for the run's own record, which is also what it is when it is left out. */
const isItsRecord = (match: unknown): boolean =>
  match === undefined ||
  same(match, { object_id: { $ref: "record.id" } }) ||
  same(match, { object_id: { $ref: "trigger.record.id" } });

/** Of a record that is gone there is only what the event says. */
function problemsOfDeletedRecord({ trigger, graph: { steps } }: Plan): Finding[] {
  const names = triggers.get(trigger.type)?.listens?.(trigger.config) ?? [];
  if (names.length === 0 || !names.every((name) => name.endsWith(".deleted"))) return [];
  const mend = "is gone when it runs: name trigger.record, or another record";
  return Object.entries(steps).flatMap(([id, { type, config }]) => {
    const at = `graph.steps.${id}.config`;
    const places = readsOfRecord({ type, config }, at);
    return places.map((place) => finding("record_deleted_trigger_reads_record", place, `is the record that ${mend}`));
  });
}

// --- what it does ---

function warningsOfEffect({ steps }: Graph): Finding[] {
  const acts = Object.values(steps).some(({ type }) => (stepTypesByName.get(type)?.side_effect ?? "none") !== "none");
  return acts ? [] : [warning("no_effect", "graph.steps", "has no step that changes or sends anything")];
}

const warningsOfDeletion = ({ steps }: Graph): Finding[] =>
  Object.entries(steps).flatMap(([id, { type }]) =>
    stepTypesByName.get(type)?.side_effect === "destructive"
      ? [
          warning(
            "step_deletes",
            `graph.steps.${id}.type`,
            "deletes a record in every run that comes to it: ask with approve before it",
          ),
        ]
      : [],
  );

async function warningsOfSequences(ctx: Ctx, { steps }: Graph): Promise<Finding[]> {
  const named = Object.entries(steps).flatMap(([id, { type, config }]) =>
    type === "sequence.subscribe" && typeof config.sequence_id === "string" ? [{ id, sequence: config.sequence_id }] : [],
  );
  if (named.length === 0) return [];
  const rows = await query(ctx, {
    name: "automation.inactive_sequences",
    text: "select id from sequence where organization_id = $1 and id = any($2) and status <> 'active'",
    values: [ctx.organization_id, named.map(({ sequence }) => sequence)],
  });
  const inactive = new Set(rows.map(([id]) => id));
  return named
    .filter(({ sequence }) => inactive.has(sequence))
    .map(({ id }) =>
      warning("sequence_inactive", `graph.steps.${id}.config.sequence_id`, "is not active: it sends nothing until it is"),
    );
}
