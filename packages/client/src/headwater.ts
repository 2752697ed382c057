import createClient, { type Client } from "openapi-fetch";
import { type Attempts, attempt } from "./attempts.ts";
import type {
  Answer,
  ChangesOf,
  DryRun,
  Event,
  Given,
  Item,
  ListPath,
  Method,
  PathOf,
  RecordOf,
  RecordPath,
  Rest,
  Tried,
} from "./calls.ts";
import { HeadwaterError } from "./error.ts";
import { type Followed, type FollowOptions, follow } from "./events.ts";
import { Quotas } from "./quotas.ts";
import type { paths } from "./schema.d.ts";

export interface HeadwaterOptions {
  /** Where the service is, without `/api/v1`: `http://localhost:4000`. */
  url: string;
  /** An API key, or an OAuth access token. */
  key: string;
  /** How often a request is sent again that found the service busy or gone; 4 by default. */
  retries?: number;
  /** Who is told to wait longer than this, in milliseconds, gets the refusal instead; a minute by default. */
  longestWait?: number;
  /** Instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/**
 * A workspace. Every call answers the body and throws a `HeadwaterError` for a refusal. Writes get an idempotency key, so that one
 * that is sent again has its effect once.
 */
export class Headwater {
  /** The client beneath, for what the calls do not show: headers of answers, forms, files. It throws no refusal. */
  readonly api: Client<paths>;
  private readonly attempts: Attempts;
  private readonly url: string;
  private readonly key: string;

  constructor({ url, key, retries = 4, longestWait = 60_000, fetch = globalThis.fetch }: HeadwaterOptions) {
    this.url = `${url.replace(/\/+$/, "")}/api/v1`;
    this.key = key;
    this.attempts = { fetch, retries, longestWait, quotas: new Quotas() };
    this.api = createClient<paths>({ baseUrl: this.url, headers: { authorization: `Bearer ${key}` } });
    // Only a middleware is told the path as the description writes it.
    this.api.use({
      onRequest: ({ request, schemaPath, params }) => {
        checkPath(schemaPath, params.path);
        return this.send(request, schemaPath);
      },
    });
  }

  get<P extends PathOf<"get">>(path: P, ...given: Rest<Given<P, "get">>): Promise<Answer<P, "get">> {
    return this.ask("get", path, given[0]);
  }

  post<P extends PathOf<"post">>(path: P, given: Given<P, "post"> & DryRun): Promise<Tried>;
  post<P extends PathOf<"post">>(path: P, ...given: Rest<Given<P, "post">>): Promise<Answer<P, "post">>;
  post(path: string, given?: object): Promise<any> {
    return this.ask("post", path, given);
  }

  put<P extends PathOf<"put">>(path: P, given: Given<P, "put"> & DryRun): Promise<Tried>;
  put<P extends PathOf<"put">>(path: P, ...given: Rest<Given<P, "put">>): Promise<Answer<P, "put">>;
  put(path: string, given?: object): Promise<any> {
    return this.ask("put", path, given);
  }

  delete<P extends PathOf<"delete">>(path: P, given: Given<P, "delete"> & DryRun): Promise<Tried>;
  delete<P extends PathOf<"delete">>(path: P, ...given: Rest<Given<P, "delete">>): Promise<Answer<P, "delete">>;
  delete(path: string, given?: object): Promise<any> {
    return this.ask("delete", path, given);
  }

  /** Every record of a list, read page by page as they are wanted. */
  async *each<P extends ListPath>(path: P, ...given: Rest<Given<P, "get">>): AsyncGenerator<Item<P>, void, undefined> {
    const { query, ...rest } = (given[0] ?? {}) as { query?: object };
    let cursor: string | undefined;
    do {
      const page: Page<Item<P>> = await this.ask("get", path, {
        ...rest,
        query: { ...query, ...(cursor && { _cursor: cursor }) },
      });
      yield* page.data;
      cursor = page.has_more ? page.cursor_next : undefined;
    } while (cursor !== undefined);
  }

  /**
   * Reads a record and changes it by what you make of it; null changes nothing. Where somebody else changes it in between it is read
   * again, so `make` may be called several times.
   */
  async change<P extends RecordPath>(
    path: P,
    of: RecordOf<P>,
    make: (record: Answer<P, "get">) => ChangesOf<P> | null | Promise<ChangesOf<P> | null>,
  ): Promise<Answer<P, "get">> {
    for (let tried = 0; ; tried++) {
      const { data, response } = await this.answered<Answer<P, "get">>("get", path, { path: of });
      const body = await make(data);
      if (body === null) return data;
      const headers = { "if-match": response.headers.get("etag") ?? "*" };
      try {
        return await this.ask("put", path, { path: of, body, headers });
      } catch (error) {
        const isBehind = error instanceof HeadwaterError && error.status === 412;
        if (!isBehind || tried >= this.attempts.retries) throw error;
      }
    }
  }

  /** Events as they happen, from the cursor on, and without an end: it connects again by itself. */
  events(options: FollowOptions = {}): AsyncGenerator<Followed<Event>, never, undefined> {
    return follow<Event>({ ...options, url: this.url, key: this.key, attempts: this.attempts });
  }

  private async ask<T>(method: Method, path: string, given: object | undefined): Promise<T> {
    return (await this.answered<T>(method, path, given)).data;
  }

  private async answered<T>(method: Method, path: string, given: object = {}): Promise<{ data: T; response: Response }> {
    const { path: ids, query, ...rest } = given as { path?: object; query?: object };
    // What is given was checked by the types of the caller.
    const request = this.api.request as unknown as AnyRequest;
    const { data, response, error } = await request(method, path, { params: { path: ids, query }, ...rest });
    if (!response.ok) throw new HeadwaterError(response, error);
    return { data: data as T, response };
  }

  private send(request: Request, path: string): Promise<Response> {
    const isWrite = request.method === "POST" || request.method === "PUT";
    if (isWrite && !request.headers.has("idempotency-key")) request.headers.set("idempotency-key", crypto.randomUUID());
    return attempt(request, path, this.attempts);
  }
}

/**
 * An id may come from a form or an address of the caller's own program. Nothing, `.` and `..` would make another path of it, and so
 * another operation; everything else is encoded.
 */
function checkPath(schemaPath: string, ids: Readonly<Record<string, unknown>> = {}): void {
  for (const [, name] of schemaPath.matchAll(/\{(\w+)\}/g)) {
    const id = String(ids[name!] ?? "");
    if (["", ".", ".."].includes(id)) throw new RangeError(`path.${name} of ${schemaPath} cannot be ${JSON.stringify(id)}`);
  }
}

type AnyRequest = (
  method: Method,
  path: string,
  init: object,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

interface Page<T> {
  data: T[];
  has_more: boolean;
  cursor_next?: string;
}
