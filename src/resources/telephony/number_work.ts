// Numbers at the provider: rented, or taken over if the account already has them, and set to call us for incoming texts and
// calls. The waiting record is the intent, and each turn first looks at what the account has. So an interrupted turn is completed
// later, and no number is rented twice. A number whose record is gone is given back if it was rented here.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { raw, sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { holdClaim, type Job, release, type Work, wakeLost } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { type Directions, NotDone, type RentedNumber } from "../../services/telephony.ts";
import { notify } from "../notifications/notify.ts";
import { numberJobs } from "./number_jobs.ts";
import { phoneNumber } from "./phone_number.ts";
import { type Connected, connectedProvider } from "./provider.ts";
import { rentedKind } from "./rented_kind.ts";

type PhoneNumber = Row<typeof phoneNumber>;

export const numberWork: Work = {
  ...numberJobs,
  doc: "Rents numbers at the telephony provider, sets up reports of their incoming texts and calls, and gives them back.",
  slots: 4,
  run: takeTurn,
  // The timer below tries again.
  async giveUp() {},
};

const pauseMs = 60_000;

async function takeTurn(core: Core, job: Job): Promise<void> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  const [[number], connected] = await Promise.all([findRecords(ctx, phoneNumber, [isFor(job)]), connectedProvider(ctx)]);
  const outcome = connected === null ? null : await ask(connected, job, number).catch(orFailure);

  await asSystem(core, job.organization_id, requestOf(job), async (inside) => {
    const [found] = await lockToChange(inside, phoneNumber, isFor(job));
    await holdClaim(inside, job);
    if (number !== undefined && found?.id === number.id && outcome !== null) write(inside, found, outcome);
    const isLater = outcome instanceof NotDone && outcome.kind !== "refused";
    release(inside, job, isLater ? new Date(inside.now.getTime() + pauseMs) : null);
  });
}

const isFor = ({ object_id }: Job) => sql`t.number = ${object_id} and t.type = 'internal'`;

const ask = (connected: Connected, job: Job, number: PhoneNumber | undefined): Promise<Arranged | null> =>
  number === undefined ? leave(connected, job) : arrange(connected, job, number);

function orFailure(error: unknown): NotDone {
  if (error instanceof NotDone) return error;
  throw error;
}

/** The organization rents under this name, so that it gives back only its own numbers. */
const nameFor = ({ organization_id }: Job): string => `Headwater ${organization_id}`;

interface Arranged extends RentedNumber {
  carrier: Connected["provider"]["carrier"];
}

async function arrange({ provider, addressOf }: Connected, job: Job, row: PhoneNumber): Promise<Arranged> {
  const { number, status, country, carrier_type } = row;
  const kind = { country: country ?? "US", type: rentedKind(carrier_type) ?? "local" };
  const found =
    (await provider.rentedNumber(number)) ??
    (status === "pending" ? await provider.rentNumber(number, nameFor(job), kind) : null);
  if (found === null) throw new NotDone("refused", missing[status]);
  await provider.directNumber(found.id, directionsTo(addressOf));
  await provider.directWhatsapp(number, { messages: addressOf("message") });
  return { ...found, carrier: provider.carrier };
}

/** A number is rented only if a record waits for it. */
const missing: Record<PhoneNumber["status"], string> = {
  active: "The connected account at Twilio does not have this number: connect the one that has it, or delete it here",
  porting: "It has not come over from its carrier yet",
  pending: "",
  released: "",
};

const directionsTo = (addressOf: Connected["addressOf"]): Directions => ({
  messages: addressOf("message"),
  calls: addressOf("call"),
  ends: addressOf("call", "ended"),
});

/** A number that the account had before stays with the account: it only no longer calls us. */
async function leave({ provider, addressOf }: Connected, job: Job): Promise<null> {
  const found = await provider.rentedNumber(job.object_id);
  if (found === null) return null;
  await provider.directWhatsapp(job.object_id, { here: addressOf() });
  if (found.name === nameFor(job)) await provider.releaseNumber(found.id);
  else await provider.directNumber(found.id, nowhere(found.directions, addressOf()));
  return null;
}

/** A number that calls another address does not belong to us. */
const nowhere = (directions: Required<Directions>, here: string): Directions =>
  Object.fromEntries(Object.entries(directions).flatMap(([what, address]) => (address.startsWith(here) ? [[what, ""]] : [])));

function write(ctx: Ctx, number: PhoneNumber, outcome: Arranged | NotDone): void {
  if (!(outcome instanceof NotDone)) {
    const { carrier, capabilities, address_id, bundle_id } = outcome;
    const values = {
      status: "active",
      status_details: null,
      carrier,
      address_id,
      bundle_id,
      sms_enabled: capabilities.sms,
      mms_enabled: capabilities.mms,
    };
    store.update(ctx, phoneNumber, number, values as Partial<PhoneNumber>);
    return;
  }
  if (outcome.message === number.status_details) return;
  store.update(ctx, phoneNumber, number, { status_details: outcome.message });
  if (outcome.kind === "refused" && number.status !== "porting") tell(ctx, number, outcome.message);
}

function tell(ctx: Ctx, { id, number, status, created_by }: PhoneNumber, reason: string): void {
  notify(ctx, [created_by], {
    type: "account_error",
    title: status === "pending" ? `The number ${number} could not be rented` : `The number ${number} does not work`,
    body: reason,
    object_type: "phone_number",
    object_id: id,
    actor_id: null,
  });
}

/** Wakes the jobs of numbers that the provider has not confirmed. */
export const pendingNumbers: Due<typeof phoneNumber> = {
  of: phoneNumber,
  when: () => sql`t.status in ('pending', 'porting') and t.type = 'internal'`,
  since: raw("t.date_created"),
  onlyWakes: true,
  act(ctx, rows) {
    wakeLost(
      ctx,
      numberJobs,
      rows.map(({ number }) => number),
    );
  },
};
