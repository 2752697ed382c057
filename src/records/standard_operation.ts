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

/** What the caller's role must hold. `member` is what every active member may do. */
type Required = Permission | "member";

/** One for all verbs, or one for `list` and `get`, one for the others, and exceptions by name. There is no default. */
export type StandardPermissions = Required | ({ read: Required; write: Required } & Partial<Record<Verb, Required>>);

/** What one operation says of its own: data, and what is made ready before its transaction. Nothing here runs around the verb. */
interface Particular extends Partial<Pick<Operation, "doc" | "otherwise" | "pastDue" | "upload" | "prepare">> {
  /** Query parameters of its own, which the verb is handed; one of a usual name takes that one's place in the description. */
  parameters?: readonly Parameter[];
  output?: () => z.ZodType;
}

/** What a record shows where it is answered by itself (read, created, changed), and lists leave out. */
export interface Alone {
  output?: () => z.ZodType;
  add(ctx: Ctx, id: string, record: JsonText, fields: readonly string[] | null): Promise<JsonText>;
}

export type Particulars = Partial<Record<Verb, Particular>> & { alone?: Alone };

/** What an operation is made of. */
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
    mcp: of.mcp !== false,
    narrows: verb === "create" && of.narrows === true,
    status: verb === "create" ? 201 : 200,
    resource: of,
    verb,
    verbs,
    ...own,
  };
}

const isWrite = (verb: Verb) => verb !== "list" && verb !== "get";

export const noun = (of: Resource) => of.name.replaceAll("_", " ");

export const fieldsParameter: Parameter = {
  name: "_fields",
  doc: "Only these fields of each record, separated by commas.",
  schema: z.string(),
};

/** The usual parameters with the operation's own. */
export function parametersOf({ particulars }: Standard, verb: Verb, usual: readonly Parameter[]): Parameter[] {
  const own = particulars[verb]?.parameters ?? [];
  const further = own.filter(({ name }) => !usual.some((one) => one.name === name));
  return [...usual.map((one) => own.find(({ name }) => name === one.name) ?? one), ...further];
}

/** The values of the operation's own parameters; any other is refused. */
export function readOwn({ particulars }: Standard, verb: Verb, query: Record<string, string>): Record<string, string> {
  const names = (particulars[verb]?.parameters ?? []).map(({ name }) => name);
  refuseUnknownParameters(query, names);
  return Object.fromEntries(Object.entries(query).filter(([key]) => names.includes(key)));
}

/** The schema of a record that is answered by itself. */
export const singleSchema = ({ of, particulars }: Standard, verb: Verb): z.ZodType =>
  (particulars[verb]?.output ?? particulars.alone?.output)?.() ?? outputSchema(of);
