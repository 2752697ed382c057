// What a report of a server may say. Everybody who got a mail knows its id, and can write in the name of any server that the others who
// got it do not exist, or complained. So of a mail that went to several domains, a report is believed only about addresses of the domain
// that it comes from, unless it comes from our own side, which takes a mail and returns it when it cannot be passed on.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { domainOf, emailKey } from "../../values/email.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import type { email } from "../activities/email.ts";
import { memberWith, people, person } from "../activities/recipients.ts";
import type { Classification } from "./classification.ts";
import { feedbackLoops } from "./complaint.ts";

type Email = Row<typeof email>;

export const recipientsOf = ({ to, cc, bcc }: Pick<Email, "to" | "cc" | "bcc">): string[] => [
  ...new Set(people([to, cc, bcc].flat()).map((one) => emailKey(one.email))),
];

/** Servers send reports, and no recipient does. */
export const isForged = (sent: Email, { is_doubted }: Classification, reporter: string | null): boolean =>
  is_doubted === true || (reporter !== null && recipientsOf(sent).includes(emailKey(reporter)));

/** The report without those about whom it is not believed. */
export async function believed(ctx: Ctx, sent: Email, verdict: Classification, reporter: string | null): Promise<Classification> {
  if (verdict.decided_by === "member") return verdict;
  const strangers = recipientsOf(sent).filter((one) => memberWith(ctx.directory, one) === undefined);
  const from = sourcesOf(verdict, reporter);
  if (new Set(strangers.map(domainOf)).size < 2 || isFromLoop(verdict, reporter, from)) return verdict;
  const ours = await oursOf(ctx, sent);
  // Our own server returns mail; complaints come from where people complain, which only a carrier of ours passes on.
  const isOurs = verdict.class === "complaint" ? isOneCarrier : isOneSite;
  if (from.some((source) => ours.some((one) => isOurs(source, one)))) return verdict;
  const speaksFor = (address: string) => from.some((one) => isOneSite(one, domainOf(address)));
  const failed = verdict.failed.filter(({ address }) => speaksFor(address));
  return { ...verdict, failed, complained: verdict.complained.filter(speaksFor) };
}

/** Anybody can write any sender. Where the mailbox's own server looked where it comes from, what it found counts, and be it nothing. */
const sourcesOf = ({ comes_from = null }: Classification, reporter: string | null): string[] =>
  comes_from ?? (reporter === null ? [] : [domainOf(reporter)]);

/** A known feedback loop, and not somebody who writes in its name: its provider sends customers' mail, too, from domains of its own. */
const isFromLoop = (verdict: Classification, reporter: string | null, from: readonly string[]): boolean =>
  verdict.class === "complaint" &&
  reporter !== null &&
  feedbackLoops.test(reporter) &&
  from.some((source) => `.${domainOf(reporter)}`.endsWith(`.${source}`));

/** Those who carry mail for many, each by all the domains that they report under. */
const carriers = [
  /(^|\.)(gmail|googlemail|google)\.com$/,
  /(^|\.)(outlook|hotmail|live|office365|onmicrosoft)\.com$/,
  /(^|\.)(amazonaws|amazonses)\.com$/,
  /(^|\.)(icloud|me|apple)\.com$/,
  /(^|\.)(yahoo|yahoodns|aol)\.(com|net)$/,
  /(^|\.)((ionos|1and1|kundenserver|perfora)\.(com|de|net|co\.uk|fr|es)|1und1\.de)$/,
  /(^|\.)(strato|rzone)\.(com|de)$/,
  /(^|\.)(fastmail|messagingengine)\.com$/,
  /(^|\.)infomaniak\.(com|ch)$/,
];

/** `mx.client.example` and `client.example`, or two domains of one carrier. */
const isOneSite = (one: string, other: string): boolean =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`) || isOneCarrier(one, other);

const isOneCarrier = (one: string, other: string): boolean =>
  carriers.some((domains) => domains.test(one) && domains.test(other));

const providers: Partial<Record<string, string>> = { google: "gmail.com", microsoft: "outlook.com" };

/** The domains that it was sent from, and of those who carry the mailbox's mail. */
async function oursOf(ctx: Ctx, { sender, email_account_id }: Email): Promise<string[]> {
  const account = email_account_id === null ? null : await findRecord(ctx, connectedAccount, email_account_id);
  const addresses = [sender === null ? null : person(sender).email, account?.email ?? null];
  const hosts = [account?.smtp, account?.imap].flatMap((server) => (server ? [server.host, above(server.host)] : []));
  const ours = [...addresses.flatMap((one) => (one === null ? [] : domainOf(one))), providers[account?._type ?? ""], ...hosts];
  return ours.flatMap((one) => (one ? [one.toLowerCase()] : []));
}

/** `smtp.provider.example` is of `provider.example`. "" where that would be no name of somebody's. */
function above(host: string): string {
  const domain = host.split(".").slice(1).join(".");
  return /\..*[a-z]/i.test(domain) ? domain : "";
}
