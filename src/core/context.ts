// What a handler is given: who asks, in which organization, and the way to the database. It uses nothing else.
import type { Asker, Database, Rows, Statement, Transaction } from "../db/database.ts";
import type { Settings } from "./core.ts";
import type { Directory } from "./directory.ts";
import type { Permission } from "./permissions.ts";
import type { Registry } from "./registry.ts";

/** Who asks. Built by `auth/`, from a key or a token and the membership's present role. */
export interface Actor {
  organization_id: string;
  user_id: string;
  membership_id: string;
  role_id: string;
  permissions: ReadonlySet<Permission>;
  /** What the credential may do at most; the role narrows it further. */
  scopes: ReadonlySet<Scope>;
  /** The organization's account is past due: writes are refused. */
  past_due: boolean;
  /** The key that acted, null for system work. */
  api_key_id: string | null;
}

export type Scope = "read" | "write_safe" | "write_destructive";

/** The request as far as handlers and events may know it. */
export interface RequestFacts {
  id: string;
  method: string;
  path: string;
  /** `x-tz-offset` in minutes east of UTC. */
  offsetMinutes: number;
  /** False where nobody said an offset, and `offsetMinutes` is 0 by default. */
  hasOffset?: boolean;
  /** The versions named by `If-Match`, or null. */
  ifMatch: readonly number[] | null;
  /** The header `Range`, and `If-Range` with it, for answers that are files. */
  range?: { range: string; ifRange: string | null };
  /** Fields of the body that nobody knows are refused. */
  strict?: boolean;
  /** The header `Accept`, for what can be answered in several forms. */
  accept?: string;
}

/** What the answer will carry besides the body. A handler changes it where the default (200) is not right. */
export interface ReplyFacts {
  status: number;
  headers: Record<string, string>;
  /** Places of the body that were not taken, to be named in `x-ignored-fields`. */
  ignored: string[];
}

export interface Ctx {
  actor: Actor;
  organization_id: string;
  /** The organization's small records (statuses, custom fields, members, …), read once and kept in memory. */
  directory: Directory;
  registry: Registry;
  db: Database;
  /** Who waits for what is read; null where it is the service itself. */
  asker: Asker | null;
  /** Set while a write runs; reads have none. */
  tx: Transaction | null;
  /** One instant for the whole request. */
  now: Date;
  request: RequestFacts;
  reply: ReplyFacts;
  /** What a larger piece of work adds to the `meta` of the events it causes, such as `merge_source_lead_id`. */
  meta: Record<string, unknown>;
  /** Drops what this process remembers of an organization: its directory, and who its keys are. */
  forget(organizationId: string): void;
  settings: Settings;
}

/** A bounded read by one plan: by id, a default list. Joins the transaction when there is one. */
export const read = (ctx: Ctx, statement: Statement): Promise<Rows> =>
  ctx.tx ? ctx.tx.read(statement) : ctx.db.read(ctx.organization_id, statement, ctx.asker);

/** A bounded search whose statement is prepared: it shares connections with other searches. */
export const search = (ctx: Ctx, statement: Statement): Promise<Rows> =>
  ctx.tx ? ctx.tx.read(statement) : ctx.db.search(ctx.organization_id, statement, ctx.asker);

/** A read of any size or plan (count, report): it holds a connection of its own. */
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

export const may = (ctx: Ctx, permission: Permission): boolean => ctx.actor.permissions.has(permission);
