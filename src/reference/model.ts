// What a page says of its operations, taken from their description.
import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Operation } from "../core/operation.ts";
import { purposeAndBehaviour } from "../http/about_operation.ts";
import { buildDescription } from "../http/openapi.ts";
import { type Parameter, shapes } from "./filters.ts";
import { type Samples, sampleOf, sampleTail } from "./samples.ts";
import { type Member, membersOf, plain, type Resolve, resolveIn, type Schema } from "./schemas.ts";
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
  effects: readonly string[];
  events: readonly string[];
  path: readonly Parameter[];
  shapes: readonly Parameter[];
  query: readonly Parameter[];
  headers: readonly Parameter[];
  body: readonly Member[];
  answer: Schema;
  /** The fields of the records that it answers. */
  record: readonly Member[];
  success: { status: string; doc: string }[];
  errors: readonly string[];
  request: Request;
  /** Made up from its schema, unless a test has recorded it. */
  response: { status: number; body: unknown; isRecorded: boolean } | null;
}

export interface PageModel {
  described: readonly Described[];
  resolve: Resolve;
  samples: Samples;
}

/** Describes the operations one after the other: together they could hold up other requests for a tenth of a second. */
export async function modelOf(operations: readonly Operation[], prefixOf: Samples["prefixOf"]): Promise<PageModel> {
  const components: Schema = {};
  const resolve = resolveIn({ components });
  const samples = { resolve, prefixOf };
  const examples = await knownExamples();
  const described: Described[] = [];
  for (const operation of operations) {
    await nextTurn();
    const one = buildDescription([operation], { version: "" }) as Schema;
    for (const [kind, known] of Object.entries(one.components as Schema)) components[kind] = { ...known, ...components[kind] };
    const said = one.paths[operation.path][operation.method.toLowerCase()];
    described.push(describe(operation, said, samples, examples[operation.name]));
  }
  return { described, resolve, samples };
}

let examples: Promise<Record<string, Example>> | undefined;
const file = new URL("../../generated/examples.json", import.meta.url);

const knownExamples = (): Promise<Record<string, Example>> => (examples ??= readFile(file, "utf8").then(JSON.parse, () => ({})));

function describe(operation: Operation, said: Schema, samples: Samples, example: Example | undefined): Described {
  const { resolve } = samples;
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
    effects: said["x-effects"] ?? [],
    events: shownEvents(said["x-events"]),
    path,
    shapes: inQuery.filter((one) => shapes(one.name)),
    query: inQuery.filter((one) => !shapes(one.name)),
    headers: parameters.filter((one) => one.in === "header"),
    body,
    answer,
    record: recordOf(answer, resolve),
    success: answers
      .filter(([status]) => Number(status) < 400)
      .map(([status, one]) => ({ status, doc: resolve(one).description })),
    errors: answers.map(([status]) => status).filter((status) => Number(status) >= 400),
    request: requestOf(operation, path, inQuery, body, bodySchema, samples, example),
    response: responseOf(operation, answer, samples, example),
  };
}

/** Many types that begin and end alike are shown as one. */
function shownEvents(names: readonly string[]): string[] {
  const alike = Map.groupBy(names, (name) => name.replace(/\..*\./, ".…."));
  return [...alike].flatMap(([short, all]) => (all.length > 3 ? [short] : all));
}

function recordOf(answer: Schema, resolve: Resolve): Member[] {
  const members = membersOf(answer, resolve);
  const data = members.find((one) => one.name === "data" && members.some((other) => other.name === "has_more"));
  return data === undefined ? members : membersOf(data.schema, resolve);
}

const ownerOf = ({ name, resource }: Operation): string => resource?.name ?? name.slice(0, name.indexOf("."));

function requestOf(
  operation: Operation,
  path: readonly Parameter[],
  query: readonly Parameter[],
  body: readonly Member[],
  bodySchema: Schema | undefined,
  samples: Samples,
  example: Example | undefined,
): Request {
  const { method, lasts = false } = operation;
  if (example !== undefined) {
    const { path: where, query: asked = {}, body: sent } = example.request;
    return { method, path: where.replace(/^\/api\/v1/, ""), query: asked, body: sent, lasts };
  }
  const owner = ownerOf(operation);
  const value = (one: Parameter) => String(sampleOf(one.name, one.schema, samples, owner));
  const filled = path.reduce((text, one) => text.replace(`{${one.name}}`, value(one)), operation.path);
  const needed = query.filter((one) => one.required).map((one): [string, string] => [one.name, value(one)]);
  const asked = operation.verb === "list" ? { ...Object.fromEntries(needed), _limit: "10" } : Object.fromEntries(needed);
  return { method, path: filled, query: asked, body: bodySchema && sampleBody(operation, body, samples), lasts };
}

/** What must be there, and a few fields that most callers give. */
function sampleBody(operation: Operation, body: readonly Member[], samples: Samples): Record<string, unknown> {
  const few = operation.verb === "update" ? 2 : 5;
  const values = body.map((one) => ({ ...one, value: sampleOf(one.name, one.schema, samples, ownerOf(operation)) }));
  const isTelling = ({ value }: { value: unknown }) =>
    value !== null && value !== "…" && value !== false && !isEmpty(value) && !isMadeUp(value);
  const optional = values.filter(
    (one) => !one.required && isTelling(one) && typeof one.value !== "object" && !one.name.startsWith("if_"),
  );
  const missing = Math.max(0, few - values.filter((one) => one.required).length);
  const chosen = new Set([...values.filter((one) => one.required), ...optional.slice(0, missing)].map((one) => one.name));
  return Object.fromEntries(values.filter((one) => chosen.has(one.name)).map((one) => [one.name, one.value]));
}

/** A made-up id refuses what is copied, so that it is only where there must be one. */
const isMadeUp = (value: unknown): boolean => typeof value === "string" && value.includes(sampleTail);
const isEmpty = (value: unknown): boolean => typeof value === "object" && Object.keys(value as object).length === 0;

function responseOf(operation: Operation, answer: Schema, samples: Samples, example: Example | undefined): Described["response"] {
  if (example !== undefined) return { ...example.response, isRecorded: true };
  if (operation.lasts || plain(answer, samples.resolve).type === undefined) return null;
  return { status: operation.status, body: sampleOf("", answer, samples, ownerOf(operation)), isRecorded: false };
}
