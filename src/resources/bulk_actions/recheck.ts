// `recheck_query`: before items are taken, the query is asked again for them. What does not match any more is skipped.
import { type Ctx, query } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { from, scope } from "../../core/resource.ts";
import { and, type Sql, sql, statement } from "../../db/sql.ts";
import { refusalOf } from "../shared/refused_words.ts";
import { type Selection, selectedBy } from "../shared/selection.ts";
import { type BulkAction, type Doing, type Done, gone, type Item, lockItems } from "./doing.ts";

const noMatch: Done = { status: "skipped", error: "does not match the query any more" };

export function checkRecheck({ recheck_query }: Partial<BulkAction>, { object_ids }: Selection): void {
  if (recheck_query === true && object_ids !== null)
    throw invalid({ recheck_query: "is for records that a query selects: these are named by their ids" });
}

/** What items have to match still, or why that cannot be asked any more. Both are null where it is not asked again. */
export interface Rechecked {
  condition: Sql | null;
  whyNot: string | null;
}

/** A field that the query names may be gone. No record is to blame for that. */
export async function recheckOf(ctx: Ctx, doing: Doing, action: BulkAction): Promise<Rechecked> {
  try {
    const condition = action.recheck_query ? await selectedBy(ctx, doing.of(ctx, action), action) : null;
    return { condition, whyNot: null };
  } catch (problem) {
    const refusal = refusalOf(problem);
    if (refusal === null) throw problem;
    return { condition: null, whyNot: `Its query cannot be asked any more: ${refusal.words}`.slice(0, 1000) };
  }
}

/** Does the items that still match. What becomes of the others is known. */
export async function takeMatching(
  ctx: Ctx,
  doing: Doing,
  action: BulkAction,
  items: readonly Item[],
  condition: Sql | null,
): Promise<Done[]> {
  if (condition === null) return doing.take(ctx, action, items);
  const of = doing.of(ctx, action);
  const keyOf = ({ object_id, lead_id }: Item) => (doing.coversContacts?.(action) ? lead_id! : object_id);
  // What is going to be changed is held first, so that nobody changes it after it was looked at.
  if (action.kind === "edit" || action.kind === "delete") await lockItems(ctx, of, items);
  const rows = await query(
    ctx,
    statement(sql`select t.id, ${condition} from ${from(of, "t")}
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
