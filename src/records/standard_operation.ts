// What the operations of the five verbs have in common, and what one of them may add.
import { z } from "zod";
import type { Ctx } from "../core/context.ts";
import {
  type JsonText,
  type Operation,
  type Parameter,
  refuseUnknownParameters,
  type Verb,
  type Verbs,
} from "../core/operation.ts";
import type { Permission } from "../core/permissions.ts";
import type { Resource } from "../core/resource.ts";
import { outputSchema } from "./output_schema.ts";

/** The permission that the caller's role must hold; `member` when every active member may. */
type Required = Permission | "member";

/** One permission for all verbs, or one for `list` and `get` and one for the others, with exceptions by name. There is no default. */
export type StandardPermissions = Required | ({ read: Required; write: Required } & Partial<Record<Verb, Required>>);

/** What is particular to one operation: data, and the preparation before its transaction. Nothing here wraps the verb. */
interface Particular
  extends Partial<Pick<Operation, "doc" | "otherwise" | "outlasts" | "pastDue" | "mcp" | "upload" | "prepare">> {
  /** Query parameters of its own, which the verb receives. One with a usual name replaces the usual one in the description. */
  parameters?: readonly Parameter[];
  output?: () => z.ZodType;
}

/** What a record shows only when it is answered by itself: read, created or changed. */
export interface Alone {
  output?: () => z.ZodType;
  add(ctx: Ctx, id: string, record: JsonText, fields: readonly string[] | null): Promise<JsonText>;
}

export type Particulars = Partial<Record<Verb, Particular>> & { alone?: Alone };

/** The parts that an operation is made of. */
export interface Standard {
  of: Resource;
  verbs: Partial<Verbs>;
  permissions: StandardPermissions;
  particulars: Particulars;
}

type Common = "name" | "permission" | "group" | "scope" | "pastDue" | "transaction" | "mcp" | "narrows" | "status" | "resource";

/** What follows from the resource and the verb. */
export function common(
  { of, verbs, permissions, particulars }: Standard,
  verb: Verb,
): Pick<Operation, Common | "verb" | "verbs"> {
  const write = isWrite(verb);
  const { parameters: _, output: __, ...own } = particulars[verb] ?? {};
  return {
    name: `${of.name}.${verb}`,
    permission: typeof permissions === "string" ? permissions : (permissions[verb] ?? permissions[write ? "write" : "read"]),
    group: write ? "write" : "read",
    scope: verb === "delete" ? "write_destructive" : write ? "write_safe" : "read",
    pastDue: !write,
    transaction: write,
    mcp: of.mcp === "read" ? !write : of.mcp !== false,
    narrows: of.narrows !== undefined && (verb === "create" || (verb === "update" && of.narrows !== "create")),
    status: verb === "create" ? 201 : 200,
    resource: of,
    verb,
    verbs,
    ...own,
  };
}

const isWrite = (verb: Verb) => verb !== "list" && verb !== "get";

export const noun = (of: Resource): string => of.called?.[0] ?? of.name.replaceAll("_", " ");

/** `a lead`, `an opportunity`, `an SMS template`. */
export const aNoun = (of: Resource): string => `${/^([aeio]|un|SMS)/i.test(noun(of)) ? "an" : "a"} ${noun(of)}`;

/** `leads`, `opportunities`. */
export const nouns = (of: Resource): string => of.called?.[1] ?? plural(noun(of));

export const plural = (word: string): string =>
  /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : /(s|x|sh|ch)$/.test(word) ? `${word}es` : `${word}s`;

export const fieldsParameter: Parameter = {
  name: "_fields",
  doc: "Only these fields of each record, separated by commas.",
  schema: z.string(),
};

/** The usual parameters together with the operation's own. */
export function parametersOf({ particulars }: Standard, verb: Verb, usual: readonly Parameter[]): Parameter[] {
  const own = particulars[verb]?.parameters ?? [];
  const further = own.filter(({ name }) => !usual.some((one) => one.name === name));
  return [...usual.map((one) => own.find(({ name }) => name === one.name) ?? one), ...further];
}

/** The values of the operation's own parameters. Any other parameter is refused. */
export function readOwn({ particulars }: Standard, verb: Verb, query: Record<string, string>): Record<string, string> {
  const names = (particulars[verb]?.parameters ?? []).map(({ name }) => name);
  refuseUnknownParameters(query, names);
  return Object.fromEntries(Object.entries(query).filter(([key]) => names.includes(key)));
}

/** The schema of a record that is answered by itself. */
export const singleSchema = ({ of, particulars }: Standard, verb: Verb): z.ZodType =>
  (particulars[verb]?.output ?? particulars.alone?.output)?.() ?? outputSchema(of);
