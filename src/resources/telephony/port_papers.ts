// What a port is ordered with: who can be asked for it, what they want to know, and what is still missing.
import type { Ctx } from "../../core/context.ts";
import { type FieldErrors, refuse } from "../../core/errors.ts";
import type { Row, Values } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { file } from "../files/file.ts";
import type { port } from "./port.ts";
import { connectedProvider, notConnected } from "./provider.ts";

type Port = Values<typeof port>;

/** Who is asked for it, or what keeps it from being asked for. Refuses an order that the provider would send back. */
export async function askedOf(ctx: Ctx, order: Port): Promise<Port> {
  const connected = await connectedProvider(ctx);
  const whyNot = connected === null ? `${notConnected}` : connected.provider.whyNotPort(order.phone_numbers!);
  if (whyNot !== null) return lacking(order, ["loa_file_id", "invoice_file_id"]) ?? { status_details: sentence(whyNot) };
  if (!order.invoice_file_id) return lacking(order, ["invoice_file_id"])!;
  await checkForProvider(ctx, order);
  return { provider: connected!.provider.carrier };
}

const sentence = (reason: string): string =>
  `Nobody is asked for it: ${reason}. Ask for it yourself; the numbers work here from the moment they are in the account`;

const papers = {
  loa_file_id: { code: "loa_missing", what: "a signed letter of authorization (loa_file_id)" },
  invoice_file_id: { code: "invoice_missing", what: "a recent invoice of the carrier that loses the numbers (invoice_file_id)" },
} as const;

/** Carriers move no number without papers. The order is kept: whoever has them asks again. */
function lacking(order: Port, needed: readonly (keyof typeof papers)[]): Port | null {
  const missing = needed.flatMap((field) => (order[field] ? [] : [papers[field]]));
  if (missing.length === 0) return null;
  return {
    status_details: wanted(missing.map(({ what }) => what)),
    exceptions: missing.map(({ code, what }) => ({ code, message: wanted([what]) })),
  };
}

const wanted = (missing: readonly string[]): string =>
  `The carriers want ${missing.join(" and ")}: end this port, and ask again with ${missing.length > 1 ? "them" : "it"}`;

const invoiceMax = 10_000_000;

async function checkForProvider(ctx: Ctx, order: Port): Promise<void> {
  const problems: FieldErrors = {};
  for (const field of ["authorized_email", "customer_name"] as const) if (!order[field]) problems[field] = forProvider;
  for (const line of ["address_1", "city", "state", "zipcode"] as const)
    if (!order.billing_address?.[line]?.trim()) problems[`billing_address.${line}`] = forProvider;
  const invoice = (await findRecord(ctx, file, order.invoice_file_id!)) as Row<typeof file>;
  if (!/^(application\/pdf|image\/)/.test(invoice.mime) || invoice.size > invoiceMax)
    problems.invoice_file_id = "must be a PDF or a picture of 10 MB or less";
  refuse(problems);
}

const forProvider = "is required: Twilio asks the carrier with it";
