// Who sends what a subscription sends: a mailbox and an address that whoever subscribes the contact may use.
import { type Ctx, query } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { findRecord, findRecords } from "../../records/records.ts";
import { connectedAccount, isMailbox } from "../accounts/connected_account.ts";
import { checkAddress, identityOf, mailboxOf, sendersOf, usualMailbox } from "../accounts/senders.ts";
import type { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { user } from "../organization/user.ts";
import { checkCallerId, usualTextNumber } from "../telephony/own_numbers.ts";
import type { sequence } from "./sequence.ts";
import type { sequenceSubscription } from "./sequence_subscription.ts";

type Account = Row<typeof connectedAccount>;

export type Sender = Pick<
  Values<typeof sequenceSubscription>,
  "sender_account_id" | "sender_name" | "sender_email" | "from_phone_number_id"
>;

/** What is given, else what the sequence chooses, else the caller's own. */
export async function senderFor(
  ctx: Ctx,
  taken: Row<typeof sequence>,
  person: Row<typeof contact>,
  given: Sender,
): Promise<Sender> {
  return senderOf(ctx, { ...(await senderBy(ctx, taken, person, given)), ...given });
}

/** Missing values come from the account, or without an account from the caller. */
async function senderOf(ctx: Ctx, given: Sender): Promise<Sender> {
  const { sender_account_id: id } = given;
  const account = id === undefined ? await usualAccount(ctx) : id === null ? null : await mailbox(ctx, id);
  await checkSender(ctx, given, { sender_account_id: id });
  const senders = await sendersOf(ctx, ctx.actor.user_id);
  const identity = account && identityOf(ctx, senders, account);
  const me = ctx.directory.get(user, ctx.actor.user_id);
  return {
    sender_account_id: account?.id ?? null,
    sender_name: given.sender_name ?? identity?.name ?? me?.name ?? null,
    sender_email: given.sender_email ?? identity?.email ?? me?.email ?? null,
  };
}

/** What its messages cannot leave by, said before one is due: they wait until it is there. Null when nothing is missing. */
export async function wayMissing(ctx: Ctx, { steps }: Row<typeof sequence>, sender: Sender): Promise<string | null> {
  const me = ctx.actor.user_id;
  const from = { sender: sender.sender_email ?? null, email_account_id: sender.sender_account_id ?? null, send_as_id: null };
  const mails = steps.some(({ step_type }) => step_type === "email");
  if (mails && usualMailbox(ctx, await sendersOf(ctx, me), from) === null)
    return "When it was made there was no mailbox for its e-mails: connect one, or name a sender_account_id that you may use";
  const texts = steps.some(({ step_type }) => step_type === "sms");
  if (texts && sender.from_phone_number_id == null && usualTextNumber(ctx, me) === null)
    return "When it was made there was no number for its text messages: name a from_phone_number_id that you may use";
  return null;
}

/** The mailbox that the sequence chooses, where whoever subscribes the contact names none and may send from it. */
async function senderBy(ctx: Ctx, { sender }: Row<typeof sequence>, person: Row<typeof contact>, given: Sender): Promise<Sender> {
  if (sender === null || given.sender_account_id !== undefined) return {};
  const { accounts } = await sendersOf(ctx, ctx.actor.user_id);
  const usable = accounts.filter((one) => isMailbox(one._type) && one.send_status !== "disabled");
  if (sender.mode === "owner") {
    const owner = (await findRecord(ctx, lead, person.lead_id))?.owner_id;
    const own = owner ? usable.find((one) => one.user_id === owner) : undefined;
    return own === undefined ? {} : { sender_account_id: own.id };
  }
  const among = usable.filter(({ id }) => sender.account_ids.includes(id));
  const working = among.filter(({ send_status }) => send_status !== "error");
  const chosen =
    sender.mode === "fixed"
      ? among.find(({ id }) => id === sender.account_ids[0])
      : await leastBusy(ctx, working.length > 0 ? working : among);
  return chosen === undefined ? {} : { sender_account_id: chosen.id };
}

async function leastBusy(ctx: Ctx, among: readonly Account[]): Promise<Account | undefined> {
  const rows = await query(
    ctx,
    statement(
      sql`select t.sender_account_id, count(*) from sequence_subscription t where t.organization_id = ${ctx.organization_id}
        and t.sender_account_id = any(${among.map(({ id }) => id)}) and t.status in ('active', 'paused') group by t.sender_account_id`,
      "sequence_subscription.load_of_senders",
    ),
  );
  const load = new Map(rows.map(([id, count]) => [id!, Number(count)]));
  return [...among].sort((a, b) => (load.get(a.id) ?? 0) - (load.get(b.id) ?? 0) || (a.id < b.id ? -1 : 1))[0];
}

async function usualAccount(ctx: Ctx): Promise<Account | null> {
  const own = [sql`t.user_id = ${ctx.actor.user_id}`, sql`t._type in ('google', 'microsoft', 'custom_email')`];
  return (await findRecords(ctx, connectedAccount, own, sql`order by t.is_default desc, t.id limit 1`))[0] ?? null;
}

const mailbox = (ctx: Ctx, id: string): Promise<Account> => mailboxOf(ctx, ctx.actor.user_id, id, "sender_account_id");

/** Members send as themselves, or as members who allow it. */
export async function checkSender(ctx: Ctx, given: Sender, before: Sender): Promise<void> {
  const { sender_account_id, sender_email, from_phone_number_id } = given;
  const me = ctx.actor.user_id;
  if (sender_account_id && sender_account_id !== before.sender_account_id) await mailbox(ctx, sender_account_id);
  if (sender_email && sender_email !== before.sender_email) await checkAddress(ctx, me, sender_email, "sender_email");
  if (from_phone_number_id !== before.from_phone_number_id) checkCallerId(ctx, from_phone_number_id, me, "from_phone_number_id");
}
