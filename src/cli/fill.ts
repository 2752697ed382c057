// Fills an organization with the sample data. It uses the same operations as a user, so the same checks apply.
import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../app.ts";
import type { Actor } from "../core/context.ts";
import { perform } from "../core/perform.ts";
import { newId } from "../values/id.ts";
import { type Company, type Happening, sampleCompanies } from "./demo_data.ts";

type Call = (operation: string, body: object, params?: Record<string, string>) => Promise<any>;

const day = 86_400_000;
/** How many companies are created at a time: one for each connection for writes. */
const atOnce = 12;

/** Creates `count` leads with all their records as the given actor. Returns the number of records created. */
export async function fillWithSample(app: App, actor: Actor, count = 500): Promise<number> {
  let made = 0;
  const call: Call = async (name, body, params = {}) => {
    const operation = app.core.registry.operation(name);
    if (operation === undefined) throw new Error(`there is no operation ${name}`);
    const answer = await patiently(() =>
      perform(app.core, {
        operation,
        actor,
        given: { params, query: {}, body: body as Record<string, unknown>, strict: true },
        request: { id: newId("req"), method: operation.method, path: operation.path, offsetMinutes: 0, ifMatch: null },
      }),
    );
    made++;
    return JSON.parse(String(answer.body));
  };

  const statuses = await listOf(app, actor, "lead_status");
  const stages = await listOf(app, actor, "opportunity_status");
  const companies = sampleCompanies(count);
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let company = companies.pop(); company !== undefined; company = companies.pop())
        await fillCompany(app, call, company, statuses, stages);
    }),
  );
  return made;
}

/** A busy database refuses for now. The sample can wait and retry. */
async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if ((error as { status?: number }).status !== 503 || tries === 10) throw error;
      await sleep(1000);
    }
  }
}

async function listOf(app: App, actor: Actor, resource: string): Promise<readonly any[]> {
  return (await app.core.directories.of(actor.organization_id)).all(resource);
}

async function fillCompany(
  app: App,
  call: Call,
  company: Company,
  statuses: readonly any[],
  stages: readonly any[],
): Promise<void> {
  const now = app.core.clock().getTime();
  const lead = await call("lead.create", {
    name: company.name,
    url: company.url,
    industry: company.industry,
    status_id: statuses[Math.min(company.stage, statuses.length - 1)].id,
    mrr: company.mrr,
    phones: [{ phone: company.phone, type: "office" }],
    addresses: [{ city: company.city, country: company.country }],
    contacts: company.people.map(({ email, ...person }) => ({ ...person, emails: [{ email, type: "office" }] })),
    date_created: at(now, company.age),
    source: "import",
  });

  for (const { state, period, note, value, confidence } of company.deals) {
    const status = stages.find((one) => one.type === state) ?? stages[0];
    const closing = new Date(now + (15 + (value % 60)) * day).toISOString().slice(0, 10);
    await call("opportunity.create", {
      lead_id: lead.id,
      status_id: status.id,
      note,
      value,
      value_period: period,
      confidence,
      expected_close_date: closing,
    });
  }
  for (const happening of company.history)
    await call(`activity_${happening.kind}.create`, { lead_id: lead.id, ...historyOf(happening, company, now) });
  for (const { text, kind, due, done } of company.todo) {
    const task = await call("task.create", {
      lead_id: lead.id,
      text,
      _type: kind,
      date: new Date(now + due * day).toISOString().slice(0, 10),
    });
    if (done) await call("task.update", { is_complete: true }, { id: task.id });
  }
}

const at = (now: number, daysAgo: number): string => new Date(now - daysAgo * day).toISOString();

function historyOf({ kind, ago, text }: Happening, { people }: Company, now: number): object {
  const when = at(now, ago);
  switch (kind) {
    case "note":
      return { note: text, activity_at: when, date_created: when };
    case "call":
      return { note: text, direction: "outbound", duration: 60 + ((ago * 37) % 900), activity_at: when, date_created: when };
    case "email":
      return {
        subject: text,
        body_text: `Hello ${people[0]!.name.split(" ")[0]},\n\nas discussed.\n`,
        to: [people[0]!.email],
        status: "draft",
        date_created: when,
      };
    case "meeting":
      return { title: text, starts_at: when, duration: 3600, date_created: when };
  }
}
