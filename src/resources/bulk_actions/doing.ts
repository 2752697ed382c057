// What a kind of bulk action does to its items.
import type { Ctx } from "../../core/context.ts";
import type { Permission } from "../../core/permissions.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { lockShares } from "../contacts/sharing.ts";
import { refusalOf } from "../shared/refused_words.ts";
import { alone } from "./alone.ts";
import type { bulkAction } from "./bulk_action.ts";
import type { bulkActionItem } from "./item.ts";
import { openTogether } from "./together.ts";

export type BulkAction = Row<typeof bulkAction> & Record<string, any>;
export type Item = Row<typeof bulkActionItem>;

/** What became of an item. */
export interface Done {
  status: "succeeded" | "skipped" | "failed";
  error?: string;
  address?: string;
  kept?: object;
}

export interface Doing {
  /** What whoever asks for it must be allowed, when they ask and while it runs. */
  permission: Permission | "member";
  /** The kind of its items' records. */
  of(ctx: Ctx, action: BulkAction): Resource;
  /** Its items are the contacts of the selected leads. */
  coversContacts?(action: BulkAction): boolean;
  /** What else whoever asked for it must be allowed; by default nothing. */
  needs?(ctx: Ctx, action: BulkAction): Permission | "member";
  /** Why nothing more of it can be done; null if it can. */
  stopped?(ctx: Ctx, action: BulkAction): Promise<string | null>;
  /** Does the items, or as many from the first on as there is time for. `ctx` acts for whoever asked for it. */
  take(ctx: Ctx, action: BulkAction, items: readonly Item[]): Promise<Done[]>;
}

export const gone: Done = { status: "skipped", error: "is deleted, or not visible to you any more" };

/** For so long, the items of one transaction are taken. So a pause waits for less than a second, as do others for the records. */
const turnMs = 500;

/** Does one item after the other. An item that is refused leaves nothing behind. */
export async function each(ctx: Ctx, items: readonly Item[], act: (ctx: Ctx, item: Item) => Promise<Done>): Promise<Done[]> {
  const until = performance.now() + turnMs;
  const done: Done[] = [];
  const together = openTogether(ctx);
  for (const item of items) {
    if (done.length > 0 && performance.now() > until) break;
    done.push(await alone(ctx, (own) => act(own, item), together).catch(failed));
  }
  together.end();
  return done;
}

/** Why all of it would be refused now: what holds for the whole action, such as a template, may be gone. Null where it may go on. */
export async function whyRefused(check: () => Promise<unknown>): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (problem) {
    const refusal = refusalOf(problem);
    if (refusal === null) throw problem;
    return refusal.words.slice(0, 1000);
  }
}

/** A refusal is the item's result. Anything else is thrown again. */
export function failed(problem: unknown): Done {
  const refusal = refusalOf(problem);
  if (refusal === null) throw problem;
  return { status: "failed", error: refusal.words.slice(0, 1000) };
}

/** The items' records as far as they exist and are visible, locked in the order of their ids. */
export async function lockItems(ctx: Ctx, of: Resource, items: readonly Item[]): Promise<Map<string, Row<Resource>>> {
  const ids = items.map(({ object_id }) => object_id);
  if (of.name === "contact") lockShares(ctx, ids);
  const rows = await findRecords(ctx, of, [sql`t.id = any(${ids})`], sql`order by t.id for update of t`);
  return new Map(rows.map((row) => [row.id, row]));
}
