// `recheck_query`: before items are taken, the query is asked again for them. What does not match any more is skipped.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { from, scope } from "../../core/resource.ts";
import { and, sql, statement } from "../../db/sql.ts";
import { refusalOf } from "../shared/refused_words.ts";
import { type Selection, selectedBy } from "../shared/selection.ts";
import { type BulkAction, type Doing, type Done, gone, type Item, lockItems } from "./doing.ts";

const noMatch: Done = { status: "skipped", error: "does not match the query any more" };

export function checkRecheck({ recheck_query }: Partial<BulkAction>, { object_ids }: Selection): void {
  if (recheck_query === true && object_ids !== null)
    throw invalid({ recheck_query: "is for records that a query selects: these are named by their ids" });
}

/** A field that the query names may be gone. No record is to blame for that. */
export async function whyNoQuery(ctx: Ctx, doing: Doing, action: BulkAction): Promise<string | null> {
  try {
    if (action.recheck_query) await selectedBy(ctx, doing.of(ctx, action), action);
    return null;
  } catch (problem) {
    const refusal = refusalOf(problem);
    if (refusal === null) throw problem;
    return `Its query cannot be asked any more: ${refusal.words}`.slice(0, 1000);
  }
}

/** Does the items that still match. What becomes of the others is known. */
export async function takeMatching(ctx: Ctx, doing: Doing, action: BulkAction, items: readonly Item[]): Promise<Done[]> {
  if (!action.recheck_query) return doing.take(ctx, action, items);
  const of = doing.of(ctx, action);
  const keyOf = ({ object_id, lead_id }: Item) => (doing.coversContacts?.(action) ? lead_id! : object_id);
  // What is going to be changed is held first, so that nobody changes it after it was looked at.
  if (action.kind === "edit" || action.kind === "delete") await lockItems(ctx, of, items);
  const rows = await query(
    ctx,
    statement(sql`select t.id, ${await selectedBy(ctx, of, action)} from ${from(of, "t")}
      where ${and([...scope(ctx, of), sql`t.id = any(${items.map(keyOf)})`])}`),
  );
  const matches = new Map(rows.map(([id, isMatch]) => [id!, isMatch === "t"]));
  const fitting = items.filter((item) => matches.get(keyOf(item)) === true);
  const taken = fitting.length === 0 ? [] : await doing.take(ctx, action, fitting);
  const done: Done[] = [];
  for (const item of items) {
    const isMatch = matches.get(keyOf(item));
    const result = isMatch === undefined ? gone : isMatch ? taken.shift() : noMatch;
    if (result === undefined) break;
    done.push(result);
  }
  return done;
}
