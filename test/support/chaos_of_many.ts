// Kills workers at random while records are edited, deleted, mailed, imported, exported and pushed by the hundred. In the end every item
// and row was done once, what is counted is what happened, and each file has the bytes of a quiet run.
import { setTimeout as sleep } from "node:timers/promises";
import { inChaos, type Killing } from "./chaos.ts";
import { organization, type Workspace } from "./given.ts";
import { mailchimp, type PlatformServer } from "./mailing_platforms.ts";
import { multiply } from "./rows.ts";
import { type MailServer, startMailServer } from "./smtp.ts";
import { withWorker } from "./worker.ts";

export interface OutcomeOfMany {
  kills: number;
  /** How many of each kind ended. */
  ended: Record<Kind, number>;
  items: number;
  rows: number;
  mails: number;
  /** Counters that differ from what happened, what happened twice, and files with other bytes. */
  wrong: string[];
  /** What did not come to an end. */
  stuck: string[];
}

const kinds = ["edit", "delete", "email", "import", "export", "push"] as const;
type Kind = (typeof kinds)[number];

interface Setting {
  ws: Workspace;
  /** Its leads are never changed. */
  still: Workspace;
  templateId: string;
  /** The checksum of its export in a quiet run. */
  quiet: string;
  mail: MailServer;
  platform: PlatformServer;
}

export const chaosOfMany = (killing: Killing): Promise<OutcomeOfMany> =>
  inChaos(killing, async ({ service, kill, stopClock }) => {
    const servers = { mail: await startMailServer(), platform: await mailchimp("secret-key-us21").start() };
    try {
      const [ws, still] = [await organization(service), await organization(service)];
      const setting = { ws, still, ...servers, ...(await prepared(ws, still, servers)) };
      const workers = await kill((isBusy) => Promise.all(kinds.map((kind) => again(setting, kind, isBusy))));
      await Promise.all(workers.map((one) => one.stop()));
      stopClock();
      await toTheEnd(setting);
      return { kills: killing.kills, ...(await compared(setting)) };
    } finally {
      servers.platform.close();
      await servers.mail.close();
    }
  });

const people = 300;

async function prepared(
  ws: Workspace,
  still: Workspace,
  { mail, platform }: Pick<Setting, "mail" | "platform">,
): Promise<Pick<Setting, "templateId" | "quiet">> {
  await ws.post("/connected_account/", { email: `ada-${ws.id}@acme.example`.toLowerCase(), smtp: mail.smtp });
  await ws.put("/credentials/mailchimp/", { api_key: "secret-key-us21", base_url: platform.url });
  const template = { name: "Hello", is_shared: true, subject: "Hello {{ contact.name }}", body: "<p>Hello</p>" };
  const { id: templateId } = await ws.post("/email_template/", template);
  const rows = Array.from({ length: people }, (_, n) => ({
    Company: `Kept ${n}`,
    Person: `Ann ${n}`,
    Email: `p${n}-${ws.id}@client.example`.toLowerCase(),
  }));
  const made = await ws.post("/import/", { rows });
  await ws.put(`/import/${made.id}/`, { mapping: { Company: "name", Person: "contact.name", Email: "contact.email" } });
  await multiply(still, "lead", (await still.lead({ name: "=Still" })).id, 3000);
  const exported = await still.post("/export/lead/", { format: "csv" });
  await withWorker(ws.service, (worker) => worker.drained());
  return { templateId, quiet: (await still.get(`/export/${exported.id}/`)).checksum_sha256 };
}

/** Starts one after the other. */
async function again(setting: Setting, kind: Kind, isBusy: () => boolean): Promise<void> {
  for (let n = 0; isBusy(); n++) {
    // PostgreSQL may be away. What it has taken without an answer is compared with the others.
    const path = await starts[kind](setting, n).catch(() => null);
    while (path !== null && isBusy() && !(await isOver(setting, path))) await sleep(100);
    await sleep(50);
  }
}

const over: ReadonlySet<string> = new Set(["done", "completed", "failed", "error", "canceled"]);

/** Asked without the tests' client, which says when a service refuses much: this one loses its database. */
async function isOver({ ws, still }: Setting, path: string): Promise<boolean> {
  const { service, key } = path.startsWith("/export/") ? still : ws;
  const answer = await fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } }).catch(() => null);
  return answer !== null && over.has(((await answer.json()) as { status?: string }).status ?? "");
}

