// The API description, OpenAPI 3.1, made from the operations. The same operations always make the same text, because it is
// compared with `generated/openapi.json`.
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { statuses } from "../core/errors.ts";
import { type Method, type Operation, type Parameter, pathFields, unchanged } from "../core/operation.ts";
import { canBeTried, dryRunAnswer } from "../records/dry_run.ts";
import { aboutOperation, eventsOf } from "./about_operation.ts";
import { type PrefixOf, withExamples } from "./field_examples.ts";
import { addPage } from "./pages.ts";
import { answer } from "./reply.ts";
import { apiPrefix } from "./rest.ts";
import type { Service } from "./service.ts";

type Json = Record<string, unknown>;

/** Serves the description without a key. If there is no prepared text it is made on the first request, in half a second of CPU. */
export function addDescription(server: FastifyInstance, service: Service): void {
  const { operations, version, description } = service.app;
  let made: string | undefined;
  addPage(server, service, {
    path: `${apiPrefix}/openapi.json`,
    name: "openapi",
    group: "auth",
    async show(x) {
      if (description) answer(x, 200, await description());
      else answer(x, 200, (made ??= JSON.stringify(buildDescription(operations, { version }))));
    },
  });
}

export function buildDescription(operations: readonly Operation[], { version }: { version: string }): object {
  const sorted = [...operations].sort((a, b) => compare(a.path, b.path) || order.indexOf(a.method) - order.indexOf(b.method));
  const schemas = resourceSchemas(sorted);
  const share = sharedSchemas(schemas);
  const prefixOf = prefixesOf(sorted);
  const queries = new Map(sorted.map((operation) => [operation, queryParameters(operation)]));
  const parameters = sharedParameters([...queries.values()].flat());
  const paths: Record<string, Json> = {};
  for (const operation of sorted)
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = described(
      operation,
      (schema) => withExamples(share(schema) as Json, ownerOf(operation), prefixOf),
      queries.get(operation)!.map(parameters.find),
    );

  return {
    openapi: "3.1.0",
    info: {
      title: "Headwater",
      version,
      description: introduction,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: apiPrefix }],
    security: [{ key: [] }, { token: [] }],
    tags: [...new Set(sorted.map(tagOf))].map((name) => ({ name, description: tagDoc(name, sorted) })),
    paths,
    components: {
      securitySchemes,
      schemas: {
        error: errorSchema,
        dry_run: schemaOf(dryRunAnswer, "output"),
        ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withExamples(schema, name, prefixOf)])),
      },
      parameters: { ...headerParameters, ...parameters.components },
      headers: responseHeaders,
      responses: errorResponses(),
    },
  };
}

const introduction = [
  "A sales CRM that other software and agents run on.",
  "Every path ends in a slash and is served without it too. A list returns `data` and `has_more`.",
  "An update changes only the fields it names; `null` clears.",
  "A refusal returns `error` and, by field, `field-errors`.",
].join(" ");

const order: readonly Method[] = ["GET", "POST", "PUT", "DELETE"];
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const tagOf = (operation: Operation) => operation.path.split("/")[1]!;

/** What the operations of a tag are about: the resource at its path, or else these words. */
const tagDoc = (tag: string, operations: readonly Operation[]): string =>
  operations.find(({ resource }) => resource?.path === `/${tag}`)?.resource?.doc ?? tagDocs[tag] ?? "";

const tagDocs: Record<string, string> = {
  ai: "What a language model writes or finds for a person.",
  automation_condition_types: "The catalog of conditions of automations.",
  automation_schema: "The JSON Schema of an automation's graph.",
  automation_step_types: "The catalog of steps of automations.",
  automation_trigger_types: "The catalog of triggers of automations.",
  change_set: "What was changed together, and is undone together.",
  credentials: "Keys of other services, which enrichment, lists and mailing exports use.",
  custom_field: "Fields that an organization adds to its records.",
  custom_field_schema: "All fields of a kind of record, its own and the custom ones.",
  data: "Search by a tree of conditions.",
  me: "The caller: user, organization, role, permissions.",
  report: "Numbers over activities, deals and statuses.",
  status: "The statuses of leads and of opportunities.",
};

