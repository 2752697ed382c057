// Numbers that Twilio takes over from another carrier, by its porting API: https://www.twilio.com/docs/phone-numbers/port-in.
// It sends the letter of authorization to whoever signs it.
import { FormData } from "undici";
import { NotDone, type OrderedPort, type PortOrder, type Telephony } from "./telephony.ts";
import type { Ask } from "./twilio_ask.ts";

type Ports = Pick<Telephony, "whyNotPort" | "keepInvoice" | "orderPort" | "portOf" | "cancelPort">;

/** Posts a form with a file to Twilio's address for documents, and returns its answer. */
export type Upload = (form: FormData) => Promise<{ sid?: string; mime_type?: string | null }>;

export const portsAt = (ask: Ask, upload: Upload, account: string): Ports => ({
  whyNotPort: (numbers) => (numbers.every((one) => ordinary.test(one)) ? null : onlyThere),
  async keepInvoice({ name, type, bytes }) {
    const form = new FormData();
    form.set("document_type", "utility_bill");
    form.set("friendly_name", name);
    form.set("File", new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), name);
    const { sid, mime_type } = await ask(() => upload(form));
    if (!sid || mime_type === "") throw new NotDone("refused", "Twilio cannot read the invoice: it wants a PDF or a picture");
    return sid;
  },
  async orderPort(order) {
    // The SDK passes the body on unchanged, whatever its types say.
    const body = bodyOf(account, order) as any;
    return ask(async (client) => ordered(await client.numbers.v1.portingPortIns.create(body)));
  },
  portOf: (id) => ask(async (client) => ordered(await client.numbers.v1.portingPortIns(id).fetch())),
  async cancelPort(id) {
    await ask((client) => client.numbers.v1.portingPortIns(id).remove()).catch((error) => {
      if (!(error instanceof NotDone && error.code === 20404)) throw error;
    });
  },
});

/** Numbers of the United States that are not free of charge to call. Its territories and Canada have `+1` too. */
const ordinary = /^\+1(?!8(?:00|33|44|55|66|77|88))\d{10}$/;
const onlyThere = "Twilio takes over only numbers of the United States by itself, and none that are free to call";

const bodyOf = (account: string, { numbers, pin, customer, signer, address, invoice_id, day, ...order }: PortOrder) => ({
  account_sid: account,
  documents: [invoice_id],
  phone_numbers: numbers.map((phone_number) => ({ phone_number, ...(pin !== null && { pin }) })),
  losing_carrier_information: {
    customer_type: customer.type === "individual" ? "Individual" : "Business",
    customer_name: customer.name,
    account_number: order.account_number,
    ...(order.account_phone_number !== null && { account_telephone_number: order.account_phone_number }),
    authorized_representative: signer.name,
    authorized_representative_email: signer.email,
    address: {
      street: address.address_1,
      ...(address.address_2 && { street_2: address.address_2 }),
      city: address.city,
      state: address.state,
      zip: address.zipcode,
      country: "US",
    },
  },
  ...(day !== null && { target_port_in_date: day }),
});

/** The parts of the SDK's answer that are used. */
interface PortIn {
  portInRequestSid: string;
  portInRequestStatus: string;
  orderCancellationReason: string | null;
  phoneNumbers: PortedNumber[] | null;
}

interface PortedNumber {
  phoneNumber?: string;
  notPortabilityReason?: string | null;
  rejectionReason?: string | null;
  portDate?: Date | string | null;
}

function ordered({ portInRequestSid, portInRequestStatus, orderCancellationReason, phoneNumbers }: PortIn): OrderedPort {
  const numbers = phoneNumbers ?? [];
  const reasons = numbers.flatMap(({ phoneNumber, rejectionReason, notPortabilityReason }) => {
    const reason = rejectionReason || notPortabilityReason;
    return reason ? [`${phoneNumber}: ${reason}`] : [];
  });
  const days = numbers.map(({ portDate }) => (portDate ? new Date(portDate).toISOString().slice(0, 10) : null));
  const isAgreed = days.length > 0 && days.every((day) => day !== null);
  const state = states.get(portInRequestStatus.toLowerCase()) ?? "under_way";
  return {
    id: portInRequestSid,
    state: state === "under_way" && isAgreed ? "agreed" : state,
    words: portInRequestStatus,
    objections: orderCancellationReason ? [orderCancellationReason, ...reasons] : reasons,
    day: isAgreed ? days.toSorted().at(-1)! : null,
  };
}

const states = new Map<string, OrderedPort["state"]>([
  ["pending", "reviewed"],
  ["in review", "reviewed"],
  ["waiting for signature", "waits"],
  ["in progress", "under_way"],
  ["action required", "acts"],
  ["completed", "ported"],
  ["expired", "expired"],
  ["canceled", "canceled"],
]);
