// Kills workers at random while mail and texts leave, sequences take their steps and automations run. Servers of all moods take the
// messages. In the end everybody got each message once at most, and everything says what became of it.
import { setTimeout as sleep } from "node:timers/promises";
import { chain, published } from "./automations.ts";
import { inChaos, type Killing } from "./chaos.ts";
import { organization, type Workspace } from "./given.ts";
import { type MailServer, startMailServer } from "./smtp.ts";
import { startTwilio, type TwilioServer } from "./twilio.ts";
import { withWorker } from "./worker.ts";

export interface OutcomeOfMessages {
  kills: number;
  mails: number;
  texts: number;
  subscriptions: number;
  runs: number;
  /** Messages of which nobody knows whether they were sent. They say so, and are not sent again. */
  unknown: number;
  /** What arrived more than once, or says that it was sent and did not arrive. */
  wrong: string[];
  /** What did not come to an end. */
  stuck: string[];
}

interface Servers {
  mail: MailServer;
  twilio: TwilioServer;
}

export const chaosOfMessages = (killing: Killing): Promise<OutcomeOfMessages> =>
  inChaos(killing, async ({ service, kill, stopClock }) => {
    const servers = { mail: await startMailServer(), twilio: await startTwilio() };
    servers.twilio.clock = () => service.clock.now!;
    try {
      const parts = [await equipped(await organization(service), servers), await equipped(await organization(service), servers)];
      makeMoody(servers);
      const workers = await kill((isBusy) => Promise.all(parts.map((part, i) => write(part, `${i}`, isBusy))));
      await Promise.all(workers.map((one) => one.stop()));
      stopClock();
      await toTheEnd(parts);
      const found = await Promise.all(parts.map((part) => compared(part, servers)));
      return { kills: killing.kills, ...found.reduce(sum) };
    } finally {
      servers.twilio.close();
      await servers.mail.close();
    }
  });

interface Part {
  ws: Workspace;
  sequenceId: string;
}

async function equipped(ws: Workspace, { mail, twilio }: Servers): Promise<Part> {
  await ws.post("/connected_account/", { email: `ada-${ws.id}@acme.example`.toLowerCase(), smtp: mail.smtp });
  await ws.put("/credentials/twilio/", twilio.credentials);
  const number = `+1212555${String(1000 + (Number.parseInt(ws.id.slice(-4), 36) % 9000))}`;
  twilio.own(number);
  await ws.post("/phone_number/", { number });
  const delay = { amount: 30, unit: "minutes" };
  const steps = [
    { step_type: "email", subject: "First to {{ contact.first_name }}", body: "<p>Hello</p>" },
    { step_type: "email", subject: "Second to {{ contact.first_name }}", body: "<p>Hello again</p>", delay },
    { step_type: "task", text: "Call them", delay },
  ];
  const sequence = await ws.post("/sequence/", { name: "Outreach", timezone: "UTC", steps });
  const graph = chain(
    ["task.create", { text: "Look at it" }],
    ["wait.duration", { amount: 20, unit: "minutes" }],
    ["note.create", { note: "Waited" }],
    ["tag.change", { tag: "seen", change: "add" }],
  );
  await published(ws, graph);
  return { ws, sequenceId: sequence.id };
}

/** Servers that now and then do what they are asked and do not say so, or refuse for now. */
function makeMoody({ mail, twilio }: Servers): void {
  let asked = 0;
  twilio.mood = ({ method }) => {
    if (method !== "POST") return null;
    const turn = ++asked % 7;
    return turn === 2 ? "deaf" : turn === 4 ? { status: 503 } : turn === 6 ? { status: 429 } : null;
  };
  let taken = 0;
  mail.beforeReceipt = async () => {
    await sleep(20);
    if (++taken % 29 !== 0) return;
    mail.refuses = { at: "text", code: 451, words: "not now" };
    setTimeout(() => (mail.refuses = null), 50);
  };
}

/** Each writer has leads of its own, and a mail, a text, a subscription and a run for each. */
async function write({ ws, sequenceId }: Part, writer: string, isBusy: () => boolean): Promise<void> {
  const make = (path: string, body: object) => ws.ask("POST", path, { body }).catch(() => null);
  for (let n = 0; isBusy(); n++) {
    const name = `p${writer}x${n}`;
    const email = `${name}-${ws.id}@client.example`.toLowerCase();
    const phone = `+1646${String(2_000_000 + Number(writer) * 1_000_000 + n).padStart(7, "0")}`;
    const made = await make("/lead/", { name, contacts: [{ name, emails: [{ email }], phones: [{ phone, type: "mobile" }] }] });
    if (made?.status !== 201) {
      await sleep(100);
      continue;
    }
    const { id: lead_id, contacts } = made.body;
    const contact_id = contacts[0].id;
    await make("/activity/email/", { lead_id, to: [email], subject: `Mail to ${name}`, body_text: "Hello", status: "outbox" });
    await make("/activity/sms/", { contact_id, status: "outbox", text: `Text to ${name}` });
    await make("/sequence_subscription/", { sequence_id: sequenceId, contact_id });
    await sleep(50);
  }
}