const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

// --- one operation ---

const ownerOf = ({ name, resource }: Operation): string => resource?.name ?? name.slice(0, name.indexOf("."));

/** `finish` shares what is shared, and gives examples to the rest. */
function described(operation: Operation, finish: (schema: Json) => Json, query: readonly Json[]): Json {
  const { body } = operation;
  const output = finish(schemaOf(operation.output, "output"));
  return {
    operationId: operation.name,
    summary: operation.doc,
    description: aboutOperation(operation),
    tags: [tagOf(operation)],
    "x-permission": operation.permission,
    "x-scope": operation.scope,
    "x-rate-limit": operation.group,
    "x-events": eventsOf(operation),
    parameters: [
      ...pathFields(operation.path).map(pathParameter),
      ...query,
      ...headersOf(operation).map((name) => reference("parameters", name)),
    ],
    ...(body && { requestBody: requestBody(finish(schemaOf(body, "input"))) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answersOf(operation)).map(([status, description]) => [
          status,
          // An error has nothing of the operation's output.
          {
            description,
            ...(Number(status) < 300 && { headers: successHeaders(operation), content: contentOf(operation, output) }),
          },
        ]),
      ),
      ...(triesApart(operation) && { 200: tried }),
      ...Object.fromEntries(errorsOf(operation).map((status) => [status, reference("responses", String(status))])),
    },
  };
}

function answersOf({ verb, status, otherwise }: Operation): Record<number, string> {
  const whenKnown: Record<number, string> = verb === "get" ? { 304: unchanged } : {};
  return { [status]: status === 201 ? "Created" : "OK", ...whenKnown, ...otherwise };
}

/** A dry run of what otherwise answers 201 has a status of its own. That of an update or deletion is described by its parameter. */
const triesApart = (operation: Operation): boolean =>
  canBeTried(operation) && !operation.previews && !("200" in answersOf(operation));

const contentOf = ({ lasts }: Operation, schema: unknown): Json => (lasts ? { "text/event-stream": { schema } } : json(schema));

const json = (schema: unknown): Json => ({ "application/json": { schema } });

const tried: Json = {
  description: "With `dry_run=true`: what it would answer.",
  content: json(reference("schemas", "dry_run")),
};

/** Every status that an operation may answer. */
export const statusesOf = (operation: Operation): number[] => [
  ...Object.keys(answersOf(operation)).map(Number),
  ...(triesApart(operation) ? [200] : []),
  ...errorsOf(operation),
];

function requestBody(schema: Json): Json {
  const required = Array.isArray(schema.required) && schema.required.length > 0;
  return { required, content: json(schema) };
}

const pathParameter = (name: string): Json => ({ name, in: "path", required: true, schema: { type: "string" } });

function queryParameters(operation: Operation): Json[] {
  const known = operation.parameters.map(
    ({ name, doc, schema, required = false }: Parameter): Json => ({
      name,
      in: "query",
      required,
      ...(doc !== "" && { description: doc }),
      schema: schemaOf(schema, "input"),
    }),
  );
  const lacksFields = operation.method === "GET" && !operation.parameters.some(({ name }) => name === "_fields");
  if (lacksFields) return [...known, fieldsParameter];
  return canBeTried(operation) ? [...known, dryRunParameter] : known;
}

const dryRunParameter: Json = {
  name: "dry_run",
  in: "query",
  required: false,
  description:
    "`true` only tries it: everything is checked and done, and undone again. The answer is 200 with the schema `dry_run`, or the preview of an operation that has one.",
  schema: { type: "boolean" },
};

