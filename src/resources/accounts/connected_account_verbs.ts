// The verbs of connected accounts: they seal passwords and set the account's features.

import { type Ctx, may, query, write } from "../../core/context.ts";
import { invalid, notAllowed } from "../../core/errors.ts";
import type { Create, Patch, Row, Values } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { store } from "../../records/store.ts";
import { newId } from "../../values/id.ts";
import { notAmong } from "../../values/reasons.ts";
import { same } from "../../values/same.ts";
import { forgetAllCalendars } from "../calendars/forget.ts";
import { maySendMore, wakePutOffMail } from "../mail_out/put_off.ts";
import { isActiveMember, user } from "../organization/user.ts";
import { endWaysOf } from "../sequences/endings.ts";
import { wakeThrottled } from "../sequences/wake_throttled.ts";
import { sealFor } from "../shared/sealed.ts";
import { canBeAssigned } from "../tasks/assignee.ts";
import {
  type AccountType,
  availableFeatures,
  connectedAccount,
  fetchesMail,
  isMailbox,
  type MailServer,
} from "./connected_account.ts";
import { allowedIdentities, checkAddressIsFree, sameAddress } from "./identities.ts";
import { mailboxJobs } from "./mailbox_jobs.ts";
import { giveBackGrant } from "./oauth/grants.ts";
import { oauthRevocation } from "./oauth/revoke.ts";
import { wakeWaitingMail } from "./sending.ts";
import { signed } from "./signed.ts";
import { chosenCalendars, followChoice } from "./synced_calendars.ts";

type Account = Row<typeof connectedAccount>;

/** The types that the service uses. The others are known, but not used yet. */
const connectedTypes: ReadonlySet<AccountType> = new Set(["google", "microsoft", "custom_email"]);

type Given = Pick<Create<typeof connectedAccount>, "_type" | "provider" | "type">;

export async function createAccount(ctx: Ctx, input: Create<typeof connectedAccount>): Promise<Account> {
  await checkAddressIsFree(ctx, ctx.actor.user_id, input.email);
  return insertAccount(ctx, input);
}

/** For an address that is free, or that the provider says is the member's. */
export async function insertAccount(ctx: Ctx, { provider, type, ...given }: Create<typeof connectedAccount>): Promise<Account> {
  const _type = typeOf({ _type: given._type, provider, type });
  const user_id = given.user_id ?? ctx.actor.user_id;
  checkOwner(ctx, user_id);
  checkReachable(_type, given);
  checkShared(ctx, given.shared_with);
  if (!connectedTypes.has(_type)) throw invalid({ _type: "cannot be connected yet: use google, microsoft or custom_email" });

  if (given.synced_calendars?.length) throw invalid({ synced_calendars: "can be chosen once the account is connected" });

  const id = newId(connectedAccount.prefix, ctx.now.getTime());
  const enabled_features = given.enabled_features ?? availableFeatures(_type);
  checkFeatures(_type, enabled_features);
  const identities = given.identities ?? firstIdentity(ctx, user_id, given.email);
  const allowed_identities = await allowedIdentities(ctx, { ...given, user_id, identities }, given.identities, null);
  const is_default = await isToBeDefault(ctx, user_id, given.is_default);
  const values = { ...given, ...(await signed(ctx, given)), _type, user_id, enabled_features };
  const account = store.insert(ctx, connectedAccount, {
    ...values,
    ...sealedServers(ctx, id, given, null),
    ...statesOf({ ...values, imap: given.imap ?? null, smtp: given.smtp ?? null, granted_features: null }),
    id,
    identities,
    allowed_identities,
    is_default,
    ramp_up_since: given.ramp_up ? ctx.now.toISOString() : null,
  });
  if (fetchesMail(account)) wake(ctx, mailboxJobs, [id]);
  return account;
}

