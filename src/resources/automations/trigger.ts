// What starts an automation: a type of the catalog and its config, or the name of an event in place of both.
import { eventPattern } from "../events/event_names.ts";
import { checkCondition } from "./conditions.ts";
import { type Check, checkConfig, isObject, typeNamed, unknownKey } from "./config.ts";
import { triggerTypes } from "./trigger_types.ts";

export interface Trigger {
  type: string;
  config: Record<string, unknown>;
}

const catalog = new Map(triggerTypes.map((one) => [one.type, one]));

/** The trigger that is meant; what is wrong with it is in `check`. */
export function readTrigger(check: Check, given: unknown, at = "trigger"): Trigger {
  const said = typeof given === "string" ? ofEvent(given) : given;
  if (!isObject(said)) {
    check.errors[at] = typeof given === "string" ? "is not an event that can start an automation" : "must be an object";
    return { type: "", config: {} };
  }
  for (const key of Object.keys(said))
    if (!["type", "type_version", "config"].includes(key)) check.errors[`${at}.${key}`] = unknownKey(key, ["type", "config"]);
  const of = typeNamed(check, catalog, said.type, at);
  const config = said.config ?? {};
  if (of !== undefined) {
    checkConfig(check, of, config, `${at}.config`);
    const condition = isObject(config) ? config.condition : undefined;
    if (condition !== undefined && condition !== null) checkCondition(check, condition, `${at}.config.condition`);
  }
  return { type: String(said.type), config: config as Record<string, unknown> };
}

const happenings: Record<string, string> = {
  created: "record.created",
  updated: "record.updated",
  deleted: "record.deleted",
  status_updated: "status.changed",
};

/** `lead.created` is a record that is created. */
function ofEvent(name: string): Trigger | null {
  const [object_type, action, ...rest] = name.split(".");
  const type = happenings[action ?? ""];
  if (type === undefined || rest.length > 0 || eventPattern(name) === null) return null;
  return { type, config: { object_type } };
}
