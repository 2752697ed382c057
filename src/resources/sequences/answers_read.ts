// Whether the answers to a subscription's mail have been read. While a mailbox has not been read for ten minutes, an answer may lie
// there that nobody has seen, and what is sent to its writer then would be embarrassing.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { StepHeld } from "./endings.ts";
import type { sequenceSubscription } from "./sequence_subscription.ts";

type Way = Pick<Row<typeof sequenceSubscription>, "latest_email_id">;

const lagMs = 10 * 60_000;
const retryMs = 5 * 60_000;

/** Holds the step until the mailbox has been read. */
export async function checkAnswersAreRead(ctx: Ctx, way: Way): Promise<void> {
  const unread = await unreadMailbox(ctx, way);
  if (unread === null) return;
  const why = `Answers to ${unread.email} were last read ${unread.read_at === null ? "never" : `at ${unread.read_at}`}`;
  throw new StepHeld("account-failures", `${why}: the step waits until that mailbox is read again`, retryMs);
}

/** The mailbox that the latest mail left by, where it is too long ago that it was read. Null where mail does not come in by it. */
export async function unreadMailbox(
  ctx: Ctx,
  { latest_email_id }: Way,
): Promise<{ email: string; read_at: string | null } | null> {
  if (latest_email_id === null) return null;
  const [row] = await query(
    ctx,
    statement(
      sql`select a.email, to_char(a.last_synced_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        from activity m join connected_account a on a.organization_id = ${ctx.organization_id} and a.id = m.email_account_id
        where m.organization_id = ${ctx.organization_id} and m.id = ${latest_email_id} and a.receive_status <> 'disabled'
          and (a.last_synced_at is null or a.last_synced_at < ${new Date(ctx.now.getTime() - lagMs)})`,
      "sequence_subscription.unread_mailbox",
    ),
  );
  return row === undefined ? null : { email: row[0]!, read_at: row[1] ?? null };
}
