// What a page says of its operations, taken from their description.
import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Operation } from "../core/operation.ts";
import { purposeAndBehaviour } from "../http/about_operation.ts";
import { buildDescription } from "../http/openapi.ts";
import { type Parameter, shapes } from "./filters.ts";
import { type Member, membersOf, type Resolve, resolveIn, type Schema } from "./schemas.ts";
import type { Request } from "./snippets.ts";

/** A request and its answer, as a test sent and received them. */
export interface Example {
  request: { path: string; query?: Record<string, string>; body?: unknown };
  response: { status: number; body: unknown };
}

export interface Described {
  operation: Operation;
  /** Longer than the summary: when to use it, and what else it does. */
  description: readonly string[];
  events: readonly string[];
  path: readonly Parameter[];
  shapes: readonly Parameter[];
  query: readonly Parameter[];
  headers: readonly Parameter[];
  body: readonly Member[];
  /** The fields of the records that it answers. */
  record: readonly Member[];
  success: { status: string; doc: string }[];
  errors: readonly string[];
  request: Request;
  /** Null without an example. */
  response: Example["response"] | null;
}

export interface PageModel {
  described: readonly Described[];
  resolve: Resolve;
}

/** What a page says of its operations, from one description of them all. */
export async function modelOf(operations: readonly Operation[]): Promise<PageModel> {
  const description = buildDescription(operations, { version: "" }) as Schema;
  const resolve = resolveIn(description);
  const examples = await knownExamples();
  const described: Described[] = [];
  for (const operation of operations) {
    await nextTurn();
    const said = description.paths[operation.path][operation.method.toLowerCase()];
    described.push(describe(operation, said, resolve, examples[operation.name]));
  }
  return { described, resolve };
}

let examples: Promise<Record<string, Example>> | undefined;
const file = new URL("../../generated/examples.json", import.meta.url);

const knownExamples = (): Promise<Record<string, Example>> => (examples ??= readFile(file, "utf8").then(JSON.parse, () => ({})));

function describe(operation: Operation, said: Schema, resolve: Resolve, example: Example | undefined): Described {
  const parameters: Parameter[] = said.parameters.map((one: Schema) => {
    const { name, in: place, required = false, description = "", schema } = resolve(one);
    return { name, in: place, required, doc: description, schema };
  });
  const inQuery = parameters.filter((one) => one.in === "query");
  const bodySchema = said.requestBody?.content["application/json"].schema;
  const body = bodySchema === undefined ? [] : membersOf(bodySchema, resolve);
  const answers = Object.entries(said.responses as Record<string, Schema>);
  const content: Schema = Object.values(
    answers.find(([status]) => status === String(operation.status))![1].content ?? {},
  )[0] as Schema;
  const answer = content?.schema ?? {};
  const path = parameters.filter((one) => one.in === "path");
  return {
    operation,
    description: purposeAndBehaviour(operation),
    events: said["x-events"],
    path,
    shapes: inQuery.filter((one) => shapes(one.name)),
    query: inQuery.filter((one) => !shapes(one.name)),
    headers: parameters.filter((one) => one.in === "header"),
    body,
    record: recordOf(answer, resolve),
    success: answers
      .filter(([status]) => Number(status) < 400)
      .map(([status, one]) => ({ status, doc: resolve(one).description })),
    errors: answers.map(([status]) => status).filter((status) => Number(status) >= 400),
    request: requestOf(operation, example),
    response: example?.response ?? null,
  };
}

function recordOf(answer: Schema, resolve: Resolve): Member[] {
  const members = membersOf(answer, resolve);
  const data = members.find((one) => one.name === "data" && members.some((other) => other.name === "has_more"));
  return data === undefined ? members : membersOf(data.schema, resolve);
}

/** Without an example, the address with the names of its places. */
const requestOf = ({ method, path, lasts = false }: Operation, example: Example | undefined): Request => ({
  method,
  query: {},
  body: undefined,
  ...(example?.request ?? { path }),
  lasts,
});
