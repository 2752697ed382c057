// Automations that the clock starts: on which times, and each once.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chain, published } from "../../../../test/support/automations.ts";
import { atMoment } from "../../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../../test/support/given.ts";
import { withTwoWorkers } from "../../../../test/support/worker.ts";
import { query } from "../../../core/context.ts";
import { sql, statement } from "../../../db/sql.ts";
import { lastTime, nextTime } from "../../../values/cron.ts";
import { dateOf, lookFor } from "./dates.ts";

const at = (text: string) => new Date(text);
const graph = chain(["set.vars", { values: { done: true } }]);

/** Two workers side by side, at this time. */
async function work(acme: Workspace, moment: string): Promise<void> {
  acme.service.clock.now = at(moment);
  await withTwoWorkers(acme.service, async (both) => {
    for (let i = 0; i < 3; i++) await both.drained();
  });
}

const started = async (acme: Workspace, { id }: any): Promise<string[]> =>
  (await acme.all(`/automations/${id}/runs/`)).map((run: any) => run.object_id);

describe("a cron expression is read by the clock on the wall", () => {
  const next = (cron: string, zone: string, after: string) => nextTime(cron, zone, at(after))?.toISOString();

  test("a time that the clock skips comes after the gap, and one that comes twice only first", () => {
    assert.equal(next("30 2 * * *", "Europe/Berlin", "2027-03-28T00:00:00Z"), "2027-03-28T01:30:00.000Z");
    assert.equal(next("30 2 * * *", "Europe/Berlin", "2027-10-31T00:00:00Z"), "2027-10-31T00:30:00.000Z");
    assert.equal(next("30 2 * * *", "Europe/Berlin", "2027-10-31T00:30:00Z"), "2027-11-01T01:30:00.000Z");
    assert.equal(next("15 2 * * *", "Australia/Lord_Howe", "2027-10-02T14:00:00Z"), "2027-10-02T15:45:00.000Z");
    assert.equal(next("0 9 * * 1", "Asia/Kathmandu", "2027-01-01T00:00:00Z"), "2027-01-04T03:15:00.000Z");
  });

  test("a day that a zone leaves out comes with the next one, once", () => {
    assert.equal(next("0 9 * * *", "Pacific/Apia", "2011-12-29T19:00:00Z"), "2011-12-30T19:00:00.000Z");
    assert.equal(next("0 9 * * *", "Pacific/Apia", "2011-12-30T19:00:00Z"), "2011-12-31T19:00:00.000Z");
  });

  test("however many times were missed, the last one counts", () => {
    const last = (cron: string) => lastTime(cron, "UTC", at("2026-01-01T00:00:00Z"), at("2027-06-01T10:07:00Z"))?.toISOString();

    assert.deepEqual([last("*/5 * * * *"), last("0 0 1 1 *")], ["2027-06-01T10:05:00.000Z", "2027-01-01T00:00:00.000Z"]);
  });
});

test("what was missed starts once, a pause makes up for nothing, and each record starts once for a time", async () => {
  const acme = await organization();
  acme.service.clock.now = at("2027-01-04T08:00:00Z");
  const leads = [await acme.lead(), await acme.lead()].map(({ id }) => id).sort();
  const trigger = {
    type: "schedule.cron",
    config: { cron: "0 9 * * *", timezone: "UTC", for_each: { object_type: "lead" } },
  };
  const made = await published(acme, graph, { trigger, settings: { re_enroll: "always" } });
  const alone = await published(acme, graph, { trigger: { ...trigger, config: { ...trigger.config, for_each: undefined } } });

  await work(acme, "2027-01-07T12:00:00Z");
  assert.deepEqual([(await started(acme, made)).sort(), await started(acme, alone)], [leads, [null]]);
  const [event] = (await acme.all("/automation_events/?type=schedule.tick")).filter((one: any) => one.object_id === leads[0]);
  assert.deepEqual([event.source, event.evaluations[0].result], ["schedule", "started"]);
  assert.equal((await acme.get(`/automations/${alone.id}/stats/`)).next_timer_at, "2027-01-08T09:00:00.000Z");

  await acme.post(`/automations/${made.id}/pause/`, {});
  await work(acme, "2027-01-08T12:00:00Z");
  await acme.post(`/automations/${made.id}/publish/`, {});
  await work(acme, "2027-01-08T13:00:00Z");
  assert.equal((await started(acme, made)).length, 2);
  await work(acme, "2027-01-09T09:00:00Z");
  assert.equal((await started(acme, made)).length, 4);
});

