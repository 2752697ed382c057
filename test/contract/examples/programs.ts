/* oxlint-disable unicorn/no-thenable -- `then` is the wire's word for what follows */
// What programs use: automations, webhooks, events, imports, exports, reports, undoing.
import { agentOf } from "../../support/agent.ts";
import { OauthClient } from "../../support/oauth_client.ts";
import { until } from "../../support/processes.ts";
import { receiver } from "../../support/receiver.ts";
import { website } from "../../support/website.ts";
import { fail, type Records } from "./records.ts";
import type { Story } from "./story.ts";

export async function programs(story: Story, { lead, contact }: Records): Promise<void> {
  await automations(story);
  await catalogs(story);
  await webhooks(story);
  await events(story);
  await imports(story);
  await exports(story);
  await mailingExports(story);
  await reports(story);
  await agents(story);
  await ends(story, { lead, contact });
}

const newLead = { type: "record.created", config: { object_type: "lead" } };
const task = (text: string) => ({ type: "task.create", config: { text: { $template: text } }, ports: { out: null } });

async function automations(story: Story): Promise<void> {
  const { ws } = story;
  const rule = await story.five(
    "automation",
    "/automation/",
    {
      name: "Call new leads",
      trigger: "lead.created",
      actions: [{ type: "create_task", config: { text: "Call them" } }],
      status: "paused",
    },
    { change: { description: "Nobody waits longer than a day." }, spare: { name: "Old" } },
  );
  await story.show("automation.upgrade", `/automation/${rule.id}/upgrade/`, {});
  const graph = { start: "call", steps: { call: task("Call {{ record.name }}") } };
  const made = await story.five(
    "automations",
    "/automations/",
    { name: "Welcome", trigger: newLead, graph },
    { change: { description: "A task for each new lead." }, spare: { name: "Old" } },
  );
  const at = (what: string) => `/automations/${made.id}/${what}/`;
  const lead = await ws.lead({ name: "Hot Cops" });
  await story.show("automations.simulate", at("simulate"), { record: { type: "lead", id: lead.id } });
  await story.show("automations.publish", at("publish"), { change_note: "First version" });
  await story.show("automations.versions", at("versions"));
  const manual = await ws.post("/automations/", {
    name: "Offer a tour",
    trigger: { type: "manual", config: { object_type: "lead" } },
    graph,
  });
  await ws.post(`/automations/${manual.id}/publish/`, {});
  await story.show("automations.run", `/automations/${manual.id}/run/`, { lead_id: lead.id });
  const { data } = await ws.get(`/event/?object_id=${lead.id}&event=lead.created`);
  await story.show("automations.replay", at("replay"), { event_id: data[0].id });
  await story.work();
  await story.show("automations.runs", at("runs"), undefined, { query: { _limit: "2" } });
  await story.show("automation_run.list", "/automation_runs/", undefined, { query: { _limit: "2" } });
  const [run] = (await ws.get(at("runs"))).data;
  await story.show("automation_run.get", `/automation_runs/${run.id}/`);
  await failing(story);
  await story.show("automations.stats", at("stats"));
  await story.show("automations.pause", at("pause"), { in_flight: "finish" });
  const hooked = await ws.post("/automations/", {
    name: "From the website",
    trigger: { type: "webhook.received", config: { verification: { mode: "standard" } } },
    graph,
  });
  await ws.post(`/automations/${hooked.id}/publish/`, {});
  await story.show("automations.rotate_secret", `/automations/${hooked.id}/rotate_secret/`, {});
  await story.show("automation_event.list", "/automation_events/", undefined, { query: { _limit: "2" } });
}

