// A port at the provider: it is asked for once, and then says how far it is.
import { Readable } from "node:stream";
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row, Values } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { findRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { NotDone, type OrderedPort, type PortOrder, type Telephony } from "../../services/telephony.ts";
import { file } from "../files/file.ts";
import { notify } from "../notifications/notify.ts";
import { openSealed } from "../shared/sealed.ts";
import { port } from "./port.ts";
import { isOpen } from "./port_states.ts";
import { moveNumbers } from "./ported_numbers.ts";

type Port = Row<typeof port>;

/** What the provider says, or why it does not. Null: there is nothing to ask. */
export type Told = OrderedPort | NotDone | null;

export async function askProvider(core: Core, job: Job, ctx: Ctx, provider: Telephony, found: Port): Promise<Told> {
  if (found.provider !== provider.carrier) return null;
  try {
    if (found.provider_id === null) return isToAsk(found) ? await askFor(core, job, ctx, provider, found) : null;
    if (isOpen(found)) return await provider.portOf(found.provider_id);
    if (found.status !== "cancelled" || found.provider_state === withdrawn) return null;
    await provider.cancelPort(found.provider_id);
    return { id: found.provider_id, state: "canceled", words: withdrawn, objections: [], day: null };
  } catch (error) {
    if (error instanceof NotDone) return error;
    throw error;
  }
}

const withdrawn = "Canceled";

const isToAsk = ({ status }: Port): boolean => status === "submitted";

/** The invoice may be handed over twice, the order itself may not. */
async function askFor(core: Core, job: Job, ctx: Ctx, provider: Telephony, found: Port): Promise<Told> {
  if (found.handed_at !== null) return new NotDone("refused", lost);
  const invoice = await findRecord(ctx, file, found.invoice_file_id!);
  if (invoice === null) return new NotDone("refused", "The invoice is not there any more: end this port, and ask again with it");
  const bytes = Buffer.concat(await Readable.from(await ctx.settings.storage.read(invoice.storage_key)).toArray());
  const invoice_id = await provider.keepInvoice({ name: invoice.name, type: invoice.mime, bytes });

  if (!(await noteHanding(core, job))) return null;
  return provider.orderPort(orderOf(ctx, found, invoice_id)).catch((error) => {
    if (!(error instanceof NotDone)) throw error;
    return error.kind === "unknown" ? new NotDone("refused", lost) : error;
  });
}

const lost =
  "It may have been ordered, for the connection to Twilio broke off: look in its console. If it is not there, end this port and ask again";

/** False when it was ended meanwhile. */
const noteHanding = (core: Core, job: Job): Promise<boolean> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    const [now] = await lockToChange(ctx, port, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    if (now === undefined || !isToAsk(now)) return false;
    store.update(ctx, port, now, { handed_at: ctx.now.toISOString() }, undefined, null);
    return true;
  });

function orderOf(ctx: Ctx, found: Port, invoice_id: string): PortOrder {
  const { phone_numbers, customer_name, customer_type, authorized_name, authorized_email, billing_address: at } = found;
  const opened = (column: "sealed_account_number" | "sealed_pin") =>
    found[column] === null ? null : openSealed(ctx.settings, port, found, column, found[column]);
  return {
    numbers: phone_numbers,
    pin: opened("sealed_pin"),
    customer: { name: customer_name!, type: customer_type ?? "business" },
    account_number: opened("sealed_account_number")!,
    account_phone_number: found.account_phone_number,
    address: {
      address_1: at!.address_1!,
      address_2: at!.address_2 ?? null,
      city: at!.city!,
      state: at!.state!,
      zipcode: at!.zipcode!,
    },
    signer: { name: authorized_name!, email: authorized_email! },
    invoice_id,
    day: found.requested_foc_date,
  };
}

// --- what it says ---

