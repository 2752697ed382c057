// Ports that are under way. A provider that was asked for one says how far it is. Numbers that have come over, whoever was asked, are in
// the organization's account at the provider, where each turn looks for them.
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
import { askAgainAt, askProvider, noteTold } from "./port_at_provider.ts";
import { portJobs } from "./port_jobs.ts";
import { isOpen } from "./port_states.ts";
import { connectedProvider } from "./provider.ts";

type Port = Row<typeof port>;

export const portWork: Work = {
  ...portJobs,
  doc: "Asks the telephony provider for ports, and looks how far they are.",
  slots: 2,
  run: takeTurn,
  // The timer below looks again.
  async giveUp() {},
};

async function takeTurn(core: Core, job: Job): Promise<void> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [found, connected] = await Promise.all([findRecord(ctx, port, job.object_id), connectedProvider(ctx)]);
  const asks = found !== null && connected !== null;
  const told = asks ? await askProvider(core, job, ctx, connected.provider, found) : null;
  const arrived = asks && isOpen(found) ? await arrivedAmong(connected.provider, found.phone_numbers) : [];

  await asSystem(core, job.organization_id, requestOf(job), async (inside) => {
    const [now] = await lockToChange(inside, port, sql`t.id = ${job.object_id}`);
    await holdClaim(inside, job);
    if (now === undefined) return release(inside, job, null);
    const noted = await noteTold(inside, now, told);
    if (isOpen(noted) && arrived.length > 0) await write(inside, noted, arrived);
    release(inside, job, askAgainAt(inside, noted, told));
  });
}

/** One after the other, for nothing waits for it. None where the provider does not say: it is asked again an hour later. */
async function arrivedAmong(provider: Telephony, numbers: readonly string[]): Promise<string[]> {
  const arrived: string[] = [];
  try {
    for (const number of numbers) if ((await provider.rentedNumber(number)) !== null) arrived.push(number);
    return arrived;
  } catch (error) {
    if (error instanceof NotDone) return [];
    throw error;
  }
}

async function write(ctx: Ctx, before: Port, arrived: readonly string[]): Promise<void> {
  const { phone_numbers } = before;
  const here = await lockToChange(ctx, phoneNumber, sql`t.number = any(${arrived})`);
  for (const one of here) if (!one.was_ported) store.update(ctx, phoneNumber, one, { was_ported: true });
  wakeNumbers(ctx, here);
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
