// How many tokens of models an organization uses on a day and in a month, of its own time zone. The most that a call can cost is taken
// before the model is asked; afterwards what it did not use is given back. Each is a short transaction of its own.
import type { Ctx } from "../../core/context.ts";
import type { Transaction } from "../../db/database.ts";
import { todayIn } from "../../values/time.ts";
import { organizationOf } from "../organization/organization.ts";

/** What it takes to ask a model for an organization: a context has it, and a worker between two transactions. */
export type Asking = Pick<Ctx, "db" | "settings" | "directory" | "organization_id" | "now">;

export interface AiOfOrganization {
  provider?: "openai" | "anthropic" | "google" | "rules";
  tokens_per_day?: number;
  tokens_per_month?: number;
}

export const aiSettingsOf = ({ directory }: Pick<Asking, "directory">): AiOfOrganization =>
  (organizationOf(directory).settings.ai as AiOfOrganization | undefined) ?? {};

/** On the operator's account an organization can only have less than the operator allows. */
function capsOf(asking: Asking, isOwn: boolean): { day: number; month: number } {
  const { tokens_per_day, tokens_per_month = Number.POSITIVE_INFINITY } = aiSettingsOf(asking);
  const usual = asking.settings.ai.tokens_per_day;
  return { day: isOwn ? (tokens_per_day ?? usual) : Math.min(tokens_per_day ?? usual, usual), month: tokens_per_month };
}

/** The day that they were taken on; null if there are not so many left. Those who take some at the same time wait for each other. */
export async function takeTokens(asking: Asking, tokens: number, isOwn: boolean): Promise<string | null> {
  const { db, directory, organization_id, now } = asking;
  const caps = capsOf(asking, isOwn);
  const day = todayIn(now, organizationOf(directory).timezone ?? "UTC");
  return db.transaction(organization_id, async (tx) => {
    const used = await usedTokens(tx, organization_id, day);
    if (used.day + tokens > caps.day || used.month + tokens > caps.month) return null;
    tx.write({
      name: "ai_day.take",
      text: `insert into ai_day as d (organization_id, day, tokens, date_created) values ($1, $2, $3, $4)
             on conflict (organization_id, day) do update set tokens = d.tokens + excluded.tokens`,
      values: [organization_id, day, tokens, now],
    });
    return day;
  });
}

async function usedTokens(tx: Transaction, organizationId: string, day: string): Promise<{ day: number; month: number }> {
  await tx.read({
    name: "ai_day.lock",
    text: "select pg_advisory_xact_lock(hashtextextended('tokens of models ' || $1, 0))",
    values: [organizationId],
  });
  const [row] = await tx.read({
    name: "ai_day.sums",
    text: `select coalesce(sum(tokens) filter (where day = $2::date), 0), coalesce(sum(tokens), 0) from ai_day
           where organization_id = $1 and day between date_trunc('month', $2::date)::date and $2::date`,
    values: [organizationId, day],
  });
  return { day: Number(row![0]), month: Number(row![1]) };
}

/** `more` is below zero for what is given back. */
export async function settleTokens({ db, organization_id }: Asking, day: string, more: number): Promise<void> {
  if (more === 0) return;
  await db.transaction(organization_id, async (tx) =>
    tx.write({
      name: "ai_day.settle",
      text: "update ai_day set tokens = greatest(0, tokens + $3) where organization_id = $1 and day = $2",
      values: [organization_id, day, more],
    }),
  );
}
