// Conditions: trees of `all`, `any` and `not` over the leaves of the catalog. A filter may also be a search query.
import { readQuery } from "../../search/nodes.ts";
import { conditionTypes } from "./condition_types.ts";
import { type Check, checkConfig, isObject, typeNamed } from "./config.ts";

const catalog = new Map(conditionTypes.map((one) => [one.type, one]));
const depthMax = 8;
const leavesMax = 100;

/** Search queries start with one of these members. */
const queryTypes = new Set(["and", "or", "match_all", "object_type", "field_condition", "has_related", "text", "id"]);

export const isQuery = (given: object): boolean => "type" in given && queryTypes.has(given.type as string);

export function checkFilter(check: Check, given: unknown, at: string): void {
  if (!isObject(given)) check.errors[at] = "must be an object";
  else if (isQuery(given)) {
    const { errors } = readQuery(given, at);
    Object.assign(check.errors, errors ?? {});
  } else checkCondition(check, given, at);
}

export function checkCondition(check: Check, given: unknown, at: string): void {
  const leaves = { left: leavesMax };
  checkNode(check, given, at, 1, leaves);
  if (leaves.left < 0) check.errors[at] = `must have ${leavesMax} conditions or fewer`;
}

function checkNode(check: Check, node: unknown, at: string, depth: number, leaves: { left: number }): void {
  if (!isObject(node)) check.errors[at] = "must be an object";
  else if (depth > depthMax) check.errors[at] = `must be nested at most ${depthMax} deep`;
  else if ("type" in node) checkLeaf(check, node, at, depth, leaves);
  else {
    const [word, ...others] = Object.keys(node);
    if (word === undefined && !check.complete) return;
    if (others.length > 0 || !["all", "any", "not"].includes(word ?? ""))
      check.errors[at] = 'must be {"all": […]}, {"any": […]}, {"not": …} or a condition with a type';
    else if (word === "not") checkNode(check, node.not, `${at}.not`, depth + 1, leaves);
    else checkNodes(check, node[word!], `${at}.${word}`, depth, leaves);
  }
}

function checkNodes(check: Check, nodes: unknown, at: string, depth: number, leaves: { left: number }): void {
  if (!Array.isArray(nodes)) check.errors[at] = "must be a list";
  // Larger trees are refused as too large without being read further.
  else nodes.slice(0, leavesMax + 1).forEach((one, i) => checkNode(check, one, `${at}.${i}`, depth + 1, leaves));
}

function checkLeaf(check: Check, node: Record<string, unknown>, at: string, depth: number, leaves: { left: number }): void {
  leaves.left--;
  const of = typeNamed(check, catalog, node.type, at);
  if (of === undefined) return;
  checkConfig(check, of, node, at, { passing: ["type"] });
  if (isObject(node.where)) checkNode(check, node.where, `${at}.where`, depth + 1, leaves);
}