async function failing(story: Story): Promise<void> {
  const { ws } = story;
  const wait = { type: "wait.duration", config: { amount: 3, unit: "days" }, ports: { out: null } };
  const waiting = await ws.post("/automations/", {
    name: "Follow up",
    trigger: newLead,
    graph: { start: "wait", steps: { wait } },
  });
  await ws.post(`/automations/${waiting.id}/publish/`, {});
  const bad = {
    type: "record.update",
    config: { fields: { url: { $ref: "record.description" } } },
    ports: { out: null },
    on_error: { then: "hold" },
  };
  const broken = await ws.post("/automations/", {
    name: "Website",
    trigger: newLead,
    graph: { start: "set", steps: { set: bad } },
  });
  await ws.post(`/automations/${broken.id}/publish/`, {});
  await ws.lead({ name: "Fakeblock", description: "no address" });
  await story.work();
  const [held] = (await ws.get(`/automations/${broken.id}/runs/`)).data;
  await story.show("automation_run.retry", `/automation_runs/${held.id}/retry/`, {});
  await story.work();
  await story.show("automations.retry", `/automations/${broken.id}/retry/`, { status: "held" });
  const [living] = (await ws.get(`/automations/${waiting.id}/runs/`)).data;
  await story.show("automation_run.cancel", `/automation_runs/${living.id}/cancel/`, {});
}

async function catalogs(story: Story): Promise<void> {
  await story.show("automation_schema.get", "/automation_schema/");
  for (const kind of ["trigger", "condition", "step"])
    await story.show(`automation_${kind}_types.list`, `/automation_${kind}_types/`, undefined, { query: { _limit: "2" } });
}

async function webhooks(story: Story): Promise<void> {
  const { ws } = story;
  const hook = await receiver();
  const made = await story.five(
    "webhook",
    "/webhook/",
    { url: hook.url, events: ["lead.created"] },
    { change: { events: ["lead.created", "opportunity.won"] }, spare: { url: `${hook.url}/old` } },
  );
  const at = `/webhook/${made.id}/`;
  const ping = await story.show("webhook.test", `${at}test/`, {});
  await story.work();
  await story.show("webhook_delivery.list", `${at}delivery/`);
  await story.show("webhook_delivery.get", `${at}delivery/${ping.id}/`);
  await story.show("webhook.redeliver", `${at}redeliver/`, { delivery_id: ping.id });
  await story.show("webhook.rotate_secret", `${at}rotate_secret/`, {});
  await ws.delete(at);
}

async function events(story: Story): Promise<void> {
  const { ws } = story;
  await story.show("event.list", "/event/", undefined, { query: { _limit: "2" } });
  const [one] = (await ws.get("/event/?event=lead.created&_limit=1")).data;
  await story.show("event.get", `/event/${one.id}/`);
  const { cursor_previous } = await ws.get("/event/?event=lead.created&_limit=1");
  await ws.lead({ name: "Sitwell Housing" });
  await story.show("event.stream", "/event/stream/", undefined, { query: { event: "lead.created", _cursor: cursor_previous } });
}

async function imports(story: Story): Promise<void> {
  await story.show("import.presets", "/import/presets/");
  const csv =
    "Company,Website,E-mail\nGobias Industries,https://gobias.example,gob@gobias.example\nSudden Valley,not a website,\n";
  const made = await story.show("import.create", "/import/", { name: "Fair 2026", csv });
  await story.show("import.update", `/import/${made.id}/`, {
    mapping: made.mapping ?? { Company: "name", Website: "url", "E-mail": "contact.email" },
  });
  await story.work();
  await story.show("import.list", "/import/", undefined, { query: { _limit: "2" } });
  await story.show("import.get", `/import/${made.id}/`);
  await story.show("import.rows", `/import/${made.id}/rows/`);
  await story.show("import.errors", `/import/${made.id}/errors/`);
  await story.show("import.revert", `/import/${made.id}/revert/`, {});
  await story.work();
}

async function exports(story: Story): Promise<void> {
  const { ws } = story;
  const leads = await story.show("export.lead", "/export/lead/", { format: "csv", type: "leads", query: "name:bluth" });
  const deals = await story.show("export.opportunity", "/export/opportunity/", { format: "jsonl" });
  await story.work();
  await story.show("export.list", "/export/", undefined, { query: { _limit: "2" } });
  await story.show("export.get", `/export/${leads.id}/`);
  await story.show("export.download", `/export/${leads.id}/download/`);
  const whole = await story.show("organization.export", `/organization/${ws.id}/export/`, {});
  await story.work();
  await story.show("organization_export.list", "/organization_export/");
  await story.show("organization_export.get", `/organization_export/${whole.id}/`);
  await story.show("organization_export.download", `/organization_export/${whole.id}/download/`);
  await ws.inside((ctx) => fail(ctx, "export", deals.id, "error"));
  await story.show("export.resume", `/export/${deals.id}/resume/`, {});
}

