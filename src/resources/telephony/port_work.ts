// Ports that are under way: numbers that have come over are in the organization's account at the provider, where each turn looks for them.
// What the carriers agree on meanwhile nobody tells us.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { raw, sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { holdClaim, type Job, release, type Work, wakeLost } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { findRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { NotDone, type Telephony } from "../../services/telephony.ts";
import { wakeNumbers } from "./number_jobs.ts";
import { phoneNumber } from "./phone_number.ts";
import { port } from "./port.ts";
import { isOpen } from "./port_states.ts";
import { connectedProvider } from "./provider.ts";

type Port = Row<typeof port>;

export const portWork: Work = {
  kind: "port",
  doc: "Looks whether numbers of a port have come over.",
  slots: 2,
  run: takeTurn,
  // The timer below looks again.
  async giveUp() {},
};

async function takeTurn(core: Core, job: Job): Promise<void> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [found, connected] = await Promise.all([findRecord(ctx, port, job.object_id), connectedProvider(ctx)]);
  const looks = found !== null && isOpen(found) && connected !== null;
  const arrived = looks ? await arrivedAmong(connected.provider, found.phone_numbers) : null;

  await asSystem(core, job.organization_id, requestOf(job), async (inside) => {
    const [now] = await lockToChange(inside, port, sql`t.id = ${job.object_id}`);
    await holdClaim(inside, job);
    if (now !== undefined && isOpen(now) && arrived !== null) write(inside, now, arrived);
    release(inside, job, null);
  });
}

/** One after the other, for nothing waits for it. Null where the provider does not say: it is asked again an hour later. */
async function arrivedAmong(provider: Telephony, numbers: readonly string[]): Promise<string[] | null> {
  const arrived: string[] = [];
  try {
    for (const number of numbers) if ((await provider.rentedNumber(number)) !== null) arrived.push(number);
    return arrived;
  } catch (error) {
    if (error instanceof NotDone) return null;
    throw error;
  }
}

function write(ctx: Ctx, before: Port, arrived: readonly string[]): void {
  if (arrived.length === 0) return;
  const { phone_numbers } = before;
  wakeNumbers(
    ctx,
    ctx.directory.list(phoneNumber).filter(({ number }) => arrived.includes(number)),
  );
  if (arrived.length === phone_numbers.length)
    store.update(ctx, port, before, {
      status: "ported",
      status_details: null,
      exceptions: [],
      completed_at: ctx.now.toISOString(),
      foc_date: before.foc_date ?? ctx.now.toISOString().slice(0, 10),
    });
  else
    store.update(ctx, port, before, {
      status: "in_process",
      status_details: `${arrived.length} of ${phone_numbers.length} numbers have come over`,
    });
}

/** Ports that are under way are looked at by the clock. */
export const openPorts: Due<typeof port> = {
  of: port,
  when: () => sql`t.status in ('submitted', 'in_process', 'exception', 'foc_date_confirmed')`,
  since: raw("t.submitted_at"),
  onlyWakes: true,
  act(ctx, rows) {
    wakeLost(
      ctx,
      portWork,
      rows.map(({ id }) => id),
    );
  },
};
