// How many tokens of models an organization uses on a day and in a month, of its own time zone. The most that a call can cost is taken
// before the model is asked; afterwards what it did not use is given back. Each is a short transaction of its own.
import type { Ctx } from "../../core/context.ts";
import type { Transaction } from "../../db/database.ts";
import { addDays, startOfDay, todayIn } from "../../values/time.ts";
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

interface Cap {
  of: "day" | "month";
  tokens: number;
  /** Whose it is, in words. */
  words: string;
}

/** On the operator's account an organization can only have less than the operator allows. */
function capsOf(asking: Asking, isOwn: boolean): Cap[] {
  const { tokens_per_day, tokens_per_month } = aiSettingsOf(asking);
  const usual = asking.settings.ai.tokens_per_day;
  const ofDay = (tokens: number): Cap => ({ of: "day", tokens, words: "settings.ai.tokens_per_day" });
  const ofService: Cap = {
    of: "day",
    tokens: usual,
    words: `what the service allows an organization on a day${isOwn ? ", unless settings.ai.tokens_per_day says more" : ""}`,
  };
  return [
    ...(tokens_per_day === undefined ? [] : [ofDay(tokens_per_day)]),
    ...(tokens_per_day === undefined || !isOwn ? [ofService] : []),
    ...(tokens_per_month === undefined
      ? []
      : [{ of: "month" as const, tokens: tokens_per_month, words: "settings.ai.tokens_per_month" }]),
  ];
}

/**
 * The day that they were taken on; or which cap leaves not so many, and until when. Those who take some at the same time wait for each
 * other.
 */
export async function takeTokens(asking: Asking, tokens: number, isOwn: boolean): Promise<{ day: string } | { usedUp: string }> {
  const { db, directory, organization_id, now } = asking;
  const zone = organizationOf(directory).timezone ?? "UTC";
  const day = todayIn(now, zone);
  return db.transaction(organization_id, async (tx) => {
    const used = await usedTokens(tx, organization_id, day);
    const met = capsOf(asking, isOwn).filter((cap) => used[cap.of] + tokens > cap.tokens);
    if (met.length > 0) return { usedUp: inWords(met[0]!, used[met[0]!.of], tokens, { day, zone }) };
    tx.write({
      name: "ai_day.take",
      text: `insert into ai_day as d (organization_id, day, tokens, date_created) values ($1, $2, $3, $4)
             on conflict (organization_id, day) do update set tokens = d.tokens + excluded.tokens`,
      values: [organization_id, day, tokens, now],
    });
    return { day };
  });
}

function inWords({ of, tokens, words }: Cap, used: number, wanted: number, { day, zone }: { day: string; zone: string }): string {
  const anew = of === "day" ? addDays(day, 1) : firstOfNextMonth(day);
  const left = `${used} of ${tokens} are used (${words}), and this may take ${wanted}`;
  return `The tokens for models are used up until ${startOfDay(anew, zone)}: ${left}`;
}

const firstOfNextMonth = (day: string): string => `${addDays(`${day.slice(0, 7)}-28`, 4).slice(0, 7)}-01`;

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
