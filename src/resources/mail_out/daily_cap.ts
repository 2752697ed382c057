// Limits how much a mailbox sends on one day in its owner's time zone, for all kinds of mail. The rest waits for the next day.
import { type Ctx, query, transactionOf, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { endOfDay, todayIn } from "../../values/time.ts";
import type { AccountType, connectedAccount } from "../accounts/connected_account.ts";
import type { email } from "../activities/email.ts";
import { organizationOf } from "../organization/organization.ts";
import { user } from "../organization/user.ts";

type Account = Pick<Row<typeof connectedAccount>, "email" | "user_id" | "daily_cap" | "_type" | "ramp_up_since">;

/** What providers allow on a day. Beyond it they lock the mailbox. */
const providersCaps: Partial<Record<AccountType, number>> = { google: 2_000, microsoft: 10_000 };

const capOf = ({ daily_cap, _type }: Pick<Account, "daily_cap" | "_type">): number | null =>
  daily_cap ?? providersCaps[_type] ?? null;

/** A mailbox that ramps up begins with so many automatic e-mails a day, and sends a tenth more each day. */
const rampBegin = 20;
const rampGrowth = 1.1;
const dayMs = 86_400_000;

/** How many e-mails may leave on a day when it is a sequence, bulk work or an automation that sends them. */
export function automaticCapOf(ctx: Ctx, account: Account): number | null {
  const cap = capOf(account);
  if (account.ramp_up_since === null) return cap;
  const days = Math.floor((ctx.now.getTime() - Date.parse(account.ramp_up_since)) / dayMs);
  return Math.min(cap ?? Infinity, Math.floor(rampBegin * rampGrowth ** Math.min(days, 365)));
}

type Mail = Pick<Row<typeof email>, "sequence_id" | "bulk_email_action_id" | "automation_run_id">;

const isAutomatic = ({ sequence_id, bulk_email_action_id, automation_run_id }: Mail): boolean =>
  sequence_id !== null || bulk_email_action_id !== null || automation_run_id !== null;

/** Takes `count` e-mails from the mailbox's limit for today, and returns that day. Null when not enough is left. */
export async function takeFromDay(ctx: Ctx, account: Account, mail: Mail, count: number): Promise<string | null> {
  const day = todayOf(ctx, account);
  const [taken] = await transactionOf(ctx).read({
    name: "mailbox_day.take",
    text: `insert into mailbox_day as d (organization_id, mailbox, day, sent, date_created, automatic)
           select $1, $2, $3, $4::integer, $5, $7 where $6::integer is null or $4 <= $6
           on conflict (organization_id, mailbox, day) do update set sent = d.sent + excluded.sent, automatic = d.automatic + excluded.automatic
             where $6::integer is null or d.sent + excluded.sent <= $6
           returning 1`,
    values: [
      ctx.organization_id,
      account.email!.toLowerCase(),
      day,
      count,
      ctx.now,
      isAutomatic(mail) ? automaticCapOf(ctx, account) : capOf(account),
      isAutomatic(mail) ? count : 0,
    ],
  });
  return taken === undefined ? null : day;
}

/** How much the mailbox has sent today, and how much of it nobody wrote by hand. */
export async function sentToday(ctx: Ctx, account: Account): Promise<{ all: number; automatic: number }> {
  const [row] = await query(ctx, {
    name: "mailbox_day.sent",
    text: "select sent, automatic from mailbox_day where organization_id = $1 and mailbox = $2 and day = $3",
    values: [ctx.organization_id, account.email!.toLowerCase(), todayOf(ctx, account)],
  });
  return { all: Number(row?.[0] ?? 0), automatic: Number(row?.[1] ?? 0) };
}

/** Gives back what was taken and not sent. */
export function giveBackToDay(ctx: Ctx, { email }: Pick<Account, "email">, mail: Mail, day: string, count: number): void {
  write(ctx, {
    name: "mailbox_day.give_back",
    text: `update mailbox_day set sent = sent - $4, automatic = automatic - $5
           where organization_id = $1 and mailbox = $2 and day = $3`,
    values: [ctx.organization_id, email!.toLowerCase(), day, count, isAutomatic(mail) ? count : 0],
  });
}

/** When the owner's next day begins. */
export const nextDay = (ctx: Ctx, account: Account): string => endOfDay(todayOf(ctx, account), zoneOf(ctx, account));

const todayOf = (ctx: Ctx, account: Account): string => todayIn(ctx.now, zoneOf(ctx, account));

const zoneOf = ({ directory }: Ctx, { user_id }: Account): string =>
  directory.get(user, user_id)?.timezone ?? organizationOf(directory).timezone ?? "UTC";