export async function updateAccount(ctx: Ctx, before: Account, patch: Patch<typeof connectedAccount>): Promise<Account> {
  const { provider: _, type: __, ...given } = patch;
  const after = { ...before, ...given };
  checkReachable(before._type, after);
  checkShared(ctx, given.shared_with, before.shared_with);
  if (given.enabled_features) checkFeatures(before._type, given.enabled_features);
  if (given.enabled_features) checkGranted(before, given.enabled_features);
  if (before.granted_features !== null && after.email !== before.email)
    throw invalid({ email: "cannot differ from the account at the provider: connect the other account instead" });
  if (!sameAddress(after.email, before.email)) await checkAddressIsFree(ctx, before.user_id, after.email);
  const identities = given.identities ?? movedIdentities(before, after.email);
  const allowed_identities = await allowedIdentities(ctx, { ...after, identities }, given.identities, before);
  const synced_calendars = chosenCalendars(ctx, before, given);
  if (given.is_default && !before.is_default) await takeDefault(ctx, before.user_id);

  const servers = sealedServers(ctx, before.id, given, before);
  const reached = { ...after, ...servers };
  const changed = (["imap", "smtp", "enabled_features", "sealed_imap_password", "sealed_smtp_password"] as const).some(
    (key) => !same(before[key], reached[key]),
  );
  const ramp_up_since = after.ramp_up ? (before.ramp_up_since ?? ctx.now.toISOString()) : null;
  const values = {
    ...given,
    ...(await signed(ctx, given)),
    identities,
    allowed_identities,
    ramp_up_since,
    ...servers,
    ...(changed && statesOf(reached)),
  };
  const written = store.update(ctx, connectedAccount, before, { ...values, ...(synced_calendars && { synced_calendars }) });
  followChoice(ctx, before, written);
  if (changed) await wakeWaitingMail(ctx, written.id);
  if (maySendMore(before, written)) await Promise.all([wakePutOffMail(ctx, written), wakeThrottled(ctx, written)]);
  if (changed && fetchesMail(written)) wake(ctx, mailboxJobs, [written.id]);
  return written;
}

/** The grant at the provider is revoked. */
export async function deleteAccount(ctx: Ctx, before: Account): Promise<void> {
  if (before.granted_features !== null) {
    giveBackGrant(ctx, before.id);
    wake(ctx, oauthRevocation, [before.id]);
    forgetAllCalendars(ctx, before.id);
  }
  await endWaysOf(ctx, before);
  await store.remove(ctx, connectedAccount, [before]);
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

/** A feature that the provider did not grant cannot be used. Features that are on stay on. */
function checkGranted({ granted_features, enabled_features: before, smtp, imap }: Account, enabled: readonly string[]): void {
  if (granted_features === null) return;
  const own = [...(smtp ? ["email_sending"] : []), ...(imap ? ["email_syncing"] : [])];
  const known = new Set([...granted_features, ...before, ...own]);
  const place = enabled.findIndex((feature) => !known.has(feature));
  if (place >= 0)
    throw invalid({ [`enabled_features.${place}`]: "was not granted when the account was connected: connect it again" });
}

function checkShared(ctx: Ctx, shared: readonly string[] = [], before: readonly string[] = []): void {
  const place = shared.findIndex((id) => !before.includes(id) && !canBeAssigned(ctx.directory, id));
  if (place >= 0) throw invalid({ [`shared_with.${place}`]: "is not an active member or a group" });
}

function firstIdentity(ctx: Ctx, userId: string, email: string | null | undefined): { email: string; name: string | null }[] {
  return email ? [{ email, name: ctx.directory.get(user, userId)?.name ?? null }] : [];
}

/** An account that sends only under its own address uses the new one when it changes. */
function movedIdentities({ email, identities }: Account, newEmail: string | null): Account["identities"] {
  const [own, ...others] = identities;
  if (newEmail === null || own === undefined || own.email !== email || others.length > 0) return identities;
  return [{ ...own, email: newEmail }];
}

// --- servers ---

type Servers = Values<typeof connectedAccount>;

/** The given servers without their passwords, and the sealed passwords. */
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
    else if (kept !== null) checkSameServer(protocol, before![protocol], server);
  }
  return values;
}

const withoutPassword = ({ password: _, ...server }: MailServer): MailServer => server;

// Otherwise a member could learn a password by pointing the account to another server, or by having it sent unencrypted.
function checkSameServer(protocol: string, before: MailServer | null, after: MailServer): void {
  const changed = (["host", "port", "use_ssl", "username"] as const).find((key) => before !== null && before[key] !== after[key]);
  if (changed !== undefined) throw invalid({ [`${protocol}.password`]: `must be given again for another ${changed}` });
}

/** The state after a new setup: an earlier failure may be solved now. */
export function statesOf({
  enabled_features = [],
  imap,
  smtp,
  granted_features,
}: Pick<Servers, "enabled_features" | "imap" | "smtp" | "granted_features">): Values<typeof connectedAccount> {
  const can = <S extends string>(feature: string, server: MailServer | null | undefined, state: S) =>
    enabled_features.includes(feature) && (server || granted_features?.includes(feature)) ? state : "disabled";
  return {
    send_status: can("email_sending", smtp, granted_features ? "ok" : "untested"),
    receive_status: can("email_syncing", imap, "ok"),
    calendar_status: can("calendar_syncing", null, "ok"),
    latest_smtp_error: null,
    latest_imap_error: null,
    latest_calendar_error: null,
    send_failures: 0,
    send_again_at: null,
  };
}

// --- the default ---

/**
 * A member's first account is their default. Decided under a lock, so that two accounts created at once do not both become the
 * default.
 */
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

export async function lockAccountsOf(ctx: Ctx, userId: string): Promise<void> {
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
