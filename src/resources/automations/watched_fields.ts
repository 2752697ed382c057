// Which fields start an automation when they change, and which of them its steps write.
import { isItself, isObject } from "./config.ts";
import type { Step } from "./graph_shape.ts";
import type { Trigger } from "./trigger.ts";

/** Whether a change of this field starts it. */
export function isWatched({ type, config }: Trigger, name: string): boolean {
  if (type === "field.changed") return config.field === name;
  return type === "record.updated" && (!Array.isArray(config.fields) || config.fields.includes(name));
}

/** The fields of the record of the run that a step writes. */
export function writtenBy({ type, config }: Step): string[] {
  if (type !== "record.update" || !isObject(config.fields) || !isItself(config.target)) return [];
  return Object.keys(config.fields);
}
