// Turns a grant of a provider into the member's account: a new one, or the one they already have there.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import type { OauthType } from "../../services/oauth_providers.ts";
import { emailKey } from "../../values/email.ts";
import { memberWith } from "../activities/recipients.ts";
import { retryCalendars } from "../calendars/forget.ts";
import { calendarJobs } from "../calendars/names.ts";
import { user } from "../organization/user.ts";
import { connectedAccount, fetchesMail, isMailbox } from "./connected_account.ts";
import { insertAccount, lockAccountsOf, statesOf } from "./connected_account_verbs.ts";
import { mailboxJobs } from "./mailbox_jobs.ts";
import { lockAddress, proveByGrant, whoHasProven } from "./proof.ts";
import { wakeWaitingMail } from "./sending.ts";

type Account = Row<typeof connectedAccount>;

export interface Connected {
  type: OauthType;
  email: string;
  name: string | null;
  /** The provider has made sure that the address is theirs. Otherwise their mailbox proves it, once it is entered. */
  is_certain: boolean;
  /** The features of such an account. */
  granted_features: string[];
  /** The account that should be connected again. Null for any. */
  account_id: string | null;
}

/** It cannot be connected. The message is for the person who tries. */
export class NotConnectable extends Error {}

/** The caller's account, which works from now on with everything that was granted, except what they have switched off. */
export async function connectByOauth(ctx: Ctx, given: Connected): Promise<Account> {
  const { type, email, name, is_certain, granted_features, account_id } = given;
  await lockAccountsOf(ctx, ctx.actor.user_id);
  await refuseOthersMailbox(ctx, given);
  const found = await ownMailbox(ctx, email);
  if (account_id !== null && found?.id !== account_id)
    throw new NotConnectable(
      `You chose ${email}, which is another address than that of the account you wanted to connect again.`,
    );
  if (found !== null && found._type !== type)
    throw new NotConnectable(
      `You have ${email} as another kind of account already. Delete that account before you connect it here.`,
    );

  const account = found ?? (await insertAccount(ctx, { _type: type, email, identities: [{ email, name }] }));
  const before = account.granted_features ?? granted_features;
  const isWanted = (feature: string) => account.enabled_features.includes(feature) || !before.includes(feature);
  const enabled_features = granted_features.filter(isWanted);
  const states = statesOf({ ...account, enabled_features, granted_features });
  const connected = store.update(ctx, connectedAccount, account, {
    granted_features,
    enabled_features,
    ...(is_certain && { proven_email: emailKey(email) }),
    ...states,
  });
  if (is_certain) proveByGrant(ctx, connected, email);
  await wakeWaitingMail(ctx, connected.id);
  if (fetchesMail(connected)) wake(ctx, mailboxJobs, [connected.id]);
  if (connected.calendar_status === "disabled") return connected;
  retryCalendars(ctx, connected.id);
  wake(ctx, calendarJobs, [connected.id]);
  return connected;
}

/** A mailbox is one member's, who may share it. When two connect it at once, the second finds the first. */
async function refuseOthersMailbox(ctx: Ctx, { email, is_certain }: Connected): Promise<void> {
  await lockAddress(ctx, email);
  const isOther = (id: string | undefined) => id !== undefined && id !== ctx.actor.user_id;
  if (!is_certain && isOther(memberWith(ctx.directory, email)))
    throw new NotConnectable(`${email} is the address of another member, and your account signs in under another one.`);
  const other = (await whoHasProven(ctx, [email])).find(({ user_id, byGrant }) => isOther(user_id) && (byGrant || !is_certain));
  if (other === undefined) return;
  const name = ctx.directory.get(user, other.user_id)?.name ?? "Another member";
  throw new NotConnectable(
    `${name} has connected ${email} already. They, or an admin, can share it with you (shared_with of their account), or delete it.`,
  );
}

async function ownMailbox(ctx: Ctx, email: string): Promise<Account | null> {
  const theirs = sql`t.user_id = ${ctx.actor.user_id} and lower(t.email) = ${emailKey(email)}`;
  return (await lockToChange(ctx, connectedAccount, theirs)).find(({ _type }) => isMailbox(_type)) ?? null;
}
