// An operation is one thing that a caller can do. Routes, the API description, permissions and tests all follow from the list of
// operations.
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
export type RateGroup = "read" | "write" | "search" | "report" | "bulk" | "ai";
/** What is asked without a key: `link` is an address that is a secret itself, and `auth` all that has no other. */
export type OpenGroup = "auth" | "oauth" | "sign_in" | "hook" | "provider" | "link";

/** A request before it is parsed. Query values are text, as they came. */
export interface Given {
  params: Record<string, string>;
  query: Record<string, string>;
  body: Record<string, unknown>;
  /** Unknown body fields, at any depth, are refused rather than reported. */
  strict: boolean;
  /** The file that came with the request, if the operation takes one. */
  upload?: Upload;
}

/** A file that came with a request and is received already: a part of a form, or the base64 text of a JSON field. */
export interface Upload {
  /** The field that held it. */
  field: string;
  /** The name and type that a form gives its file. */
  name: string | null;
  mime: string | null;
  received: Received;
}

/** What an operation made ready before its transaction. */
export interface Prepared<T = any> {
  /** Handed to `run` after the input. */
  ready: T;
  /** Called at the end, whatever happened: removes what the transaction did not use. */
  settle(): Promise<void>;
}

/** What a 304 means, for the description. */
export const unchanged = "It is as `If-None-Match` knows it.";

/** A query parameter, for the description and for the check of unknown parameters. */
export interface Parameter {
  name: string;
  doc: string;
  schema: z.ZodType;
  /** By default it may be left out. */
  required?: boolean;
}

export interface Operation<I = any> {
  /** `lead.create`: the resource, a dot, the verb. */
  name: string;
  method: Method;
  /** Below `/api/v1`, with its slash: `/lead/{id}/`. */
  path: string;
  /** One sentence for a stranger. */
  doc: string;
  /** The permission that the caller's role must hold; `member` when every active member may. */
  permission: Permission | "member";
  group: RateGroup;
  scope: Scope;
  /** Served even when the account is past due. */
  pastDue: boolean;
  /** False for what calls the outside world: it opens its own short transactions. */
  transaction: boolean;
  /** False keeps it from agents (identity and administration). */
  mcp: boolean;
  /** What it makes or shows would work on after a connection by OAuth has ended, so that no connection may do it. */
  outlasts?: boolean;
  status: 200 | 201;
  /** Other statuses of a successful answer, and what each means. */
  otherwise?: Readonly<Record<number, string>>;
  parameters: readonly Parameter[];
  /** The schema of the body; null for none. */
  body: z.ZodType | null;
  /** The schema of the answer: the description shows it, tests check every answer against it. */
  output: z.ZodType;
  resource: Resource | null;
  verb: Verb | null;
  /** How records of the resource are written, for an operation that is one of the five verbs. */
  verbs?: Partial<Verbs>;
  /** Its body takes `dry_run`, and it answers a preview of its own then. */
  previews?: boolean;
  /** Its body selects the records it acts on, or bounds what somebody may do. An unknown field could mean less, so it is always refused. */
  narrows?: boolean;
  /** Its answer is a `LiveBody`, which may run for hours: the gate does not count it, and `ctx.lasting` checks the caller again. */
  lasts?: boolean;
  /** Takes a file of at most so many bytes: a form with a part `file`, or JSON with `content_base64` of any length. They are read as a stream into `Given.upload`. */
  upload?: number;
  parse(ctx: Ctx, given: Given): Parsed<I>;
  /** Runs before the transaction, and fetches from outside what the transaction needs. */
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

/** What only a request has: the query parameters that are the verb's own, and what was made ready before the transaction. */
export interface Extras {
  query: Record<string, string>;
  ready: any;
}

/** The parsed input, and the names of body fields that are unknown here. */
export interface Parsed<I> {
  input: I;
  ignored: readonly string[];
}

/** JSON that is finished and is sent as it is. */
export class JsonText {
  readonly text: string;
  /** The version of a single record, for its `ETag`; null for other answers. */
  readonly version: number | null;

  constructor(text: string, version: number | null = null) {
    this.text = text;
    this.version = version;
  }
}

/** An answer that is not JSON: a file, a page, a table as CSV. A stream is sent as it comes. */
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

type Said =
  | "name"
  | "method"
  | "path"
  | "doc"
  | "permission"
  | "output"
  | "otherwise"
  | "outlasts"
  | "previews"
  | "narrows"
  | "lasts"
  | "upload"
  | "prepare";
/** What follows from the method unless a definition says it. */
type Usual = "group" | "scope" | "status" | "pastDue" | "transaction" | "mcp";

export interface OperationWords<S extends Shape> extends Pick<Operation, Said>, Partial<Pick<Operation, Usual>> {
  /** Path, query and body fields together. `path` names the path fields; the others of a GET or DELETE come in the query. */
  input: S;
  /** Fields of a POST or PUT that come in the query instead of the body. */
  inQuery?: readonly (keyof S & string)[];
  /** Fields that answers show. A client may send them back; they are ignored. */
  readOnly?: readonly string[];
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
      required: !words.input[name]!.safeParse(undefined).success,
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

/** Refuses a parameter that the path does not have: a filter that is silently dropped would answer another question. */
export function refuseUnknownParameters(query: Record<string, string>, known: readonly string[] | ReadonlySet<string>): void {
  const has = Array.isArray(known) ? new Set<string>(known) : (known as ReadonlySet<string>);
  const fields: FieldErrors = {};
  for (const name of Object.keys(query).filter((one) => !has.has(one) && one !== "_fields")) {
    const near = Object.keys(fields).length < hintsMost ? hint(name, has) : "";
    fields[name] = has.size === 0 ? "is not known here; this path takes no parameters" : `is not known here${near}`;
  }
  refuse(fields);
}

/** Returns the places to report. Under `strict` it refuses them, each with the nearest name that is known. */
export function reportUnknown(found: readonly UnknownKey[], strict: boolean): string[] {
  if (found.length === 0) return [];
  const refused = strict ? found : found.filter((one) => one.always);
  if (refused.length > 0)
    throw invalid(Object.fromEntries(refused.map((one, i) => [one.place, unknownReason(one, i < hintsMost)])));
  return found.map(({ place }) => place);
}

/** To find the nearest name takes milliseconds, and a request can have thousands of names. */
const hintsMost = 20;

const unknownReason = ({ place, known }: UnknownKey, hints: boolean): string =>
  `is not a field of this request${hints ? hint(place.slice(place.lastIndexOf(".") + 1), known) : ""}`;
