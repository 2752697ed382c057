// A message is received in one transaction with what the rules make of it. An action that fails loses no message: where it is
// refused, the others go on. Where its failure ends the transaction, the message is received again, without any action. The rules
// say why.
import { type Ctx, write } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { ClaimLost } from "../../jobs/job.ts";
import { attempted } from "../../records/rehearse.ts";
import { refusalOf } from "../shared/refused_words.ts";

interface Receipt {
  /** The rules that matched in this transaction and have counted the message. One that makes a lead of it may match once more there. */
  counted: Set<string>;
  /** Why no action of a rule is carried out this time. */
  failed: string | null;
  /** Its sender was unknown when it came, although a rule may have made a contact of them by now. */
  isFromStranger: boolean;
}

interface Receiving extends Ctx {
  receipt?: Receipt;
}

type Transact = <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>;

/** Receives a message by `transact`, which runs its work in a new transaction. */
export async function received<T>(transact: Transact, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const receipt: Receipt = { counted: new Set(), failed: null, isFromStranger: false };
  const receive = (ctx: Receiving) => work({ ...ctx, receipt } as Ctx);
  try {
    return await transact(receive);
  } catch (error) {
    if (receipt.counted.size === 0 || !isOfMessage(error as Failure)) throw error;
    receipt.failed = wordsOf(error as Failure);
    receipt.counted.clear();
    return transact(receive);
  }
}

/** Why no action is carried out for the message that is being received. Null: they are. */
export const failedRules = (ctx: Receiving): string | null => ctx.receipt?.failed ?? null;

export function noteStranger({ receipt }: Receiving): void {
  if (receipt !== undefined) receipt.isFromStranger = true;
}

export const isFromStranger = ({ receipt }: Receiving): boolean => receipt?.isFromStranger === true;

/** Counts a message once for each rule that matches it. That is no change of a rule, so its version and dates stay the same. */
export function countMatches(ctx: Receiving, matched: readonly string[]): void {
  const { receipt } = ctx;
  const ids = matched.filter((id) => !receipt?.counted.has(id));
  for (const id of ids) receipt?.counted.add(id);
  const latest_error = failedRules(ctx);
  write(
    ctx,
    statement(sql`update inbox_rule set match_count = match_count + 1, last_matched_at = ${ctx.now.toISOString()},
        latest_error = ${latest_error}
      where organization_id = ${ctx.organization_id} and id = any(${ids})`),
  );
}

/** Carries out an action of the matching rules, or returns the words of its refusal. */
export async function carriedOut<T>(
  ctx: Ctx,
  matched: readonly string[],
  act: () => Promise<T>,
): Promise<{ done: T } | { refused: string }> {
  try {
    return { done: await attempted(ctx, act) };
  } catch (error) {
    const refused = refusalOf(error)?.words;
    if (refused === undefined) throw error;
    noteRefusal(ctx, matched, refused);
    return { refused };
  }
}

/** The rules show why an action was not carried out. */
export function noteRefusal(ctx: Ctx, rules: readonly string[], words: string): void {
  write(
    ctx,
    statement(sql`update inbox_rule set latest_error = ${words}
      where organization_id = ${ctx.organization_id} and id = any(${rules})`),
  );
}

// --- failures ---

interface Failure extends Error {
  status?: number;
  code?: string;
  syscall?: string;
}

const wordsOf = (error: Failure): string =>
  refusalOf(error)?.words ?? `the service failed${error.code === undefined ? "" : ` (${error.code})`}: tell its operator`;

/** PostgreSQL errors about itself and not about its input: connections, resources, locks, its own state. */
const ofDatabase = /^(08|25|40|53|55|57|58)/;

/** It would fail again. Failures of a disk, the database or the claim are temporary: the message is then read or sent again. */
export const isOfMessage = (error: Failure): boolean =>
  !(error instanceof ClaimLost) && error.status !== 503 && error.syscall === undefined && !ofDatabase.test(error.code ?? "");