test("a date that moves is due at its new time, and 29 February every year", async () => {
  const acme = await organization();
  acme.service.clock.now = at("2027-02-20T08:00:00Z");
  const field = await acme.customField("contact", { type: "date", name: "Born" });
  const trigger = (config: object) => ({
    trigger: { type: "schedule.date", config: { offset: { amount: 0, unit: "days", direction: "after" }, ...config } },
  });
  const closing = await published(acme, graph, trigger({ object_type: "opportunity", date_field: "expected_close_date" }));
  const born = {
    object_type: "contact",
    date_field: `custom.${field.id}`,
    recurrence: "yearly",
    at: "09:00",
    timezone: "Asia/Kathmandu",
  };
  const birthdays = await published(acme, graph, trigger(born));
  const deal = await acme.opportunity({ expected_close_date: "2027-02-22" });
  const [ann] = [await acme.contact({ [`custom.${field.id}`]: "2000-02-29" }), await acme.contact()];

  await work(acme, "2027-02-21T08:00:00Z");
  await acme.put(`/opportunity/${deal.id}/`, { expected_close_date: "2027-02-25" });
  await work(acme, "2027-02-23T08:00:00Z");
  assert.deepEqual(await started(acme, closing), []);
  await work(acme, "2027-02-25T00:01:00Z");
  await work(acme, "2027-02-25T00:02:00Z");
  assert.deepEqual(await started(acme, closing), [deal.id]);

  await work(acme, "2027-02-28T03:14:00Z");
  assert.deepEqual(await started(acme, birthdays), []);
  await work(acme, "2027-02-28T03:15:00Z");
  assert.deepEqual(await started(acme, birthdays), [ann.id]);
  await work(acme, "2027-03-02T08:00:00Z");
  await work(acme, "2028-03-02T08:00:00Z");
  assert.deepEqual(await started(acme, birthdays), [ann.id, ann.id]);
});

test("a record is silent once until something happens, however late the look", async () => {
  const acme = await organization();
  acme.service.clock.now = at("2027-05-01T08:00:00Z");
  const trigger = { type: "record.inactive", config: { object_type: "lead", days: 7, activity_kinds: ["note"] } };
  const made = await published(acme, graph, { trigger });
  const lead = await acme.lead();

  await work(acme, "2027-05-07T08:00:00Z");
  await acme.note({ lead_id: lead.id });
  await work(acme, "2027-05-10T08:00:00Z");
  assert.deepEqual(await started(acme, made), []);
  await work(acme, "2027-05-20T08:00:00Z");
  await work(acme, "2027-05-30T08:00:00Z");
  assert.deepEqual(await started(acme, made), [lead.id]);
  await acme.note({ lead_id: lead.id });
  await work(acme, "2027-06-10T08:00:00Z");
  assert.deepEqual(await started(acme, made), [lead.id, lead.id]);

  await atMoment(acme.service, "2027-08-01T08:00:00Z", "automation_occasions");
  const text = "select count(*) from automation_occasion where organization_id = $1";
  assert.deepEqual(await acme.service.app.db.unscoped({ text, values: [acme.id] }), [["0"]]);
});

