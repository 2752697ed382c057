// A budget: what one API key or one connection of an application may do at most, whatever its scope and its person's role allow.
import { clientOfGrant } from "../../auth/unscoped_oauth.ts";
import { type Ctx, query } from "../../core/context.ts";
import { invalid, Problem } from "../../core/errors.ts";
import { integer, text } from "../../core/field.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { resource } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { budgetOf } from "../../records/budgets.ts";
import { announceChange } from "../../records/change.ts";
import { store } from "../../records/store.ts";
import { isActiveMember } from "../organization/user.ts";

const limit = (doc: string) => integer({ min: 0, max: 2_000_000_000, doc });

export const budget = resource({
  name: "budget",
  prefix: "budget",
  doc: "What one API key or one connection of an application may do at most. A limit that is null does not bound it.",
  event: null,
  mcp: false,
  narrows: true,
  cached: true,
  fields: {
    holder_id: text({
      required: true,
      createOnly: true,
      max: 100,
      doc: "The id of the API key, or of the connection (`oauth_grant_id` in `GET /agent_call/`). It has one budget at most. That of a connection also holds for later ones of the same application and person.",
    }),
    client_id: text({ readOnly: true, hidden: true, max: 1000 }),
    client_user_id: text({ readOnly: true, hidden: true }),
    writes_per_hour: limit("Records that it creates or changes in an hour, by the clock of UTC."),
    writes_per_day: limit("The same in a day."),
    deletes_per_hour: limit("Records that it deletes, with all that is deleted along."),
    deletes_per_day: limit("The same in a day."),
    messages_per_hour: limit("E-mails, texts and messages that it sends or schedules."),
    messages_per_day: limit("The same in a day."),
    ai_tokens_per_hour: limit("Tokens of an AI provider that it uses."),
    ai_tokens_per_day: limit("The same in a day."),
  },
});

type Budget = Row<typeof budget>;

export async function createBudget(ctx: Ctx, given: Create<typeof budget>): Promise<Budget> {
  refuseBudgeted(ctx);
  const row = store.insert(ctx, budget, { ...given, ...(await holderOf(ctx, given.holder_id!)) });
  announceChange(ctx);
  return row;
}

export async function updateBudget(ctx: Ctx, before: Budget, patch: Patch<typeof budget>): Promise<Budget> {
  refuseBudgeted(ctx);
  const row = store.update(ctx, budget, before, patch);
  announceChange(ctx);
  return row;
}

export async function deleteBudget(ctx: Ctx, before: Budget): Promise<void> {
  refuseBudgeted(ctx);
  await store.remove(ctx, budget, [before]);
  announceChange(ctx);
}

/** What is bounded neither widens its bounds nor makes itself a key without any. */
export function refuseBudgeted(ctx: Ctx): void {
  if (budgetOf(ctx) !== undefined)
    throw new Problem(403, "A key or connection with a budget may change no budget and create no key: use another one.");
}

/** The application and the person of a connection; nothing for a key. */
async function holderOf(ctx: Ctx, holderId: string): Promise<{ client_id?: string; client_user_id?: string }> {
  const grant = holderId.startsWith("grant_") ? await clientOfGrant(ctx.db, holderId) : null;
  if (grant !== null && isActiveMember(ctx.directory, grant.client_user_id)) return grant;
  const [found] = await query(
    ctx,
    statement(sql`select 1 from api_key where organization_id = ${ctx.organization_id} and id = ${holderId}`),
  );
  if (found === undefined) throw invalid({ holder_id: "is neither an API key of this organization nor a connection" });
  return {};
}
