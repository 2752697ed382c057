// Suppressions: which address or number must not be written to, by which channel, from which sender, and why. Code that is about
// to send checks this in the transaction in which it decides to send.
import { createHash } from "node:crypto";
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { choice, computed, text } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { type Sql, sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { emailKey } from "../../values/email.ts";
import type { Email } from "../shared/contact_points.ts";
import { suppressionIsVisible } from "./suppression_visibility.ts";

export const suppressedChannels = ["email", "sms"] as const;
export type SuppressedChannel = (typeof suppressedChannels)[number];

export const suppressionReasons = ["unsubscribed", "bounced", "complained"] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

export const unsubscribedEmail = resource({
  name: "unsubscribed_email",
  prefix: "unsub",
  doc: "An address that this organization no longer writes to: its owner has opted out, or mail to it bounced.",
  visible: suppressionIsVisible,
  fields: {
    channel: choice(suppressedChannels, { readOnly: true, default: "email" }),
    address: text({ required: true, readOnly: true, doc: "An e-mail address in lower case, or a number as E.164." }),
    email: computed(
      ["channel", "address"],
      z.string().nullable(),
      (channel: SuppressedChannel, address: string) => (channel === "email" ? address : null),
      "The address, where it is one of e-mail.",
    ),
    scope: text({
      readOnly: true,
      default: "all",
      doc: "What is no longer sent: `all`, `marketing` (bulk mail, sequences, automations), or the id of one sequence.",
    }),
    reason: choice(suppressionReasons, { readOnly: true, default: "unsubscribed" }),
    source: text({
      readOnly: true,
      doc: "How it was said: `link`, `one_click`, `reply`, `bounce`, `feedback_report`, `move`.",
    }),
    source_id: text({ readOnly: true, max: 64, doc: "The message that said it." }),
  },
});

/**
 * What is about to be sent: `single` is a message from one person to another, `marketing` goes to many, and the id of a sequence
 * stands for its messages.
 */
export interface Sending {
  channel: SuppressedChannel;
  scope: "single" | "marketing" | (string & {});
}

/** The addresses that must not be written to, in the form of `emailKey`, each with the reason. */
export async function suppressedAmong(
  ctx: Ctx,
  addresses: readonly string[],
  sending: Sending,
): Promise<Map<string, SuppressionReason>> {
  if (addresses.length === 0) return new Map();
  const known = knownAs(ctx, addresses);
  const rows = await query(
    ctx,
    statement(
      sql`select address, reason from unsubscribed_email where organization_id = ${ctx.organization_id}
        and channel = ${sending.channel} and address = any(${[...known.keys()]}) and ${holdsBack(sending)}
        order by reason desc`,
      // Each message asks once or twice, and planning takes longer than answering.
      `unsubscribed_email.among_${sending.scope === "single" ? sending.channel : "scoped"}`,
    ),
  );
  return new Map(rows.map(([address, reason]) => [known.get(address!)!, reason as SuppressionReason]));
}

/** What stays of the address of somebody who was erased: nobody can read it, and mail to it is held back all the same. */
export const erasedAddress = (organizationId: string, address: string): string =>
  `erased:${createHash("sha256")
    .update(`${organizationId}/${emailKey(address)}`)
    .digest("hex")}`;

/** The addresses by the texts that may be stored for them. */
const knownAs = ({ organization_id }: Ctx, addresses: readonly string[]): Map<string, string> =>
  new Map(
    addresses.map(emailKey).flatMap((address) => [
      [address, address],
      [erasedAddress(organization_id, address), address],
    ]),
  );

/**
 * A person may still write personally to somebody who unsubscribed from mailings. A recipient who replied STOP, or whose mail
 * bounced, gets nothing.
 */
function holdsBack({ channel, scope }: Sending): Sql {
  if (scope !== "single") return sql`scope = any(${["all", "marketing", scope]})`;
  return channel === "sms" ? sql`scope = 'all'` : sql`reason in ('bounced', 'complained')`;
}

// --- what contacts show of it ---

interface Marks {
  is_unsubscribed: boolean;
  is_invalid: boolean;
}

const none: Marks = { is_unsubscribed: false, is_invalid: false };

/**
 * Sets for each address whether its owner wants mailings and whether mail reaches it. Known for the addresses the contact had
 * `before`.
 */
export async function markSuppressed(ctx: Ctx, emails: readonly Email[], before: readonly Email[] = []): Promise<Email[]> {
  const known = new Map(before.map((one) => [emailKey(one.email), marksIn(one)]));
  const unknown = emails.map((one) => one.email).filter((email) => !known.has(emailKey(email)));
  const marks = await marksOf(ctx, unknown);
  return emails.map(({ email, type }) => {
    const key = emailKey(email);
    return { email, type, ...(known.get(key) ?? marks.get(key) ?? none) };
  });
}

/** The same for the addresses of many new contacts. */
export async function markNew(ctx: Ctx, all: readonly (readonly Email[])[]): Promise<Email[][]> {
  const marks = await marksOf(
    ctx,
    all.flat().map((one) => one.email),
  );
  return all.map((emails) => emails.map(({ email, type }) => ({ email, type, ...(marks.get(emailKey(email)) ?? none) })));
}

const marksIn = ({ is_unsubscribed, is_invalid }: Email): Marks => ({
  is_unsubscribed: is_unsubscribed === true,
  is_invalid: is_invalid === true,
});

/** A person who unsubscribed from one sequence may get mail from another. */
export async function marksOf(ctx: Ctx, addresses: readonly string[]): Promise<Map<string, Marks>> {
  if (addresses.length === 0) return new Map();
  const known = knownAs(ctx, addresses);
  const rows = await query(
    ctx,
    statement(
      sql`select address, bool_or(reason <> 'bounced'), bool_or(reason = 'bounced') from unsubscribed_email
        where organization_id = ${ctx.organization_id} and channel = 'email' and address = any(${[...known.keys()]})
          and scope in ('all', 'marketing') group by address`,
      "unsubscribed_email.marks",
    ),
  );
  const marks = new Map<string, Marks>();
  // Who was erased and opted out again is there by the hash and by the address.
  for (const [stored, unsubscribed, invalid] of rows) {
    const { is_unsubscribed, is_invalid } = marks.get(known.get(stored!)!) ?? none;
    marks.set(known.get(stored!)!, {
      is_unsubscribed: is_unsubscribed || unsubscribed === "t",
      is_invalid: is_invalid || invalid === "t",
    });
  }
  return marks;
}

/** For people who come from another organization: an opt-out in either organization holds. */
export async function markArrivals(ctx: Ctx, people: readonly { emails: Email[] }[]): Promise<void> {
  const addresses = people.flatMap((one) => one.emails);
  for (const { email } of addresses.filter((one) => one.is_unsubscribed))
    await store.insertNew(ctx, unsubscribedEmail, { address: emailKey(email), source: "move" });
  const marks = await marksOf(
    ctx,
    addresses.map((one) => one.email),
  );
  for (const one of people) one.emails = one.emails.map((entry) => ({ ...entry, ...(marks.get(emailKey(entry.email)) ?? none) }));
}