test("a time that cannot be kept is refused with its reason", async () => {
  const acme = await organization();
  const body = (type: string, config: object) => ({ name: "X", trigger: { type, config }, graph });
  const refuseDraft = (cron: string, timezone: string, field: string) =>
    acme.refused(400, "POST", "/automations/", body("schedule.cron", { cron, timezone }), `trigger.config.${field}`);
  const refuse = async (type: string, config: object, code: string) => {
    const made = await acme.post("/automations/", body(type, config));
    const { errors } = await acme.refused(400, "POST", `/automations/${made.id}/publish/`, {});
    assert.deepEqual(
      errors.map((one: any) => one.code),
      [code],
    );
  };
  const offset = { amount: 1, unit: "days", direction: "after" };

  await refuseDraft("0 25 * * *", "UTC", "cron");
  await refuseDraft("0 0 30 2 *", "UTC", "cron");
  await refuseDraft("0 9 * * *", "Mars/Base", "timezone");
  await refuse(
    "schedule.cron",
    { cron: "58,2 * * * *", timezone: "UTC", for_each: { object_type: "lead" } },
    "cron_too_frequent",
  );
  await refuse("schedule.date", { object_type: "lead", date_field: "name", offset }, "field_unknown");
  await refuse("schedule.date", { object_type: "lead", date_field: "custom.none", offset }, "field_unknown");
});

test("a date comes in the time of the contact, else of the owner, else of the organization", async () => {
  const acme = await organization();
  acme.service.clock.now = at("2027-05-01T00:00:00Z");
  const field = await acme.customField("contact", { type: "date", name: "Born" });
  const config = {
    object_type: "contact",
    date_field: `custom.${field.id}`,
    offset: { amount: 0, unit: "days", direction: "after" },
    recurrence: "yearly",
    at: "09:00",
  };
  const made = await published(acme, graph, { trigger: { type: "schedule.date", config } });
  const mia = await acme.member();
  await mia.put("/me/", { timezone: "America/New_York" });
  const born = { [`custom.${field.id}`]: "1990-05-03" };
  const kathmandu = await acme.contact({ ...born, timezone: "Asia/Kathmandu" });
  const hers = await acme.contact({ ...born, lead_id: (await acme.lead({ owner_id: mia.userId })).id });
  const ours = await acme.contact(born);

  const seen: string[][] = [];
  for (const moment of ["03:14", "03:15", "09:00", "12:59", "13:00"]) {
    await work(acme, `2027-05-03T${moment}:00Z`);
    seen.push(await started(acme, made));
  }

  assert.deepEqual(
    seen.map((ids) => ids.toSorted()),
    [[], [kathmandu.id], [kathmandu.id, ours.id].sort(), [kathmandu.id, ours.id].sort(), [kathmandu.id, ours.id, hers.id].sort()],
  );
});

test("the records of a time are chosen among those that its member sees", async () => {
  const acme = await organization();
  acme.service.clock.now = at("2027-01-04T08:00:00Z");
  const ann = await acme.memberWith(["manage_email_sequences"]);
  for (let i = 0; i < 3; i++) await acme.lead();
  const own = await acme.lead({ owner_id: ann.userId });
  const for_each = { object_type: "lead", limit: 1 };
  const trigger = { type: "schedule.cron", config: { cron: "0 9 * * *", timezone: "UTC", for_each } };
  const made = await published(ann, graph, { trigger, settings: { run_as_user_id: ann.userId } });

  await work(acme, "2027-01-04T09:00:00Z");

  assert.deepEqual(await started(acme, made), [own.id]);
});

test("deals whose date has come are looked up in its index, under many others", async () => {
  const acme = await organization();
  await acme.opportunity({ expected_close_date: "2027-05-01" });

  const plan = await acme.inside(async (ctx) => {
    const columns = await query(ctx, {
      text: `select column_name from information_schema.columns
             where table_schema = 'public' and table_name = 'opportunity' and is_generated = 'NEVER' and column_name not in ('id', 'position')`,
      values: [],
    });
    const names = columns.map(([name]) => name).join(", ");
    await query(ctx, {
      text: `/* a test */ insert into opportunity (id, ${names}) select id || n, ${names} from opportunity, generate_series(1, 300) n
             where organization_id = $1 returning 1`,
      values: [acme.id],
    });
    const date = dateOf(ctx, "opportunity", "expected_close_date")!;
    const look = lookFor(ctx, { object_type: "opportunity" }, date.value!, await date.equals(["2027-05-02"]));
    return (await query(ctx, statement(sql`explain ${look}`))).flat().join("\n");
  });

  assert.match(plan, /opportunity_expected_close_date_idx[^]*Index Cond: .*expected_close_date/);
});
