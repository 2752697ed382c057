// A mailbox may send more on a day than before: what was put off to the next day is due now. What is over the new limit is put off again.
import { type Ctx, query } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import type { connectedAccount } from "../accounts/connected_account.ts";
import { email } from "../activities/email.ts";
import { jobsOf } from "../activities/leaving.ts";
import { overCapClass } from "./reasons.ts";

type Account = Row<typeof connectedAccount>;

/** On a day. */
export const maySendMore = (before: Account, after: Account): boolean =>
  (after.daily_cap ?? Infinity) > (before.daily_cap ?? Infinity) || (before.ramp_up && !after.ramp_up);

const most = 10_000;

/** An e-mail that does not say which mailbox sends it leaves by one of its sender's. */
export async function wakePutOffMail(ctx: Ctx, { id, user_id }: Account): Promise<void> {
  const woken = await query(
    ctx,
    statement(sql`update activity a set send_after = ${ctx.now} from (
        select t.id from activity t where t.organization_id = ${ctx.organization_id} and t._type = 'Email' and t.send_after > ${ctx.now}
          and (t.email_account_id = ${id} or t.email_account_id is null and coalesce(t.released_by, t.user_id, t.created_by) = ${user_id})
          and t.sending_at is null and t.send_attempts->-1->>'error_class' = ${overCapClass}
        order by t.send_after, t.activity_at, t.id limit ${most} for no key update skip locked) put_off
      where a.organization_id = ${ctx.organization_id} and a.id = put_off.id returning a.id, coalesce(a.email_account_id, ${user_id})`),
  );
  for (const [lane, rows] of Map.groupBy(woken, ([, lane]) => lane!)) {
    const ids = rows.map(([one]) => one!);
    wake(ctx, jobsOf(email), ids, ctx.now, lane);
  }
}
