// The graph of an automation: named steps, each with ports that name the next step. A draft may be unfinished, but every step in
// it must be valid by itself.
import { notAmong } from "../../values/reasons.ts";
import { checkCondition, isQuery } from "./conditions.ts";
import { type Check, checkConfig, isObject, typeNamed, unknownKey } from "./config.ts";
import type { Graph, Step } from "./graph_shape.ts";
import { failureClasses } from "./step_failure.ts";
import { stepTypes } from "./step_types.ts";

const catalog = new Map(stepTypes.map((one) => [one.type, one]));
const stepsMax = 200;
const bytesMax = 256 * 1024;
const stepId = /^[a-z][a-z0-9_]{0,39}$/;
const graphKeys = ["schema_version", "start", "steps", "goals", "exits", "ui"];
const stepKeys = ["type", "type_version", "name", "config", "ports", "on_error", "ui"];

/** The graph with all defaults filled in. Errors are in `check`. */
export function readGraph(check: Check, given: unknown, at = "graph"): Graph {
  const empty: Graph = { start: null, steps: {} };
  if (!isObject(given)) return refuse(check, at, "must be an object", empty);
  if (isTooLarge(given)) return refuse(check, at, tooLarge, empty);
  for (const key of Object.keys(given)) if (!graphKeys.includes(key)) check.errors[`${at}.${key}`] = unknownKey(key, graphKeys);
  if (given.schema_version !== undefined && given.schema_version !== 1) check.errors[`${at}.schema_version`] = "must be 1";

  const steps = readSteps(check, given.steps ?? {}, `${at}.steps`);
  const start = (given.start ?? null) as string | null;
  checkTarget(check, start, steps, `${at}.start`);
  for (const [id, step] of Object.entries(steps)) checkPorts(check, step, steps, `${at}.steps.${id}`);
  for (const key of ["goals", "exits"] as const)
    if (given[key] !== undefined) checkWatches(check, key, given[key], steps, `${at}.${key}`);
  const { goals, exits, ui } = given as unknown as Graph;
  const graph = { start, steps, ...(goals && { goals }), ...(exits && { exits }), ...(ui !== undefined && { ui }) };
  // What is stored must be small enough too, or publishing would refuse what saving takes.
  return isTooLarge(graph) ? refuse(check, at, tooLarge, empty) : graph;
}

const isTooLarge = (graph: object): boolean => Buffer.byteLength(JSON.stringify(graph)) > bytesMax;
const tooLarge = "must be at most 256 KB, with its defaults";

function refuse<T>(check: Check, at: string, reason: string, otherwise: T): T {
  check.errors[at] = reason;
  return otherwise;
}

// --- steps ---

function readSteps(check: Check, given: unknown, at: string): Record<string, Step> {
  if (!isObject(given)) return refuse(check, at, "must be an object of steps by their names", {});
  const entries = Object.entries(given);
  if (entries.length > stepsMax) return refuse(check, at, `must have ${stepsMax} or fewer`, {});
  return Object.fromEntries(entries.map(([id, step]) => [id, readStep(check, id, step, `${at}.${id}`)]));
}

function readStep(check: Check, id: string, given: unknown, at: string): Step {
  const none: Step = { type: "", type_version: 1, config: {}, ports: {} };
  if (!stepId.test(id))
    return refuse(
      check,
      at,
      "has a name that must begin with a letter and have only a-z, 0-9 and _, at most 40 characters",
      none,
    );
  if (!isObject(given)) return refuse(check, at, "must be an object", none);
  for (const key of Object.keys(given)) if (!stepKeys.includes(key)) check.errors[`${at}.${key}`] = unknownKey(key, stepKeys);
  if (given.name !== undefined && (typeof given.name !== "string" || given.name.length > 255))
    check.errors[`${at}.name`] = "must be text of 255 characters or fewer";
  if (given.type_version !== undefined && given.type_version !== 1) check.errors[`${at}.type_version`] = "must be 1";

  const config = given.config ?? {};
  const isBegun = !check.complete && (given.type ?? "") === "";
  const of = isBegun ? undefined : typeNamed(check, catalog, given.type, at);
  if (of !== undefined) {
    checkConfig(check, of, config, `${at}.config`);
    checkNested(check, config, `${at}.config`);
  }
  if (given.on_error !== undefined) checkOnError(check, given.on_error, `${at}.on_error`);
  return { ...none, ...given, config, ports: given.ports ?? {} } as Step;
}

/** Checks conditions within a config, and values that only code can check. */
function checkNested(check: Check, config: unknown, at: string): void {
  if (!isObject(config)) return;
  if (config.when !== undefined) checkCondition(check, config.when, `${at}.when`);
  if (isObject(config.where) && !isQuery(config.where)) checkCondition(check, config.where, `${at}.where`);
  if (Array.isArray(config.cases)) {
    config.cases.forEach((one, i) => {
      if (isObject(one) && one.when !== undefined) checkCondition(check, one.when, `${at}.cases.${i}.when`);
    });
  }
  for (const key of ["cases", "variants", "classes"]) checkDistinct(check, config[key], `${at}.${key}`);
}