async function mailingExports(story: Story): Promise<void> {
  const { ws } = story;
  await story.show("mailing_export.platforms", "/mailing_export/platforms/", undefined, { query: { _limit: "2" } });
  const made = await story.show("mailing_export.create", "/mailing_export/", { platform: "csv", filters: { has_email: true } });
  await story.show("mailing_export.cancel", `/mailing_export/${made.id}/cancel/`, {});
  const other = await ws.post("/mailing_export/", { platform: "csv", filters: { has_email: true } });
  await story.work();
  await story.show("mailing_export.list", "/mailing_export/", undefined, { query: { _limit: "2" } });
  await story.show("mailing_export.get", `/mailing_export/${other.id}/`);
  await story.show("mailing_export.items", `/mailing_export/${other.id}/items/`, undefined, { query: { _limit: "2" } });
  await ws.inside((ctx) => fail(ctx, "mailing_export", other.id));
  await story.show("mailing_export.resume", `/mailing_export/${other.id}/resume/`, {});
}

async function reports(story: Story): Promise<void> {
  const range = { relative_range: "this-month" };
  await story.show("report.metrics", "/report/activity/");
  await story.show("report.activity", "/report/activity/", {
    ...range,
    type: "comparison",
    metrics: ["leads.created.all.count"],
  });
  await story.show("report.aggregate", "/report/aggregate/", {
    object_type: "opportunity",
    group_by: ["status_id"],
    sum: ["value"],
  });
  await story.show("report.calls_funnel", "/report/calls_funnel/", range);
  await story.show("report.funnel", "/report/funnel/", range);
  await story.show("report.opportunity_funnels", "/report/opportunity_funnels/", range);
  await story.show("report.sales", "/report/sales/", range);
  await story.show("report.sent_emails", "/report/sent_emails/", range);
  await story.show("report.status_change_lead", "/report/status_change/lead/", range);
  await story.show("report.status_change_opportunity", "/report/status_change/opportunity/", range);
}

async function agents(story: Story): Promise<void> {
  const { ws } = story;
  const client = await OauthClient.register(ws.service);
  const { access_token } = await client.connect(ws, { scope: "write_safe", resource: "http://localhost/mcp" });
  const agent = await agentOf(ws, { token: access_token });
  await agent.call("create_record", { object_type: "lead", data: { name: "Blendin Mobile" } });
  await agent.client.close();
  await until(async () => (await ws.get("/agent_call/")).data.length > 0);
  await story.show("agent_call.list", "/agent_call/", undefined, { query: { _limit: "2" } });
  const [call] = (await ws.get("/agent_call/")).data;
  await story.show("agent_call.get", `/agent_call/${call.id}/`);
}

async function ends(story: Story, { lead, contact }: Pick<Records, "lead" | "contact">): Promise<void> {
  const { ws } = story;
  const site = await website("<title>Bluth Company</title>");
  await ws.put(`/lead/${lead.id}/`, { url: site.url });
  const made = await story.show("lead.enrich", `/lead/${lead.id}/enrich/`, {});
  await story.show("contact.enrich", `/contact/${contact.id}/enrich/`, {});
  await story.work();
  await story.show("enrichment.list", "/enrichment/", undefined, { query: { _limit: "2" } });
  await story.show("enrichment.get", `/enrichment/${made.id}/`);
  const renamed = await ws.ask("PUT", `/lead/${lead.id}/`, { body: { name: "Bluth Co." } });
  await story.show("change_set.undo", `/change_set/${renamed.headers.get("x-request-id")}/undo/`, {});
  const erased = await story.show("contact.erase", `/contact/${contact.id}/erase/`, {});
  await story.work();
  await story.show("erasure.list", "/erasure/");
  await story.show("erasure.get", `/erasure/${erased.id}/`);
}
