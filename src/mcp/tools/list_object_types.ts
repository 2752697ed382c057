// `list_object_types`: what the generic tools can reach.
import { z } from "zod";
import type { Verb } from "../../core/operation.ts";
import type { ObjectType } from "../object_types.ts";
import { tool } from "../tool.ts";

export const listObjectTypes = tool({
  name: "list_object_types",
  doc: "Names every object type of the generic tools, with what can be done to it. Ask once, then describe_fields for the type you need.",
  scope: "read",
  input: {},
  output: { types: z.record(z.string(), z.string()), actions: z.record(z.string(), z.string()) },
  async run({ types, actor }) {
    const shown = [...types.values()].map((type) => ({ type, can: verbs.filter((verb) => isAllowed(type, verb, actor)) }));
    const named = (isRecord: boolean) => shown.filter(({ type, can }) => can.length > 0 && (type.resource !== null) === isRecord);
    const records = named(true).map(({ type, can }) => [
      type.name,
      beginning(`${can.join(" ")}: ${type.resource!.doc.split(".")[0]}`),
    ]);
    const actions = named(false).map(({ type, can }) => [type.name, can.join(" ")]);
    const text = [...records, ...actions].map(([name]) => name).join(", ");
    return { structured: { types: Object.fromEntries(records), actions: Object.fromEntries(actions) }, text };
  },
});

const most = 100;

/** Whole words. */
const beginning = (text: string): string => (text.length <= most ? text : `${text.slice(0, most).replace(/[\s,:]*\S*$/, "")} …`);

const verbs: readonly Verb[] = ["list", "get", "create", "update", "delete"];

function isAllowed(type: ObjectType, verb: Verb, { permissions }: { permissions: ReadonlySet<string> }): boolean {
  const operation = type.operations[verb];
  return operation !== undefined && (operation.permission === "member" || permissions.has(operation.permission));
}