/** The path of what was started. */
const starts: Record<Kind, (setting: Setting, n: number) => Promise<string>> = {
  async edit({ ws }, n) {
    const body = { type: "set_fields", object_type: "lead", fields: { industry: `Industry ${n}` }, query: 'name:"Kept"' };
    return `/bulk_action/${(await ws.post("/bulk_action/edit/", body)).id}/`;
  },
  async delete({ ws }) {
    // Some of what the imports made.
    const { data } = await ws.get("/lead/?query=name%3AMade&_limit=200&_fields=id");
    const ids = data.map(({ id }: any) => id);
    return `/bulk_action/${(await ws.post("/bulk_action/delete/", { ids })).id}/`;
  },
  async email({ ws, templateId }, n) {
    const body = { template_id: templateId, subject: `Mail ${n}`, query: 'name:"Kept"', results_limit: 40 };
    return `/bulk_action/${(await ws.post("/bulk_action/email/", body)).id}/`;
  },
  async import({ ws }, n) {
    const rows = Array.from({ length: 400 }, (_, i) => ({ Company: `Made ${n}x${i}`, Mail: i % 50 === 0 ? "no address" : "" }));
    const { id } = await ws.post("/import/", { rows });
    await ws.put(`/import/${id}/`, { mapping: { Company: "name", Mail: "email" }, options: { match_by: "none" } });
    return `/import/${id}/`;
  },
  async export({ still }) {
    return `/export/${(await still.post("/export/lead/", { format: "csv" })).id}/`;
  },
  async push({ ws }) {
    const filters = { query: "email:client.example" };
    return `/mailing_export/${(await ws.post("/mailing_export/", { platform: "mailchimp", config: { list_id: "a1" }, filters })).id}/`;
  },
};

/** Time passes until nothing is left to do, at most for a day. */
async function toTheEnd(setting: Setting): Promise<void> {
  const { service } = setting.ws;
  const failures: Error[] = [];
  const drain = async (worker: { drained(): Promise<void> }) => {
    for (let quarters = 0; quarters < 4 * 24; quarters++) {
      await worker.drained();
      if ((await stuckIn(setting)).length === 0) return;
      service.clock.now = new Date(service.clock.now!.getTime() + 15 * 60_000);
    }
  };
  await withWorker(service, drain, { failures });
}

type Ask = (text: string) => Promise<(string | null)[][]>;

const asking =
  ({ service, id }: Workspace): Ask =>
  (text) =>
    service.app.db.query(id, { text, values: [id] });

async function stuckIn({ ws, still }: Setting): Promise<string[]> {
  const rows = await asking(ws)(
    `select concat_ws(' ', id, kind, status) from bulk_action where organization_id = $1 and status not in ('done', 'error', 'canceled')
     union all select concat_ws(' ', id, status) from import where organization_id = $1 and status not in ('done', 'failed', 'error', 'draft')
     union all select concat_ws(' ', id, status) from mailing_export where organization_id = $1 and status not in ('completed', 'failed')
     union all select concat_ws(' ', id, status) from activity where organization_id = $1 and _type = 'Email' and status not in ('sent', 'error')`,
  );
  const exports = await asking(still)(
    "select concat_ws(' ', id, status) from export where organization_id = $1 and status not in ('done', 'error')",
  );
  return [...rows, ...exports].map(([one]) => one!);
}

async function compared(setting: Setting): Promise<Omit<OutcomeOfMany, "kills">> {
  const { ws, still, quiet, mail, platform } = setting;
  const [ask, askStill] = [asking(ws), asking(still)];
  const files = await askStill("select id, status, checksum_sha256, error from export where organization_id = $1");
  const wrong = {
    "bulk action": await ask(countersOfBulkActions),
    import: await ask(countersOfImports),
    twice: await ask(happenedTwice),
    push: await ask(countersOfPushes),
    export: files.filter(([, , checksum]) => checksum !== quiet),
    mail: await sentTwice(ask, mail),
    platform: platform.people.size === people ? [] : [[`${platform.people.size} of ${people} were pushed`]],
  };
  const [ended, [counted]] = [await ask(endedOfEach), await ask(itemsAndRows)];
  const done = new Map(ended.map(([kind, count]) => [kind, Number(count)]));
  return {
    ended: Object.fromEntries(kinds.map((kind) => [kind, kind === "export" ? files.length : (done.get(kind) ?? 0)])) as Record<
      Kind,
      number
    >,
    items: Number(counted![0]),
    rows: Number(counted![1]),
    mails: mail.received.length,
    wrong: Object.entries(wrong).flatMap(([what, found]) => found.map((one) => `${what} ${one.join(" ")}`)),
    stuck: await stuckIn(setting),
  };
}

