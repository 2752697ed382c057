// Locks an e-mail after its thread, the order of everything that changes both.
import type { Ctx } from "../../core/context.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { email } from "../activities/email.ts";
import { emailThread } from "../activities/email_thread.ts";
import type { Email } from "./sending.ts";

/** The thread is locked first, as everywhere. */
export async function lockWithThread(ctx: Ctx, id: string): Promise<Email | undefined> {
  const itsThread = sql`t.id = (select thread_id from activity where organization_id = ${ctx.organization_id} and id = ${id})`;
  const [, [mail]] = await Promise.all([
    lockToChange(ctx, emailThread, itsThread, "email_thread.lock_of_email"),
    lockToChange(ctx, email, sql`t.id = ${id}`, "email.lock_to_send"),
  ]);
  return mail;
}