const fieldsParameter: Json = {
  name: "_fields",
  in: "query",
  required: false,
  description: "Only these fields of each record, separated by commas.",
  schema: { type: "string" },
};

const writes = (operation: Operation) => operation.method === "POST" || operation.method === "PUT";
const changes = (operation: Operation) => operation.method === "PUT" || operation.method === "DELETE";

const headersOf = (operation: Operation): string[] => [
  ...(writes(operation) ? ["Idempotency-Key", "Prefer"] : []),
  ...(changes(operation) ? ["If-Match"] : []),
  ...(operation.verb === "get" ? ["If-None-Match"] : []),
  ...(operation.lasts ? ["Last-Event-ID"] : []),
  ...(canBeTried(operation) ? ["x-change-set"] : []),
  "x-tz-offset",
];

const successHeaders = (operation: Operation): Json => ({
  "x-request-id": reference("headers", "x-request-id"),
  ...(["get", "create", "update"].includes(operation.verb ?? "") && { etag: reference("headers", "etag") }),
  ...(operation.verb === "create" && { location: reference("headers", "location") }),
});

function errorsOf(operation: Operation): number[] {
  const always = [400, 401, 403, 404, 405, 429, 500, 503];
  return [
    ...always,
    ...(operation.method === "GET" ? [] : [402]),
    ...(writes(operation) ? [409, 422] : []),
    ...(changes(operation) ? [412] : []),
  ].sort((a, b) => a - b);
}

// --- schemas ---

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any", reused: "inline", override }) as Json;
  return rest;
}

/** Any value or null is any value. */
function override({ jsonSchema }: { jsonSchema: Json }): void {
  const { anyOf } = jsonSchema as { anyOf?: Json[] };
  if (anyOf?.some((one) => Object.keys(one).length === 0)) delete jsonSchema.anyOf;
}

/** The schema of each resource by its name, as one of its verbs answers it. */
function resourceSchemas(operations: readonly Operation[]): Record<string, Json> {
  const found = new Map<string, Json>();
  for (const { resource, verb, output } of operations) {
    if (resource === null || verb === null || verb === "delete" || found.has(resource.name)) continue;
    const schema = schemaOf(output, "output");
    const record = verb === "list" ? (schema as any).properties?.data?.items : schema;
    // A list that also shows another kind of record does not tell the schema of this one.
    const isAnother = record?.anyOf !== undefined && resource.kinds === undefined;
    if (record !== undefined && !isAnother) found.set(resource.name, record);
  }
  return Object.fromEntries([...found].sort(([a], [b]) => compare(a, b)));
}

/** The prefixes of ids, by the names of resources. */
function prefixesOf(operations: readonly Operation[]): PrefixOf {
  const prefixes = new Map(operations.flatMap(({ resource }) => (resource === null ? [] : [[resource.name, resource.prefix]])));
  return (name) => prefixes.get(name);
}

/** Replaces schemas that equal a resource's by references. */
function sharedSchemas(schemas: Record<string, Json>): (schema: unknown) => unknown {
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]));
  return function share(schema: unknown): unknown {
    if (typeof schema !== "object" || schema === null) return schema;
    if (Array.isArray(schema)) return schema.map(share);
    const name = "properties" in schema || "anyOf" in schema ? names.get(JSON.stringify(schema)) : undefined;
    if (name !== undefined) return reference("schemas", name);
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, share(value)]));
  };
}

/** Parameters that three or more operations describe alike become components. */
function sharedParameters(parameters: readonly Json[]): { components: Json; find: (parameter: Json) => Json } {
  const counts = new Map<string, number>();
  const components: Json = {};
  const names = new Map<string, string>();
  for (const parameter of parameters) {
    const text = JSON.stringify(parameter);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    const name = parameter.name as string;
    if (count !== 3 || name in components || !/^[\w.-]+$/.test(name)) continue;
    components[name] = parameter;
    names.set(text, name);
  }
  return {
    components: Object.fromEntries(Object.entries(components).sort(([a], [b]) => compare(a, b))),
    find(parameter) {
      const name = names.get(JSON.stringify(parameter));
      return name === undefined ? parameter : reference("parameters", name);
    },
  };
}

