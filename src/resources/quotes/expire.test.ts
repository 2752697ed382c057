// A quote expires when its last day is over in the organization's time zone. That day may have 23, 23½, 24, 24½ or 25 hours.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

/** A zone, a last day, and the instant when it is over. */
const ends: Readonly<Record<string, [zone: string, day: string, end: string]>> = {
  "the day has 23 hours": ["Europe/Berlin", "2031-03-30", "2031-03-30T22:00:00.000Z"],
  "the day has 25 hours": ["America/New_York", "2031-11-02", "2031-11-03T05:00:00.000Z"],
  "the zone is three quarters of an hour off": ["Asia/Kathmandu", "2031-05-06", "2031-05-06T18:15:00.000Z"],
  "the day is half an hour longer": ["Australia/Lord_Howe", "2031-04-06", "2031-04-06T13:30:00.000Z"],
  "the next midnight does not exist": ["America/Havana", "2031-03-08", "2031-03-09T05:00:00.000Z"],
  "the next midnight comes twice": ["America/Havana", "2031-11-01", "2031-11-02T04:00:00.000Z"],
};

async function sent(ws: Workspace, expires_at: string): Promise<any> {
  const { id } = await ws.post("/quote/", {
    lead_id: (await ws.lead()).id,
    line_items: [{ name: "Seat", unit_price: 1000 }],
    expires_at,
  });
  return ws.put(`/quote/${id}/`, { status: "open" });
}

for (const [when, [zone, day, end]] of Object.entries(ends))
  test(`a quote expires at the end of its last day, also where ${when}: ${zone}`, async () => {
    const acme = await organization();
    await acme.put(`/organization/${acme.id}/`, { timezone: zone });
    acme.service.clock.now = new Date(`${day}T09:00:00.000Z`);
    const quote = await sent(acme, day);
    const seen = async () => [
      (await acme.get(`/quote/${quote.id}/`)).status,
      (await acme.events(quote.id)).filter((one) => one.event === "quote.expired").length,
    ];
    const justBefore = new Date(Date.parse(end) - 1).toISOString();

    await atMoment(acme.service, justBefore, "quotes");
    const before = await seen();
    acme.service.clock.now = new Date(end);
    const read = await seen();
    await atMoment(acme.service, end, "quotes");
    const after = await seen();
    await atMoment(acme.service, `${day.slice(0, 4)}-12-31T00:00:00.000Z`, "quotes");

    assert.deepEqual(before, ["open", 0]);
    assert.deepEqual(read, ["expired", 0], "readers see it before it is written");
    assert.deepEqual(after, ["expired", 1]);
    assert.deepEqual(await seen(), after);
  });
