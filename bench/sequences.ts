// Thirty virtual days of a sequence with three mailboxes: how long they take, and whether every cap and every hour was held. It has a
// database and a clock of its own.
import type { ChildProcess } from "node:child_process";
import { openApp } from "../src/app.ts";
import { parseConfig } from "../src/config.ts";
import type { Create } from "../src/core/resource.ts";
import { openWorker } from "../src/jobs/worker.ts";
import { asService } from "../src/records/acting.ts";
import { createRecord } from "../src/records/records.ts";
import { connectedAccount } from "../src/resources/accounts/connected_account.ts";
import { background } from "../src/resources/background.ts";
import { contact } from "../src/resources/contacts/contact.ts";
import { lead } from "../src/resources/leads/lead.ts";
import { sequence } from "../src/resources/sequences/sequence.ts";
import { sequenceSubscription } from "../src/resources/sequences/sequence_subscription.ts";
import { givenSteps } from "../src/resources/sequences/steps.ts";
import { newId } from "../src/values/id.ts";
import { foundBenchOrganization, openStand } from "./stand.ts";

export interface ThirtyDays {
  subscriptions: number;
  seconds: number;
  sent: number;
  /** The most mails of one mailbox on one day. */
  mostOfDay: number;
  outOfHours: number;
}

const cap = 150;
const days = 30;
const begin = Date.UTC(2033, 0, 3, 6);
const chunk = 100;

export async function measureThirtyDays(
  server: ChildProcess,
  ask: <T>(child: ChildProcess, message: string) => Promise<T>,
  subscriptions: number,
): Promise<ThirtyDays> {
  const stand = await openStand();
  let now = new Date(begin);
  const app = await openApp({
    databaseUrl: stand.databaseUrl,
    rls: false,
    baseUrl: "http://localhost",
    secretKey: "the secret key of the bench",
    oauth: parseConfig({}).oauth,
    ai: parseConfig({}).ai,
    filesDir: "/nonexistent",
    outboundAllowCidrs: ["127.0.0.0/8"],
    clock: () => now,
  });
  try {
    const { id, userId } = await foundBenchOrganization(app, "sequences");
    const inside = <T>(work: Parameters<typeof asService<T>>[4]): Promise<T> =>
      asService(app.core, id, userId, { id: newId("req"), method: "", path: "bench" }, work);
    const smtp = { host: "127.0.0.1", port: await ask<number>(server, "listen"), use_ssl: false, username: null };
    const made = await inside(async (ctx) => {
      const account_ids: string[] = [];
      for (const name of ["ada", "bob", "eve"]) {
        const box = { email: `${name}@bench.example`, smtp, daily_cap: cap + 10 };
        account_ids.push((await createRecord(ctx, connectedAccount, box as Create<typeof connectedAccount>)).id);
      }
      const steps = ["One", "Two"].map((subject, i) => ({
        step_type: "email",
        subject,
        body: "<p>Dear {{ contact.first_name }}</p>",
        delay: { amount: 3 * i, unit: "days" },
      }));
      const ranges = [1, 2, 3, 4, 5].map((weekday) => ({ weekday, start: "09:00", end: "17:00" }));
      const body = {
        name: "Outreach",
        timezone: "UTC",
        steps: givenSteps.parse(steps),
        schedule: { ranges },
        throttle: { max_per_sender_per_day: cap },
      };
      const whole = { ...body, sender: { mode: "rotate", account_ids } } as unknown as Create<typeof sequence>;
      return createRecord(ctx, sequence, whole);
    });
    for (let i = 0; i < subscriptions; i += chunk)
      await inside(async (ctx) => {
        for (let n = i; n < Math.min(i + chunk, subscriptions); n++) {
          const emails = [{ email: `person-${n}@client.example`, type: "office" }];
          const lead_id = (await createRecord(ctx, lead, { name: `Company ${n}` } as Create<typeof lead>)).id;
          const person = await createRecord(ctx, contact, { lead_id, name: `Person ${n}`, emails } as Create<typeof contact>);
          const way = { sequence_id: made.id, contact_id: person.id };
          await createRecord(ctx, sequenceSubscription, way as Create<typeof sequenceSubscription>);
        }
      });

    const started = performance.now();
    const worker = openWorker(app.core, { ...background, watches: [] }, (error) => console.error(error.message));
    for (let day = 0; day < days; day++)
      for (const hours of [0, 4, 8]) {
        now = new Date(begin + day * 86_400_000 + hours * 3_600_000);
        await worker.drained();
      }
    await worker.stop();
    const seconds = (performance.now() - started) / 1000;
    return { subscriptions, seconds, ...(await outcome(app, id)) };
  } finally {
    await app.close();
    await stand.close();
  }
}

async function outcome(app: Awaited<ReturnType<typeof openApp>>, organizationId: string) {
  const rows = await app.db.query(organizationId, {
    text: `select email_account_id, date_sent::date::text, count(*), count(*) filter (where extract(isodow from date_sent) > 5
             or extract(hour from date_sent at time zone 'UTC') not between 9 and 16)
           from activity where organization_id = $1 and _type = 'Email' and status = 'sent' group by 1, 2`,
    values: [organizationId],
  });
  const counts = rows.map((row) => Number(row[2]));
  return {
    sent: counts.reduce((sum, one) => sum + one, 0),
    mostOfDay: Math.max(0, ...counts),
    outOfHours: rows.reduce((sum, row) => sum + Number(row[3]), 0),
  };
}

export const capOfDay = cap;
