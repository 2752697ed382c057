// Routes without a key, such as a shared file or a quote to accept. A secret in the path identifies the record.
import type { Core } from "../core/core.ts";
import type { Content, OpenGroup } from "../core/operation.ts";

export interface PublicRequest {
  method: "GET" | "POST";
  /** Only the head of the answer is wanted: somebody looks where a link leads, and does not follow it. */
  isHead: boolean;
  /** The address that the request came from. */
  ip: string;
  params: Record<string, string>;
  query: Record<string, string>;
  /** The fields of the form in a POST. */
  form: Record<string, string>;
  requestId: string;
  /** Of a `raw` route: the body as it came, and what it says as JSON or as a form, or gzip of these. Throws a 400, 413 or 415. */
  bytes: Buffer;
  parsed(): Record<string, unknown>;
  /** Counts the request for a holder. Throws a 429 for one that is over its limit. */
  take(holder: string): void;
  /** `range`, `user-agent` and the like, by their lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface PublicAnswer {
  status: number;
  content: Content;
}

/**
 * A path besides `/api/v1`, such as `/f/{token}/{name}`. The rate limit counts callers by address. A `signed` route counts only
 * requests whose signature is wrong, because a provider calls often and from few addresses.
 */
export interface PublicRoute {
  name: string;
  path: string;
  doc: string;
  methods: readonly ("GET" | "POST")[];
  /** Whose limit counts its requests. */
  group: OpenGroup;
  signed?: true;
  /**
   * The body is taken as it came, up to 256 KB. The route counts its requests itself, by `take`: many organizations are called from the
   * same addresses. Only a request that finds nothing counts for the address it came from.
   */
  raw?: true;
  run(core: Core, request: PublicRequest): Promise<PublicAnswer>;
}