/** Writes it down, with the port locked, and returns the port. */
export async function noteTold(ctx: Ctx, before: Port, told: Told): Promise<Port> {
  if (told === null) return before;
  if (told instanceof NotDone) return noteFailure(ctx, before, told);
  const known = { provider_id: told.id, provider_state: told.words };
  if (!isOpen(before)) return store.update(ctx, port, before, known);
  if (told.state === "acts" || told.state === "expired") return objectTo(ctx, before, told.state, told.objections, known);
  if (told.words === before.provider_state && (told.day === null || told.day === before.foc_date)) return before;
  if (told.state === "canceled") await moveNumbers(ctx, before.phone_numbers, "porting", "pending");
  if (told.state === "waits") tell(ctx, before, waitsFor(before));
  return store.update(ctx, port, before, { ...known, ...stateOf(ctx, before, told) });
}

function noteFailure(ctx: Ctx, before: Port, { kind, message }: NotDone): Port {
  if (kind === "refused" && isOpen(before)) return objectTo(ctx, before, "refused", [message]);
  if (kind !== "refused")
    return before.provider_id === null ? store.update(ctx, port, before, { handed_at: null }, undefined, null) : before;
  const status_details = `Twilio does not end it (${message}): look in its console`;
  tell(ctx, before, status_details);
  return store.update(ctx, port, before, { status_details });
}

const hourMs = 3_600_000;

/** One that was ended is taken back at the provider. Those under way are looked at by the clock. */
export function askAgainAt(ctx: Ctx, { status, provider_id, provider_state }: Port, told: Told): Date | null {
  const isToTakeBack = status === "cancelled" && provider_id !== null && provider_state !== withdrawn;
  if (!isToTakeBack || told === null) return null;
  if (!(told instanceof NotDone)) return ctx.now;
  return told.kind === "refused" ? null : new Date(ctx.now.getTime() + hourMs);
}

const waitsFor = ({ authorized_name, authorized_email }: Port): string =>
  `${authorized_name} has to sign the letter of authorization that Twilio sent to ${authorized_email}`;

function stateOf(ctx: Ctx, before: Port, { state, objections, day }: OrderedPort): Values<typeof port> {
  const none = { status_details: null, exceptions: [], ...(day !== null && { foc_date: day }) };
  if (state === "reviewed") return { ...none, status: "submitted", status_details: "Twilio reviews it" };
  if (state === "waits") return { ...none, status: "submitted", status_details: waitsFor(before) };
  if (state === "agreed") return { ...none, status: "foc_date_confirmed" };
  if (state === "canceled")
    return { ...none, status: "cancelled", status_details: objections.join("; ").slice(0, 1000) || "Twilio canceled it" };
  const isDone = state === "ported";
  return isDone ? { ...none, status: "ported", completed_at: ctx.now.toISOString() } : { ...none, status: "in_process" };
}

const usual: Record<"acts" | "expired" | "refused", string> = {
  acts: "Twilio asks for something: look in its console",
  expired: "The letter of authorization was not signed in time: end this port, and ask again",
  refused: "",
};

function objectTo(
  ctx: Ctx,
  before: Port,
  code: keyof typeof usual,
  given: readonly string[],
  values: Values<typeof port> = {},
): Port {
  const messages = given.length > 0 ? given : [usual[code]];
  const status_details = messages.join("; ").slice(0, 1000);
  const exceptions = messages.map((message) => ({ code: `provider_${code}`, message }));
  if (before.status_details !== status_details) tell(ctx, before, status_details);
  return store.update(ctx, port, before, { ...values, status: "exception", status_details, exceptions });
}

function tell(ctx: Ctx, { id, user_id, phone_numbers }: Port, body: string): void {
  const more = phone_numbers.length - 1;
  notify(ctx, [user_id], {
    type: "account_error",
    title: `The port of ${phone_numbers[0]}${more > 0 ? ` and ${more} more` : ""} waits for somebody`,
    body,
    object_type: "port",
    object_id: id,
    actor_id: null,
  });
}
