// Workers that are killed while they follow calendars, between a provider's response and storing it. Another worker continues, no
// meeting is missing and none is there twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { claimMs } from "../../src/jobs/job.ts";
import { type CalendarEntry, type FakeCalendar } from "../support/calendars.ts";
import { customer, following, meetings } from "../support/following.ts";
import { startWorker, type WorkerSettings } from "../support/worker_process.ts";

const carla = "carla@client.example";
const count = 60;

const events = (): CalendarEntry[] =>
  Array.from({ length: count }, (_, i) => {
    const starts = new Date(Date.UTC(2031, 2, 10 + Math.floor(i / 10), 8 + (i % 10))).toISOString();
    return { id: `e${i}`, title: `Meeting ${i}`, starts, ends: starts, guests: [{ email: carla }] };
  });

async function given() {
  const one = await following("google");
  await customer(one.acme, carla);
  one.calendar.perPage = 20;
  const fill = (calendar: FakeCalendar) => calendar.put(...events());
  const pass = (ms: number) => (one.service.clock.now = new Date(one.service.clock.now!.getTime() + ms));
  pass(7 * 60_000);
  const worker = (dies?: WorkerSettings["dies"]) =>
    startWorker({
      databaseUrl: one.service.databaseUrl,
      outboundAllowCidrs: ["127.0.0.0/8"],
      env: one.provider.env,
      clock: { at: one.service.clock.now!.getTime(), real: Date.now(), rate: 1 },
      dies,
    });
  const titles = async () => (await one.acme.all("/activity/meeting/")).map(({ title }) => title).sort();
  return { ...one, fill, pass, worker, titles };
}

const all = events()
  .map(({ title }) => title!)
  .sort();

const places: Record<string, NonNullable<WorkerSettings["dies"]>> = {
  "between asking and writing": { before: "calendar.move" },
  "in the middle of what a page says": { before: "calendar_copy.write" },
  "after a page was written": { after: "calendar.move" },
  "at the end of the round": { before: "calendar_round.end" },
};

for (const [place, dies] of Object.entries(places))
  test(`a worker that is killed ${place} loses nothing, and nothing comes twice`, async () => {
    const { calendar, fill, pass, worker, titles, drained } = await given();
    fill(calendar);

    const doomed = await worker(dies);
    assert.equal(await doomed.ended, "SIGKILL");
    const written = (await titles()).length;
    pass(2 * claimMs);
    await drained();

    // A page and the reading position of its calendar are stored together.
    assert.equal(written % 20, 0);
    assert.deepEqual(await titles(), all);
  });

test("two workers, of which one is killed again and again, bring each change once", async () => {
  const { acme, calendar, fill, pass, worker, titles, drained } = await given();
  fill(calendar);

  for (const dies of [{ before: "calendar.move" }, { after: "calendar.move" }, { before: "calendar_copy.write" }]) {
    const [steady, doomed] = [await worker(), await worker(dies)];
    // Whichever worker gets the job: one may be killed, and the other does the rest.
    for (let i = 0; i < 200 && (await titles()).length < count; i++) await Promise.race([doomed.ended, pause()]);
    doomed.kill("SIGKILL");
    await doomed.ended;
    await steady.stop();
    pass(2 * claimMs);
  }
  calendar.change("e0", { title: "Renamed" });
  calendar.remove("e1");
  pass(7 * 60_000);
  await drained();

  const found = await meetings(acme);
  assert.equal(new Set(found.map(({ provider_calendar_event_id }) => provider_calendar_event_id)).size, found.length);
  assert.deepEqual(await titles(), ["Renamed", ...all.filter((title) => title !== "Meeting 0")].sort());
  const off = found.filter(({ status }) => status === "canceled").map(({ title }) => title);
  assert.deepEqual(off, ["Meeting 1"]);
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