/** Mails that came more often than they were written. */
async function sentTwice(ask: Ask, mail: MailServer): Promise<string[][]> {
  const written = new Map((await ask(writtenMails)) as [string, string][]);
  const came = new Map<string, number>();
  for (const { recipients, subject } of mail.received) {
    const key = `${recipients[0]} ${subject}`;
    came.set(key, (came.get(key) ?? 0) + 1);
  }
  return [...came].filter(([key, count]) => count > Number(written.get(key) ?? 0)).map(([key, count]) => [key, `${count} times`]);
}

const endedOfEach = `
  select kind, count(*) from bulk_action where organization_id = $1 and status = 'done' group by kind
  union all select 'import', count(*) from import where organization_id = $1 and status = 'done'
  union all select 'push', count(*) from mailing_export where organization_id = $1 and status = 'completed'`;

const itemsAndRows = `
  select (select count(*) from bulk_action_item where organization_id = $1), (select count(*) from import_row where organization_id = $1)`;

const writtenMails = `
  select substring("to" ->> 0 from '[^<> ]+@[^<> ]+') || ' ' || subject, count(*)
  from activity where organization_id = $1 and _type = 'Email' group by 1`;

/** The items' states are what is counted, and each edited lead has one event of the action. */
const countersOfBulkActions = `
  with i as (select bulk_action_id as id, count(*) n, count(kept) kept, count(*) filter (where status = 'succeeded') succeeded,
      count(*) filter (where status = 'skipped') skipped, count(*) filter (where status = 'failed') failed
    from bulk_action_item where organization_id = $1 group by 1),
  e as (select meta ->> 'bulk_action_id' as id, event, count(*) events, count(distinct object_id) objects
    from event where organization_id = $1 and event in ('lead.updated', 'lead.deleted') group by 1, 2)
  select b.id, b.kind, b.status, b.error, b.n_objects, b.n_succeeded, b.n_skipped, b.n_failed, i.succeeded, i.skipped, i.failed, e.events
  from bulk_action b left join i using (id)
  left join e on e.id = b.id and e.event = case b.kind when 'edit' then 'lead.updated' else 'lead.deleted' end
  where b.organization_id = $1 and (b.status <> 'done' or b.n_objects_processed <> b.n_objects
    or (b.n_objects, b.n_succeeded, b.n_skipped, b.n_failed)
      <> (coalesce(i.n, 0), coalesce(i.succeeded, 0), coalesce(i.skipped, 0), coalesce(i.failed, 0))
    or (b.kind <> 'email' and (coalesce(e.events, 0) <> coalesce(e.objects, 0) or coalesce(e.events, 0) <> coalesce(i.kept, 0))))`;

const countersOfImports = `
  with r as (select import_id as id, count(*) n, count(*) filter (where status = 'created') created,
      count(*) filter (where status = 'updated') updated, count(*) filter (where status = 'skipped') skipped,
      count(*) filter (where status = 'failed') failed
    from import_row where organization_id = $1 group by 1)
  select m.id, m.status, m.error, m.n_rows, m.n_created, m.n_failed, r.created, r.failed
  from import m join r using (id)
  where m.organization_id = $1 and m.status <> 'draft' and (m.status <> 'done' or m.n_processed <> m.n_rows
    or (m.n_rows, m.n_created, m.n_updated, m.n_skipped, m.n_failed) <> (r.n, r.created, r.updated, r.skipped, r.failed))`;

/** A row of an import is a lead once. Each of the leads that an e-mail was for got one. */
const happenedTwice = `
  select meta ->> 'import_id', data ->> 'name', count(*)::text from event where organization_id = $1 and event = 'lead.created'
    and meta ->> 'import_id' is not null group by 1, 2 having count(*) > 1
  union all select bulk_action_id, address, count(*)::text from bulk_action_item where organization_id = $1 and address is not null
    group by 1, 2 having count(*) > 1`;

const countersOfPushes = `
  with i as (select mailing_export_id as id, count(*) filter (where status = 'pushed') pushed,
      count(*) filter (where status = 'failed') failed, count(*) filter (where status = 'skipped') skipped
    from mailing_export_item where organization_id = $1 group by 1)
  select x.id, x.status, x.error, x.n_pushed, x.n_failed, x.n_skipped, i.pushed, i.failed
  from mailing_export x left join i using (id)
  where x.organization_id = $1 and (x.status <> 'completed'
    or (x.n_pushed, x.n_failed, x.n_skipped) <> (coalesce(i.pushed, 0), coalesce(i.failed, 0), coalesce(i.skipped, 0)))`;
