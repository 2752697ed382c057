// What a handler is given: who asks, in which organization, and the way to the database. It uses nothing else.
import type { Asker, Rows, Statement, Transaction } from "../db/database.ts";
import type { Core } from "./core.ts";
import type { Directory } from "./directory.ts";
import type { Permission } from "./permissions.ts";

/** Who asks. Built by `auth/`, from a key or a token and the membership's present role. */
export interface Actor {
  organization_id: string;
  /** Empty when the service itself acts. */
  user_id: string;
  membership_id: string;
  role_id: string;
  permissions: ReadonlySet<Permission>;
  /** What the credential may do at most; the role narrows it further. */
  scopes: ReadonlySet<Scope>;
  /** What it may do by itself, where the header `Service-Scope` or its absence lowers that. */
  granted?: ReadonlySet<Scope>;
  /** Why nothing is done before another workspace is named: the person was removed from that of the connection. */
  lost?: Error;
  /** The organization's account is past due: writes are refused. */
  past_due: boolean;
  /** How much of the usual limits the operator left the organization, in percent; 0 suspends it, and without it they hold whole. */
  limit_percent?: number;
  /** The key that acted, null for system work. */
  api_key_id: string | null;
  /** The OAuth application that acted, what it was granted, and the grant itself; absent for an API key. */
  oauth?: { client_id: string; scope: string; grant_id: string };
}

export const credentialOf = ({ api_key_id, oauth, user_id }: Actor): string => api_key_id ?? oauth?.grant_id ?? user_id;

/** Each includes those before it. */
export const scopes = ["read", "write_safe", "write_destructive"] as const;
export type Scope = (typeof scopes)[number];

/** A scope with those that it includes. */
export const scopesUpTo = (widest: Scope): readonly Scope[] => scopes.slice(0, scopes.indexOf(widest) + 1);

/** The request as far as handlers and events may know it. */
export interface RequestFacts {
  id: string;
  method: string;
  path: string;
  /** `x-tz-offset` in minutes east of UTC. */
  offsetMinutes: number;
  /** False when the request named no offset; `offsetMinutes` is then 0. */
  hasOffset?: boolean;
  /** The versions named by `If-Match`, or null. */
  ifMatch: readonly number[] | null;
  /** The header `Range`, and `If-Range` with it, for answers that are files. */
  range?: { range: string; ifRange: string | null };
  /** Unknown fields of the body are refused instead of reported. */
  strict?: boolean;
  /** The header `Last-Event-ID`, for a stream that is resumed. */
  lastEventId?: string;
  /** The headers `Accept` and `Accept-Encoding`, for what can be answered in several forms. */
  accept?: { type?: string; encoding?: string };
  /** An agent asks, by a tool. */
  byTool?: boolean;
}

/** What the answer carries besides the body. A handler changes it when the operation's own status is not right. */
export interface ReplyFacts {
  status: number;
  headers: Record<string, string>;
  /** Body fields that were ignored; the header `x-ignored-fields` lists them. */
  ignored: string[];
}

export interface Ctx extends Pick<Core, "db" | "forget" | "registry" | "settings"> {
  actor: Actor;
  organization_id: string;
  /** The organization's small records (statuses, custom fields, members, …), read once and kept in memory. */
  directory: Directory;
  /** Who waits for the database; null for the service itself, which waits as long as it takes. */
  asker: Asker | null;
  /** Set while a write runs; reads have none. */
  tx: Transaction | null;
  /** One instant for the whole request. */
  now: Date;
  request: RequestFacts;
  reply: ReplyFacts;
  /** What a larger piece of work adds to the `meta` of the events it causes, such as `merge_source_lead_id`. */
  meta: Record<string, unknown>;
  /** Set for an operation that `lasts`. */
  lasting?: Lasting;
  /** Set where the transaction is always undone: when that really began, and who is told of its events instead of the log. */
  rehearsal?: { began: Date; hear(event: Record<string, unknown>): void };
}

/** What a long answer needs while it runs: the `now` and the `actor` of its context are those of its beginning. */
export interface Lasting {
  clock(): Date;
  /** A new context for the same caller. Throws the refusal if they may not do this any more. */
  later(): Promise<Ctx>;
}

/** A bounded read with one plan, such as a get by id or a default list. Joins the transaction when there is one. */
export const read = (ctx: Ctx, statement: Statement): Promise<Rows> =>
  ctx.tx ? ctx.tx.read(statement) : ctx.db.read(ctx.organization_id, statement, ctx.asker);

/** A bounded search with a prepared statement. It shares connections with other searches. */
export const search = (ctx: Ctx, statement: Statement): Promise<Rows> =>
  ctx.tx ? ctx.tx.read(statement) : ctx.db.search(ctx.organization_id, statement, ctx.asker);

/** A read of any size or plan, such as a count or a report. It holds a connection of its own. */
export const query = (ctx: Ctx, statement: Statement): Promise<Rows> =>
  ctx.tx ? ctx.tx.read(statement) : ctx.db.query(ctx.organization_id, statement, ctx.asker);

/** Sends a write of the running transaction without waiting for it; its failure is the commit's failure. */
export function write(ctx: Ctx, statement: Statement): void {
  transactionOf(ctx).write(statement);
}

export function transactionOf(ctx: Ctx): Transaction {
  if (ctx.tx === null) throw new Error("a write outside a transaction: the operation must not be a GET");
  return ctx.tx;
}

/** The user in whose name something is written; null when the service itself acts. */
export const userOf = ({ actor }: Ctx): string | null => actor.user_id || null;

export const may = (ctx: Ctx, permission: Permission): boolean => ctx.actor.permissions.has(permission);