/** Time passes until nothing is left to do, at most for ten days. */
async function toTheEnd(parts: readonly Part[]): Promise<void> {
  const { service } = parts[0]!.ws;
  const failures: Error[] = [];
  const drain = async (worker: { drained(): Promise<void> }) => {
    for (let quarters = 0; quarters < 4 * 24 * 10; quarters++) {
      await worker.drained();
      if ((await Promise.all(parts.map(stuckIn))).flat().length === 0) return;
      service.clock.now = new Date(service.clock.now!.getTime() + 15 * 60_000);
    }
  };
  await withWorker(service, drain, { failures });
}

async function stuckIn({ ws }: Part): Promise<string[]> {
  const rows = await ws.service.app.db.query(ws.id, {
    text: `select concat_ws(' ', 'message', id, _type, status, send_attempts) from activity
             where organization_id = $1 and _type in ('Email', 'SMS') and status not in ('sent', 'error')
           union all select concat_ws(' ', 'subscription', id, status, error_message) from sequence_subscription
             where organization_id = $1 and status not in ('finished', 'error')
           union all select concat_ws(' ', 'run', id, status, status_reason) from automation_run
             where organization_id = $1 and status <> 'completed'`,
    values: [ws.id],
  });
  return rows.map(([one]) => one!);
}

type Counts = Omit<OutcomeOfMessages, "kills">;

async function compared(part: Part, { mail, twilio }: Servers): Promise<Counts> {
  const { ws } = part;
  const ask = async (text: string) => ws.service.app.db.query(ws.id, { text, values: [ws.id] });
  const mails = await ask(
    "select subject, substring(\"to\"->>0 from '[^<> ]+@[^<> ]+'), status from activity where organization_id = $1 and _type = 'Email' order by id",
  );
  const texts = await ask(
    "select text, remote_phone, status from activity where organization_id = $1 and _type = 'SMS' order by id",
  );
  const domain = `-${ws.id}@`.toLowerCase();
  const gotMails = timesOf(
    mail.received.filter(({ recipients }) => recipients[0]!.includes(domain)).map((one) => `${one.recipients[0]} ${one.subject}`),
  );
  const gotTexts = timesOf(twilio.messages.map(({ to, body }) => `${to} ${body}`));
  const wrong = [
    ...wrongAmong(
      mails.map(([subject, to, status]) => [`${to} ${subject}`, status!]),
      gotMails,
    ),
    ...wrongAmong(
      texts.map(([text, to, status]) => [`${to} ${text}`, status!]),
      gotTexts,
    ),
    ...(await effectsOnce(ask)),
  ];
  const [counts] = await ask(
    "select (select count(*) from sequence_subscription where organization_id = $1), (select count(*) from automation_run where organization_id = $1)",
  );
  const [subscriptions, runs] = counts!;
  return {
    mails: mails.length,
    texts: texts.length,
    subscriptions: Number(subscriptions),
    runs: Number(runs),
    unknown: [...mails, ...texts].filter(([, , status]) => status === "error").length,
    wrong,
    stuck: await stuckIn(part),
  };
}

const timesOf = (all: readonly string[]): Map<string, number> => {
  const times = new Map<string, number>();
  for (const one of all) times.set(one, (times.get(one) ?? 0) + 1);
  return times;
};

const wrongAmong = (messages: readonly [string, string][], got: ReadonlyMap<string, number>): string[] =>
  messages.flatMap(([one, status]) => {
    const times = got.get(one) ?? 0;
    return times > 1 || (status === "sent" && times !== 1) ? [`${one}: ${status}, arrived ${times} times`] : [];
  });

/** Each run of the automation leaves one task, one note and one tag; each finished subscription one task. */
async function effectsOnce(ask: (text: string) => Promise<(string | null)[][]>): Promise<string[]> {
  const rows = await ask(
    `select concat_ws(' ', l.id, n.tasks, n.notes, n.runs, l.tags) from lead l cross join lateral (
       select (select count(*) from task t where t.organization_id = $1 and t.lead_id = l.id and t.text = 'Look at it') tasks,
         (select count(*) from activity a where a.organization_id = $1 and a.lead_id = l.id and a._type = 'Note') notes,
         (select count(*) from automation_run r where r.organization_id = $1 and r.object_id = l.id) runs,
         (select count(*) from task t where t.organization_id = $1 and t.lead_id = l.id and t.text = 'Call them') calls,
         (select count(*) from sequence_subscription s where s.organization_id = $1 and s.lead_id = l.id and s.status = 'finished') finished) n
     where l.organization_id = $1 and (n.tasks <> 1 or n.notes <> 1 or n.runs <> 1 or n.calls <> n.finished or not l.tags @> '{seen}')`,
  );
  return rows.map(([one]) => `effects ${one}`);
}

const sum = (one: Counts, other: Counts): Counts => ({
  mails: one.mails + other.mails,
  texts: one.texts + other.texts,
  subscriptions: one.subscriptions + other.subscriptions,
  runs: one.runs + other.runs,
  unknown: one.unknown + other.unknown,
  wrong: [...one.wrong, ...other.wrong],
  stuck: [...one.stuck, ...other.stuck],
});
