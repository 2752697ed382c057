// Times without a time zone, as spreadsheets write them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import * as moved from "../../../test/support/moved.ts";
import { withWorker } from "../../../test/support/worker.ts";

const work = (acme: Workspace) => withWorker(acme.service, (worker) => worker.drained());

/** Every row came in. */
async function imported(...given: Parameters<typeof moved.imported>): Promise<any> {
  const done = await moved.imported(...given);
  assert.deepEqual([done.status, done.errors], ["done", []]);
  return done;
}

/** An organization with a field for a time, and how it is read. */
async function withTime(zones: { organization: string; member?: string }) {
  const acme = await organization();
  await acme.put(`/organization/${acme.id}/`, { timezone: zones.organization });
  if (zones.member !== undefined) await acme.put("/me/", { timezone: zones.member });
  const at = `custom.${(await acme.customField("lead", { type: "datetime", name: "At" })).id}`;
  const timeOf = async (name: string) => (await acme.get(`/lead/?name=${name}`)).data[0]?.[at] ?? null;
  return { acme, at, timeOf };
}

test("a time without a time zone is the member's, or else the organization's, or that of the option", async () => {
  const table = (name: string, at: string) => `name,custom.At\n${name},${at}\n`;
  const { acme, timeOf } = await withTime({ organization: "Pacific/Apia" });

  await imported(acme, table("Ours", "2026-01-15 14:00"));
  await acme.put("/me/", { timezone: "America/New_York" });
  await imported(acme, table("Winter", "2026-01-15 14:00"));
  await imported(acme, table("Summer", "7/15/2026 2:00 PM"), "lead", { country: "US" });
  await imported(acme, table("Said", "2026-01-15T14:00:00"), "lead", { timezone: "Asia/Kolkata" });
  await imported(acme, table("Zoned", "2026-01-15T14:00:00+02:00"), "lead", { timezone: "Asia/Kolkata" });
  await imported(acme, JSON.stringify([{ name: "Json", "custom.At": "2026-01-15 14:00" }]));
  await acme.refused(400, "POST", "/import/", { csv: "name\nx\n", options: { timezone: "Mars" } }, "options.timezone");

  const names = ["Ours", "Winter", "Summer", "Said", "Zoned", "Json"];
  assert.deepEqual(await Promise.all(names.map(timeOf)), [
    "2026-01-15T01:00:00.000Z",
    "2026-01-15T19:00:00.000Z",
    "2026-07-15T18:00:00.000Z",
    "2026-01-15T08:30:00.000Z",
    "2026-01-15T12:00:00.000Z",
    "2026-01-15T19:00:00.000Z",
  ]);
});

for (const format of ["csv", "xlsx"])
  test(`a ${format} with the times of Excel comes in again without a change, the hour that is there twice included`, async () => {
    const { acme, at } = await withTime({ organization: "Pacific/Apia", member: "America/New_York" });
    const person = `custom.${(await acme.customField("contact", { type: "datetime", name: "Met" })).id}`;
    const times = [
      "2026-01-15T06:00:00.000Z",
      "2026-11-01T05:30:00.000Z",
      "2026-11-01T06:30:00.500Z",
      "0050-07-01T00:00:00.000Z",
    ];
    for (const [i, time] of times.entries())
      await acme.lead({ name: `Lead ${i}`, [at]: time, contacts: [{ name: "Ann", [person]: time }] });
    const states = async () => [
      (await acme.get("/lead/?_order_by=name")).data.map((one: any) => [one.id, one[at], one.date_updated]),
      (await acme.get("/contact/?_order_by=id")).data.map((one: any) => [one.id, one[person], one.date_updated]),
    ];
    const before = await states();

    const done = [
      await imported(acme, await moved.exported(acme, { format, date_format: "excel" })),
      await imported(acme, await moved.exported(acme, { format, date_format: "excel", type: "contacts" }), "contact"),
      await imported(acme, await moved.exported(acme, { format, date_format: "iso8601", timezone: "Africa/Monrovia" })),
      await imported(acme, await moved.exported(acme, { format, date_format: "excel", timezone: "Asia/Tokyo" }), "lead", {
        timezone: "Asia/Tokyo",
      }),
    ];

    assert.deepEqual(
      done.map(({ n_updated, n_skipped }) => [n_updated, n_skipped]),
      done.map(() => [0, times.length]),
    );
    assert.deepEqual(await states(), before);
  });

test("an offset tells the hour that is there twice", async () => {
  const { acme, at, timeOf } = await withTime({ organization: "America/New_York" });
  const { id } = await acme.lead({ name: "Acme", [at]: "2026-11-01T05:30:00.000Z" });

  await imported(acme, `id,custom.At\n${id},2026-11-01T01:30:00-05:00\n`);

  assert.equal(await timeOf("Acme"), "2026-11-01T06:30:00.000Z");
});

test("a lost deal has ended when its day began in the time zone of the import", async () => {
  const { acme } = await withTime({ organization: "UTC" });
  const table = "Deal,Account,Stage,Close date\nBig,Acme,Lost,2026-01-15\n";
  const draft = await acme.post("/import/", { object_type: "opportunity", csv: table });
  const mapping = {
    Account: "name",
    Stage: "opportunity.status",
    "Close date": "opportunity.close_date",
    Deal: "opportunity.note",
  };

  await acme.put(`/import/${draft.id}/`, { mapping, options: { timezone: "America/New_York" } });
  await work(acme);

  assert.equal((await acme.get("/opportunity/")).data[0].date_lost, "2026-01-15T05:00:00.000Z");
});
