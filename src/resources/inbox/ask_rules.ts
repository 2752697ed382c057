// Runs an organization's rules for a message, in the transaction that receives it.
import type { Ctx } from "../../core/context.ts";
import { empty, sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { applyRules, type Incoming, type Outcome } from "./apply_rules.ts";
import { applyToStranger, type WrittenRule } from "./held_back.ts";
import { inboxFolder, systemFolder } from "./inbox_folder.ts";
import { inboxRule } from "./inbox_rule.ts";
import { countMatches, failedRules, isFromStranger, noteRefusal } from "./receipt.ts";

/** `users` are the members whose own rules run beside everybody's: the recipient, and the person who should answer. */
export async function askRules(ctx: Ctx, message: Incoming, users: readonly (string | null)[]): Promise<Outcome> {
  const asItCame = isFromStranger(ctx) ? { ...message, unknown_sender: true } : message;
  const outcome = applyRules(await rulesFor(ctx, users), asItCame);
  if (outcome.matched.length > 0) countMatches(ctx, outcome.matched);
  return failedRules(ctx) === null ? outcome : applyRules([], message);
}

/** The same for the message of a stranger. The rules say what they do not do with it. */
export async function askRulesOfStranger(
  ctx: Ctx,
  message: Incoming,
  { user_id, account_id }: { user_id: string | null; account_id: string | null },
): Promise<Outcome> {
  const { outcome, held } = await applyToStranger(ctx, await rulesFor(ctx, [user_id]), message, account_id);
  if (outcome.matched.length > 0) countMatches(ctx, outcome.matched);
  if (failedRules(ctx) !== null) return applyRules([], message);
  for (const [id, some] of Map.groupBy(held, ({ rule_id }) => rule_id))
    noteRefusal(ctx, [id], some.map(({ reason }) => reason).join("; "));
  return outcome;
}

async function rulesFor(ctx: Ctx, users: readonly (string | null)[]): Promise<WrittenRule[]> {
  const theirs = sql`(t.user_id is null or t.user_id = any(${users.filter((id) => id !== null)}))`;
  const rules = await findRecords(ctx, { ...inboxRule, visible: undefined }, [sql`t.is_enabled`, theirs], empty, "asked");
  return rules as unknown as WrittenRule[];
}

/**
 * The folder in which the rules file a message. A copy counts when nothing moves it. Undefined without a folder, or when it is
 * gone.
 */
export function filedIn(ctx: Ctx, outcome: Outcome): string | undefined {
  const trash = outcome.delete ? systemFolder(ctx.directory, "trash").id : null;
  return (
    [outcome.folder_id, trash, ...outcome.copy_to].find((id) => ctx.directory.get(inboxFolder, id) !== undefined) ?? undefined
  );
}