// --- what all operations share ---

const securitySchemes = {
  key: { type: "http", scheme: "basic", description: "The API key as the user name, with an empty password." },
  token: { type: "http", scheme: "bearer", description: "An OAuth access token or an API key." },
};

const errorSchema = {
  type: "object",
  description: "Why a request was refused.",
  properties: {
    error: { type: "string", description: "One sentence." },
    "field-errors": {
      type: "object",
      description: "What is wrong, by field; nested places are dotted, as in `emails.0.email`.",
      additionalProperties: { type: "string" },
    },
    errors: {
      type: "array",
      description: "The same reasons with their codes; only where a program is to act on them, as in publishing an automation.",
      items: {
        type: "object",
        properties: {
          code: { type: "string" },
          path: { type: "string" },
          step_id: { type: ["string", "null"] },
          message: { type: "string" },
          severity: { type: "string", enum: ["error", "warning"] },
        },
        required: ["code", "path", "step_id", "message", "severity"],
      },
    },
    rate_reset: { type: "number", description: "Seconds until the whole limit is available again; only on 429." },
  },
  required: ["error", "field-errors"],
};

const header = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
});

const headerParameters: Record<string, Json> = {
  "Idempotency-Key": header(
    "Idempotency-Key",
    "1 to 255 characters of your choice. The same request under the same key has its effect once within 24 hours.",
  ),
  "If-Match": header(
    "If-Match",
    "The `etag` of a read or write. The request is refused with 412 if the record has changed since.",
  ),
  "If-None-Match": header("If-None-Match", "The `etag` of a read or write. The answer is 304 if nothing has changed since."),
  "Last-Event-ID": header("Last-Event-ID", "The `id` of the last event that was received. The stream continues after it."),
  Prefer: header(
    "Prefer",
    "`handling=strict` refuses unknown body fields. Without it they are ignored, and `x-ignored-fields` lists them.",
  ),
  "x-change-set": header(
    "x-change-set",
    "Your name for everything you change in a while, in many requests. `POST /change_set/{id}/undo/` undoes all of it.",
  ),
  "x-tz-offset": header("x-tz-offset", "Hours from UTC, such as `-4` or `5.5`, for dates without a time."),
};

const text = (description: string) => ({ description, schema: { type: "string" } });
const whole = (description: string) => ({ description, schema: { type: "integer" } });

const responseHeaders = {
  "x-request-id": text("Names this request in logs and events."),
  etag: text("The version of the record and a hash of the answer."),
  location: text("The path of the new record."),
  allow: text("The methods this path offers."),
  "retry-after": whole("Seconds to wait."),
  "www-authenticate": text("How to authenticate."),
  "ratelimit-limit": whole("Requests in one window."),
  "ratelimit-remaining": whole("Requests left in this window."),
  "ratelimit-reset": whole("Seconds until the window ends."),
  "ratelimit-policy": text("The group of the limit, its quota `q` and its window `w` in seconds."),
};

const moreHeaders: Record<number, readonly string[]> = {
  401: ["www-authenticate"],
  405: ["allow"],
  409: ["retry-after"],
  429: ["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "ratelimit-policy"],
  503: ["retry-after"],
};

function errorResponses(): Record<string, Json> {
  const response = (status: number, description: string): Json => ({
    description,
    headers: Object.fromEntries(
      ["x-request-id", ...(moreHeaders[status] ?? [])].map((name) => [name, reference("headers", name)]),
    ),
    content: { "application/json": { schema: reference("schemas", "error") } },
  });
  return Object.fromEntries(
    Object.entries(statuses).map(([status, description]) => [status, response(Number(status), description)]),
  );
}
