// A port without an answer from the carrier shows that after thirty days.
import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment } from "../../../test/support/clock.ts";
import { organization, type Workspace } from "../../../test/support/given.ts";

const ask = (ws: Workspace, number: string) =>
  ws.post("/port/close/", { phone_numbers: [number], authorized_name: "Ada", account_number: "42" });

test("a port that no carrier has answered for thirty days asks somebody to act, once, and can still be ended", async () => {
  const acme = await organization();
  acme.service.clock.now = new Date("2031-03-01T09:00:00.000Z");
  const [port, ended] = [await ask(acme, "+12125550001"), await ask(acme, "+12125550002")];
  await acme.post("/port/close/", { port_id: ended.id });
  const shown = () => acme.get(`/port/${port.id}/`);

  await atMoment(acme.service, "2031-03-31T08:59:59.999Z", "ports");
  const before = await shown();
  await atMoment(acme.service, "2031-03-31T09:00:00.000Z", "ports");
  const after = await shown();
  await atMoment(acme.service, "2031-05-31T09:00:00.000Z", "ports");

  const codes = ({ exceptions }: any) => exceptions.map((one: any) => one.code);
  const missing = ["loa_missing", "invoice_missing"];
  assert.deepEqual([before.status, codes(before)], ["submitted", missing]);
  assert.deepEqual([after.status, codes(after)], ["exception", [...missing, "no_answer"]]);
  assert.match(after.status_details, /^No carrier has answered for 30 days/);
  assert.deepEqual(await shown(), after);
  assert.deepEqual(
    (await acme.events(port.id)).map((one) => one.event),
    ["port.created", "port.updated"],
  );
  assert.equal((await acme.get(`/port/${ended.id}/`)).status, "cancelled");
  assert.equal((await acme.post("/port/close/", { port_id: port.id })).status, "cancelled");
});
