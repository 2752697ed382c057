// The part of `npm run bench:background` about mail that arrives: how fast waiting mail is filed, how soon a new message is there, and
// what a thousand connected mailboxes cost.
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { senderAt, type Told } from "./mail_store.ts";
import type { Organization } from "./stand.ts";

const waiting = Number(process.env.BACKGROUND_WAITING ?? 5000);
const connected = Number(process.env.BACKGROUND_MAILBOXES ?? 1000);
const senders = 50;

/** The parts of the benchmark that are used here. */
export interface Bench {
  found(name: string): Promise<Organization>;
  request(organization: Organization, method: string, path: string, body?: object): Promise<any>;
  ask<T>(child: ChildProcess, message: object): Promise<T>;
  /** Of both processes of the service, in MB. */
  memory(): number;
  /** The one number that a statement answers. */
  number(text: string): Promise<number>;
}

export interface MailFigures {
  waiting: number;
  /** Filed per second, each with its events. */
  perSecond: number;
  /** Until another organization's only message was filed beside them. */
  besideMs: number;
  /** From the delivery of each message until the API shows it. */
  newMs: number[];
}

export interface RestFigures {
  connected: number;
  /** The memory that they cost, and how many of them were visited per minute. */
  megabytes: number;
  visitsPerMinute: number;
}

interface Made {
  at: number;
  logins: { email: string; imap: object }[];
}

export async function measureMailboxes(bench: Bench, store: ChildProcess): Promise<MailFigures> {
  const tell = (told: Told) => bench.ask<Made>(store, told);
  const [large, small] = [await bench.found("mail-large"), await bench.found("mail-small")];
  for (let n = 0; n < senders; n++) await customer(bench, large, n);
  const lead = await customer(bench, small, 0);

  const [behind] = (await tell({ make: 1, fill: { count: waiting, senders } })).logins;
  const [other] = (await tell({ make: 1, fill: { count: 1, senders: 1 } })).logins;
  const began = performance.now();
  await connect(bench, large, behind!);
  await sleep(1000);
  const beside = performance.now();
  await connect(bench, small, other!);
  await until(async () => (await emails(bench, small)) === 1);
  const besideMs = performance.now() - beside;
  await until(async () => (await emails(bench, large)) === waiting);
  const perSecond = (waiting * 1000) / (performance.now() - began);

  await until(async () => (await bench.number(watched)) === 2);
  await sleep(2000);
  const newMs: number[] = [];
  for (let n = 0; n < 20; n++) {
    const { at } = await tell({ deliver: { at: 1, sender: 0 } });
    await until(async () => (await emails(bench, small, lead)) === n + 2, 20);
    newMs.push(Date.now() - at);
  }
  return { waiting, perSecond, besideMs, newMs };
}

const watched = "select count(*) from mailbox_watch where worker is not null and failures = 0";

/** As many as a process watches, with those that are there already. */
export async function measureAtRest(bench: Bench, store: ChildProcess): Promise<RestFigures> {
  const many = await bench.found("mail-many");
  const before = bench.memory();
  const present = await bench.number("select count(*) from connected_account where imap is not null");
  const { logins } = await bench.ask<Made>(store, { make: connected - present });
  for (const login of logins) await connect(bench, many, login);
  const visits = "select count(*) from connected_account where last_synced_at is not null";
  await until(async () => (await bench.number(watched)) === connected && (await bench.number(visits)) === connected, 1000);
  await sleep(60_000);
  const lately = "select count(*) from connected_account where last_synced_at > now() - interval '1 minute'";
  return { connected, megabytes: bench.memory() - before, visitsPerMinute: await bench.number(lately) };
}

async function customer(bench: Bench, organization: Organization, n: number): Promise<string> {
  const { lead_id } = await bench.request(organization, "POST", "/contact/", {
    name: `Sender ${n}`,
    emails: [{ email: senderAt(n) }],
  });
  return lead_id;
}

const connect = (bench: Bench, organization: Organization, login: object): Promise<unknown> =>
  bench.request(organization, "POST", "/connected_account/", { ...login, enabled_features: ["email_syncing"] });

async function emails(bench: Bench, organization: Organization, lead?: string): Promise<number> {
  const of = lead === undefined ? "" : `&lead_id=${lead}`;
  const page = await bench.request(organization, "GET", `/activity/email/?_count=exact&_limit=1&_fields=id${of}`);
  return page.total_results;
}

/** The store may be slow; the benchmark ends in any case. */
async function until(holds: () => Promise<boolean>, everyMs = 200): Promise<void> {
  for (const limit = Date.now() + 600_000; !(await holds()); await sleep(everyMs))
    if (Date.now() > limit) throw new Error("it did not happen within ten minutes");
}
