// What connecting and changing an account does besides writing the row: it seals passwords and sets the account's features.

import { type Ctx, may, query, write } from "../../core/context.ts";
import { invalid, notAllowed } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { notAmong } from "../../values/reasons.ts";
import { same } from "../../values/same.ts";
import { isActiveMember, user } from "../organization/user.ts";
import { sealFor } from "../shared/sealed.ts";
import { type AccountType, availableFeatures, connectedAccount, isMailbox, type MailServer } from "./connected_account.ts";

type Account = Row<typeof connectedAccount>;
type Given = Pick<Create<typeof connectedAccount>, "_type" | "provider" | "type">;

export async function createAccount(ctx: Ctx, { provider, type, ...given }: Create<typeof connectedAccount>): Promise<Account> {
  const _type = typeOf({ _type: given._type, provider, type });
  const user_id = given.user_id ?? ctx.actor.user_id;
  checkOwner(ctx, user_id);
  checkReachable(_type, given);

  const id = newId(connectedAccount.prefix, ctx.now.getTime());
  const enabled_features = given.enabled_features ?? availableFeatures(_type);
  checkFeatures(_type, enabled_features);
  const is_default = await isToBeDefault(ctx, user_id, given.is_default);
  const values = { ...given, _type, user_id, enabled_features };
  return store.insert(ctx, connectedAccount, {
    ...values,
    ...sealedServers(ctx, id, given, null),
    ...statesOf({ ...values, imap: given.imap ?? null, smtp: given.smtp ?? null }),
    id,
    identities: given.identities ?? firstIdentity(ctx, user_id, given.email),
    is_default,
  });
}

export async function updateAccount(ctx: Ctx, before: Account, patch: Patch<typeof connectedAccount>): Promise<Account> {
  const { provider: _, type: __, ...given } = patch;
  const after = { ...before, ...given };
  checkReachable(before._type, after);
  if (given.enabled_features) checkFeatures(before._type, given.enabled_features);
  if (given.is_default && !before.is_default) await takeDefault(ctx, before.user_id);

  const servers = sealedServers(ctx, before.id, given, before);
  const reached = { ...after, ...servers };
  const changed = (["imap", "smtp", "enabled_features", "sealed_imap_password", "sealed_smtp_password"] as const).some(
    (key) => !same(before[key], reached[key]),
  );
  const identities = given.identities ?? movedIdentities(before, after.email);
  return store.update(ctx, connectedAccount, before, { ...given, identities, ...servers, ...(changed && statesOf(reached)) });
}

function typeOf({ _type, provider, type }: Given): AccountType {
  const said = [...new Set([_type, provider, type].filter((one) => one !== undefined && one !== null))];
  if (said.length > 1) throw invalid({ _type: "differs from provider or type: send one of them" });
  return said[0] ?? "custom_email";
}

function checkOwner(ctx: Ctx, userId: string): void {
  if (userId === ctx.actor.user_id) return;
  if (!may(ctx, "manage_organization")) throw notAllowed("manage_organization");
  if (!isActiveMember(ctx.directory, userId)) throw invalid({ user_id: "is not a member" });
}

function checkReachable(type: AccountType, given: Pick<Patch<typeof connectedAccount>, "email" | "imap" | "smtp">): void {
  if (!isMailbox(type)) return;
  if (!given.email) throw invalid({ email: "is required" });
  if (type === "custom_email" && !given.imap && !given.smtp) throw invalid({ smtp: "is required to send, or imap to receive" });
}

function checkFeatures(type: AccountType, enabled: readonly string[]): void {
  const available = availableFeatures(type);
  const place = enabled.findIndex((feature) => !available.includes(feature));
  if (place >= 0) throw invalid({ [`enabled_features.${place}`]: `${notAmong(enabled[place]!, available)} for this type` });
}

function firstIdentity(ctx: Ctx, userId: string, email: string | null | undefined): { email: string; name: string | null }[] {
  return email ? [{ email, name: ctx.directory.get(user, userId)?.name ?? null }] : [];
}

/** An account that sends under its own address alone does so under its new one. */
function movedIdentities({ email, identities }: Account, newEmail: string | null): Account["identities"] {
  const [own, ...others] = identities;
  if (newEmail === null || own === undefined || own.email !== email || others.length > 0) return identities;
  return [{ ...own, email: newEmail }];
}

// --- servers ---

type Servers = Values<typeof connectedAccount>;

/** The servers that are given, without their passwords, and those sealed. */
function sealedServers(ctx: Ctx, id: string, given: Pick<Servers, "imap" | "smtp">, before: Account | null): Servers {
  const values: Servers = {};
  for (const protocol of ["imap", "smtp"] as const) {
    const server = given[protocol];
    if (server === undefined) continue;
    const column = `sealed_${protocol}_password` as const;
    const kept = before?.[column] ?? null;
    values[protocol] = server === null ? null : withoutPassword(server);
    if (server === null || server.password === null) values[column] = null;
    else if (server.password !== undefined) values[column] = sealFor(ctx, connectedAccount, id, column, server.password);
    else if (kept !== null) checkSameHost(protocol, before![protocol], server);
  }
  return values;
}

const withoutPassword = ({ password: _, ...server }: MailServer): MailServer => server;

// Who may point an account elsewhere must not thereby learn its password.
function checkSameHost(protocol: string, before: MailServer | null, after: MailServer): void {
  if (before !== null && before.host !== after.host)
    throw invalid({ [`${protocol}.password`]: "must be given again for another host" });
}

/** A fresh start for what was just set up; what went wrong before may go right now. */
function statesOf({
  enabled_features = [],
  imap,
  smtp,
}: Pick<Servers, "enabled_features" | "imap" | "smtp">): Pick<
  Servers,
  "send_status" | "receive_status" | "latest_smtp_error" | "latest_imap_error"
> {
  return {
    send_status: smtp && enabled_features.includes("email_sending") ? "ok" : "disabled",
    receive_status: imap && enabled_features.includes("email_syncing") ? "ok" : "disabled",
    latest_smtp_error: null,
    latest_imap_error: null,
  };
}

// --- the default ---

/** A member's first account is their default. Decided under a lock, so that two at once are not both the first. */
async function isToBeDefault(ctx: Ctx, userId: string, asked: boolean | undefined): Promise<boolean> {
  await lockAccountsOf(ctx, userId);
  if (asked === false) return false;
  const [present] = await query(
    ctx,
    statement(
      sql`select 1 from connected_account where organization_id = ${ctx.organization_id} and user_id = ${userId} and is_default`,
    ),
  );
  if (asked && present !== undefined) clearDefault(ctx, userId);
  return asked === true || present === undefined;
}

async function takeDefault(ctx: Ctx, userId: string): Promise<void> {
  await lockAccountsOf(ctx, userId);
  clearDefault(ctx, userId);
}

async function lockAccountsOf(ctx: Ctx, userId: string): Promise<void> {
  await query(
    ctx,
    statement(
      sql`select from membership where organization_id = ${ctx.organization_id} and user_id = ${userId} for no key update`,
    ),
  );
}

function clearDefault(ctx: Ctx, userId: string): void {
  write(
    ctx,
    statement(sql`update connected_account set is_default = false, version = version + 1
      where organization_id = ${ctx.organization_id} and user_id = ${userId} and is_default`),
  );
}
