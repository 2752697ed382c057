// An operation is one thing that a caller can do. Routes, the API description, permissions and tests all follow from the list of
// them.
import type { Readable } from "node:stream";
import { z } from "zod";
import type { Received } from "../services/storage.ts";
import { hint, reasons } from "../values/reasons.ts";
import { type UnknownKey, unknownWithin } from "../values/unknown_keys.ts";
import type { Ctx, Scope } from "./context.ts";
import { type FieldErrors, invalid, refuse } from "./errors.ts";
import type { Permission } from "./permissions.ts";
import type { Create, Patch, Resource, Row } from "./resource.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";
export type RateGroup = "read" | "write" | "search" | "report" | "bulk" | "ai" | "auth";

/** A request before it is understood. Query values are text, as they came. */
export interface Given {
  params: Record<string, string>;
  query: Record<string, string>;
  body: Record<string, unknown>;
  /** Unknown body fields, at any depth, are refused rather than reported. */
  strict: boolean;
  /** Bytes that came with the request, of an operation that takes them. */
  upload?: Upload;
}

/** What an upload may have: 20 MB. */
export const uploadBytesMax = 20 * 1024 * 1024;

/** Bytes as they came with a request, taken in already: a file of a form, or the base64 text of a JSON field. */
export interface Upload {
  /** The field that brought them. */
  field: string;
  /** What a form says of its file. */
  name: string | null;
  mime: string | null;
  received: Received;
}

/** What an operation made ready before its transaction begins. */
export interface Prepared<T = any> {
  /** Handed to `run` behind the input. */
  ready: T;
  /** Called when all is over: removes what the transaction did not make use of. */
  settle(): Promise<void>;
}

/** What a 304 says. */
export const unchanged = "It is as `If-None-Match` knows it.";

/** A query parameter, for the description and for the list of what a path knows. */
export interface Parameter {
  name: string;
  doc: string;
  schema: z.ZodType;
}

export interface Operation<I = any> {
  /** `lead.create`: the resource, a dot, the verb. */
  name: string;
  method: Method;
  /** Below `/api/v1`, with its slash: `/lead/{id}/`. */
  path: string;
  /** One sentence for a stranger. */
  doc: string;
  /** What the caller's role must hold; `member` for what every active member may do. */
  permission: Permission | "member";
  group: RateGroup;
  scope: Scope;
  /** Served although the account is past due. */
  pastDue: boolean;
  /** False for what calls the outside world: it opens its own short transactions. */
  transaction: boolean;
  /** False keeps it from agents (identity and administration). */
  mcp: boolean;
  status: 200 | 201;
  /** Other statuses it answers when all is well, and what each says. */
  otherwise?: Readonly<Record<number, string>>;
  parameters: readonly Parameter[];
  /** The schema of the body, null where there is none. */
  body: z.ZodType | null;
  /** The schema of the answer: the description shows it, tests check every answer against it. */
  output: z.ZodType;
  resource: Resource | null;
  verb: Verb | null;
  /** How records are written, of an operation that is one of the five verbs. */
  verbs?: Partial<Verbs>;
  /** Its body says what it is done to: an unknown field, which would widen that, is always refused. */
  narrows?: boolean;
  /** Takes a file: a form with a part `file`, or JSON with `content_base64` of any length. They are read as a stream into `Given.upload`. */
  upload?: boolean;
  parse(ctx: Ctx, given: Given): Parsed<I>;
  /** Runs before the transaction begins: for what comes from outside, and must be at hand within. */
  prepare?(ctx: Ctx, input: any, upload: Upload | null): Promise<Prepared>;
  run(ctx: Ctx, input: I, ready?: any): Promise<unknown>;
}

export type Verb = "list" | "create" | "get" | "update" | "delete";

/** How records of a resource are written: by requests, bulk work and automations alike. */
export interface Verbs<R extends Resource = any> {
  create(ctx: Ctx, input: Create<R>, extras?: Extras): Promise<Row<R>>;
  update(ctx: Ctx, before: Row<R>, patch: Patch<R>, extras?: Extras): Promise<Row<R>>;
  delete(ctx: Ctx, before: Row<R>, extras?: Extras): Promise<void>;
  /** Locks a record that is going to be changed or deleted, or throws a 404. */
  lock(ctx: Ctx, id: string): Promise<Row<R>>;
}

/** What only a request brings: the query parameters that are the verb's own, and what was made ready before the transaction. */
export interface Extras {
  query: Record<string, string>;
  ready: any;
}

/** Understood input, and the names of body fields that meant nothing here. */
export interface Parsed<I> {
  input: I;
  ignored: readonly string[];
}

