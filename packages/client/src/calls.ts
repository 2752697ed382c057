// The types of calls, from the description of the API.
import type { OwnFields } from "./own_fields.ts";
import type { components, paths } from "./schema.d.ts";

export type Method = "get" | "post" | "put" | "delete";

/** The paths that have this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O } ? O : never;

/** What the description leaves open for custom fields takes them and nothing else, so that a misspelt name is an error. */
type Named<T> = T extends readonly unknown[] ? T : T extends object ? Known<T> & (string extends keyof T ? Custom : unknown) : T;
type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] };
type Custom = { [K in `custom.${string}`]?: unknown };

type PathOfCall<O> = O extends { parameters: { path: infer A } } ? { path: A } : { path?: never };

type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? Known<NonNullable<Q>> & Custom : never;
type QueryOfCall<O> = O extends { parameters: { query: unknown } } ? { query: QueryOf<O> } : { query?: QueryOf<O> };

type BodyOf<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? Named<B> : never;
type BodyOfCall<O> = O extends { requestBody: unknown } ? { body: BodyOf<O> } : { body?: BodyOf<O> };

interface Common {
  /** Such as `if-match`, or an `idempotency-key` of your own. */
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Path, query and body of a call. */
export type Given<P extends keyof paths, M extends Method> = Common &
  PathOfCall<Operation<P, M>> &
  QueryOfCall<Operation<P, M>> &
  BodyOfCall<Operation<P, M>>;

/** It may be left out where nothing of it is required. */
export type Rest<Of> = Record<never, never> extends Of ? [given?: Of] : [given: Of];

export interface DryRun {
  query: { dry_run: true };
}

type Json<R> = R extends { content: { "application/json": infer T } } ? T : unknown;

/** What is answered when nothing is refused. */
type Done<O> = O extends { responses: infer R }
  ? 201 extends keyof R
    ? Json<R[201]>
    : 200 extends keyof R
      ? Json<R[200]>
      : 202 extends keyof R
        ? Json<R[202]>
        : unknown
  : never;

export type Answer<P extends keyof paths, M extends Method> = WithOwn<P, Done<Operation<P, M>>>;

/** What a write would do, with `dry_run: true`. */
export type Tried = components["schemas"]["dry_run"];

type WithOwn<P, T> = T extends { data: (infer Item)[] } ? Omit<T, "data"> & { data: (Item & OwnFields<P>)[] } : T & OwnFields<P>;

/** The lists, and what they list. */
export type ListPath = {
  [P in PathOf<"get">]: Done<Operation<P, "get">> extends { data: unknown[] } ? P : never;
}[PathOf<"get">];

export type Item<P extends ListPath> = Answer<P, "get"> extends { data: (infer T)[] } ? T : never;

/** The paths of a record that can be read and changed. */
export type RecordPath = PathOf<"get"> & PathOf<"put">;

export type RecordOf<P extends RecordPath> = Given<P, "get">["path"];

/** What a record can be changed to. */
export type ChangesOf<P extends RecordPath> = BodyOf<Operation<P, "put">>;

export type Event = components["schemas"]["event"];
