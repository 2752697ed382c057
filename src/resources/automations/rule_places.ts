// Maps places in a rule's graph back to places in the request body, so that errors name what was sent.
import { type Action, spelled } from "./actions.ts";

interface Said {
  trigger: unknown;
  conditions: readonly { [spelled]?: { operator: string } }[];
  actions: readonly Action[];
}

/**
 * `graph.steps.action_2.config.text` is `actions.1.config.text`. The reason is needed because either the field that is set or its
 * value may be wrong.
 */
export function placeInRule(place: string, reason: string, said: Said): string {
  const [root, ...path] = place.split(".");
  if (root === "filter") return inCondition(path, said.conditions);
  if (root === "graph") return inAction(path, reason, said.actions);
  return typeof said.trigger === "string" ? "trigger" : place;
}

/** `filter.all.0.ref` is `conditions.0.field`. */
function inCondition([, number, key]: string[], conditions: Said["conditions"]): string {
  if (number === undefined) return "conditions";
  const words: Record<string, string> = { ref: "field", op: conditions[Number(number)]?.[spelled]?.operator ?? "operator" };
  return ["conditions", number, ...(key === undefined ? [] : [words[key] ?? key])].join(".");
}

const isAboutTheField = /^(is not a field|cannot be changed)/;

/** `graph.steps.action_1.config.fields.name` is `actions.0.config.value` when `field` and `value` set one field. */
function inAction([, id, ...path]: string[], reason: string, actions: readonly Action[]): string {
  const [kind, number] = id?.split("_") ?? [];
  const index = Number(number) - 1;
  const action = actions[index];
  if (action === undefined) return "actions";
  if (kind === "wait") return `actions.${index}.delay`;
  if (path[0] === "type") return `actions.${index}.type`;

  const [, key, ...within] = path;
  const setsOne = action.type === "set_field" && key === "fields" && action.config.fields === undefined;
  const one = isAboutTheField.test(reason)
    ? ["field"]
    : ["value", ...within.slice(String(action.config.field).split(".").length)];
  const inConfig = setsOne && within.length > 0 ? one : path.slice(1);
  return ["actions", index, action[spelled]?.config ?? "config", ...inConfig].join(".");
}