function checkDistinct(check: Check, list: unknown, at: string): void {
  if (!Array.isArray(list)) return;
  const seen = new Set<unknown>();
  list.forEach((one, i) => {
    if (isObject(one) && seen.has(one.id)) check.errors[`${at}.${i}.id`] = "is there twice";
    else if (isObject(one) && one.id === "else" && at.endsWith(".cases"))
      check.errors[`${at}.${i}.id`] = "would be there twice: else is the port where no case holds";
    if (isObject(one)) seen.add(one.id);
  });
}

function checkClasses(check: Check, given: readonly unknown[], at: string): void {
  const place = given.findIndex((one) => !(failureClasses as readonly unknown[]).includes(one));
  if (place >= 0) check.errors[`${at}.${place}`] = notAmong(given[place], failureClasses);
}

function checkOnError(check: Check, given: unknown, at: string): void {
  if (!isObject(given)) return void (check.errors[at] = "must be an object");
  for (const key of Object.keys(given))
    if (!["retry", "then"].includes(key)) check.errors[`${at}.${key}`] = unknownKey(key, ["retry", "then"]);
  if (given.then !== undefined && !["fail", "continue", "port", "hold"].includes(given.then as string))
    check.errors[`${at}.then`] = notAmong(given.then, ["fail", "continue", "port", "hold"]);
  if (given.retry === undefined) return;
  if (!isObject(given.retry)) return void (check.errors[`${at}.retry`] = "must be an object");
  const limits: Record<string, number> = { max_attempts: 10, base_s: 86_400, max_s: 604_800 };
  for (const [key, value] of Object.entries(given.retry)) {
    const place = `${at}.retry.${key}`;
    if (key === "classes") {
      if (!Array.isArray(value)) check.errors[place] = "must be a list";
      else checkClasses(check, value, place);
    } else if (!Object.hasOwn(limits, key)) check.errors[place] = unknownKey(key, [...Object.keys(limits), "classes"]);
    else if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > limits[key]!)
      check.errors[place] = `must be a whole number from 0 to ${limits[key]}`;
  }
}

// --- next steps ---

function checkPorts(check: Check, step: Step, steps: Record<string, Step>, at: string): void {
  if (!isObject(step.ports)) return void (check.errors[`${at}.ports`] = "must be an object of steps by port");
  const of = catalog.get(step.type);
  if (of === undefined) return;
  const known = portsOf(step);
  for (const [port, target] of Object.entries(step.ports)) {
    if (!known.includes(port)) check.errors[`${at}.ports.${port}`] = unknownKey(port, known);
    else checkTarget(check, target, steps, `${at}.ports.${port}`);
  }
  if (check.complete)
    for (const port of known) if (!(port in step.ports)) check.errors[`${at}.ports.${port}`] = "is required; null ends the run";
  if (step.type === "goto" && typeof step.config.step === "string")
    checkTarget(check, step.config.step, steps, `${at}.config.step`);
}

/** The ports of a step: those of its type and config, and `error` if it has one. */
function portsOf({ type, config, on_error }: Step): string[] {
  const ports = catalog.get(type)!.ports ?? [];
  const named = typeof ports === "function" ? ports(isObject(config) ? config : {}) : [...ports];
  return isObject(on_error) && on_error.then === "port" ? [...named, "error"] : named;
}

/** A draft may name a step that does not exist yet. */
function checkTarget(check: Check, target: unknown, steps: Record<string, Step>, at: string): void {
  if (target === null) return;
  if (typeof target !== "string") check.errors[at] = "must be the name of a step, or null";
  else if (check.complete && target === "trigger" && !Object.hasOwn(steps, target)) check.errors[at] = backToTrigger;
  else if (check.complete ? !Object.hasOwn(steps, target) : !stepId.test(target))
    check.errors[at] = check.complete ? "is not a step of this graph" : "cannot be the name of a step";
}

const backToTrigger = "is the trigger, to which no run goes back: name a step, or start another run by automation.start";

// --- goals and exits ---

function checkWatches(check: Check, kind: "goals" | "exits", given: unknown, steps: Record<string, Step>, at: string): void {
  if (!Array.isArray(given)) return void (check.errors[at] = "must be a list");
  if (given.length > 50) return void (check.errors[at] = "must have 50 or fewer");
  const keys = kind === "goals" ? ["id", "event", "match", "then"] : ["id", "event", "match"];
  given.forEach((one, i) => {
    const place = `${at}.${i}`;
    if (!isObject(one)) return void (check.errors[place] = "must be an object");
    for (const key of Object.keys(one)) if (!keys.includes(key)) check.errors[`${place}.${key}`] = unknownKey(key, keys);
    for (const key of ["id", "event"])
      if (one[key] === undefined) {
        if (check.complete) check.errors[`${place}.${key}`] = "is required";
      } else if (typeof one[key] !== "string" || one[key] === "") check.errors[`${place}.${key}`] = "must be text";
    if (one.match !== undefined && !isObject(one.match)) check.errors[`${place}.match`] = "must be an object";
    if (isObject(one.then)) checkTarget(check, one.then.goto ?? null, steps, `${place}.then.goto`);
    else if (one.then !== undefined) check.errors[`${place}.then`] = "must be an object";
  });
}