/** JSON that is finished already; it is sent as it is. */
export class JsonText {
  readonly text: string;
  /** The record's version where the answer is a single record, for its `ETag`. */
  readonly version: number | null;

  constructor(text: string, version: number | null = null) {
    this.text = text;
    this.version = version;
  }
}

/** An answer that is not JSON: a file, a page, a table as CSV. A stream is sent as it comes; its length is told where it is known. */
export class Content {
  readonly type: string;
  readonly body: string | Buffer | Readable;
  /** Further headers, by their lower-case names. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(type: string, body: string | Buffer | Readable, headers: Readonly<Record<string, string>> = {}) {
    this.type = type;
    this.body = body;
    this.headers = headers;
  }
}

type Shape = Record<string, z.ZodType>;

export interface OperationWords<S extends Shape> {
  name: string;
  method: Method;
  path: string;
  doc: string;
  permission: Permission | "member";
  /** Path, query and body fields together. Path fields are named in `path`; a GET's and DELETE's others come by query. */
  input: S;
  /** Fields of a POST or PUT that come by query instead of the body. */
  inQuery?: readonly (keyof S & string)[];
  /** Fields that answers show: sent back they are no mistake, and are not taken. */
  readOnly?: readonly string[];
  output: z.ZodType;
  group?: RateGroup;
  scope?: Scope;
  status?: 200 | 201;
  otherwise?: Readonly<Record<number, string>>;
  pastDue?: boolean;
  transaction?: boolean;
  mcp?: boolean;
  narrows?: boolean;
  upload?: boolean;
  prepare?(ctx: Ctx, input: any, upload: Upload | null): Promise<Prepared>;
  run(ctx: Ctx, input: z.output<z.ZodObject<S>>, ready?: any): Promise<unknown>;
}

/** Declares something other than one of the five verbs. */
export function operation<S extends Shape>(words: OperationWords<S>): Operation<z.output<z.ZodObject<S>>> {
  const inPath = pathFields(words.path);
  const hasBody = words.method === "POST" || words.method === "PUT";
  const byQuery = (name: string) => !inPath.includes(name) && (!hasBody || words.inQuery?.includes(name) === true);
  const queryNames = Object.keys(words.input).filter(byQuery);
  const bodyNames = Object.keys(words.input).filter((name) => !inPath.includes(name) && !byQuery(name));
  const schema = z.object(words.input);
  const { readOnly = [], ...rest } = words;
  const body = z.object(pick(words.input, bodyNames));

  return {
    group: words.method === "GET" ? "read" : "write",
    scope: words.method === "GET" ? "read" : words.method === "DELETE" ? "write_destructive" : "write_safe",
    status: 200,
    pastDue: words.method === "GET",
    transaction: words.method !== "GET",
    mcp: true,
    ...rest,
    resource: null,
    verb: null,
    parameters: queryNames.map((name) => ({
      name,
      doc: words.input[name]!.description ?? "",
      schema: words.input[name]!,
    })),
    body: hasBody ? body : null,
    parse(_ctx, given) {
      refuseUnknownParameters(given.query, queryNames);
      const unknown = unknownWithin(body, given.body).filter(({ place }) => !readOnly.includes(place));
      const ignored = reportUnknown(unknown, given.strict);
      const result = schema.safeParse(
        { ...given.body, ...pick(given.query, queryNames), ...given.params },
        { reportInput: true },
      );
      if (!result.success) throw invalid(reasons(result.error));
      return { input: result.data, ignored };
    },
  };
}

export const pathFields = (path: string): string[] => [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]!);

function pick<T>(from: Record<string, T>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]!]));
}

/** A filter that is silently dropped answers another question, so a parameter the path does not have is refused. */
export function refuseUnknownParameters(query: Record<string, string>, known: readonly string[] | ReadonlySet<string>): void {
  const has = Array.isArray(known) ? new Set<string>(known) : (known as ReadonlySet<string>);
  const fields: FieldErrors = {};
  for (const name of Object.keys(query)) {
    if (has.has(name) || name === "_fields") continue;
    fields[name] = has.size === 0 ? "is not known here; this path takes no parameters" : `is not known here${hint(name, has)}`;
  }
  refuse(fields);
}

/** Answers the places to report. Under `strict` they are refused, each with the nearest name that is known. */
export function reportUnknown(found: readonly UnknownKey[], strict: boolean): string[] {
  if (found.length === 0) return [];
  const refused = strict ? found : found.filter((one) => one.always);
  if (refused.length > 0) throw invalid(Object.fromEntries(refused.map((one) => [one.place, unknownReason(one)])));
  return found.map(({ place }) => place);
}

const unknownReason = ({ place, known }: UnknownKey): string =>
  `is not a field of this request${hint(place.slice(place.lastIndexOf(".") + 1), known)}`;
