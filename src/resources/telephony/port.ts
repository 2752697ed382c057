// A port: phone numbers that move from one carrier to another.
import { z } from "zod";
import { choice, date, formed, json, ref, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { parseCountry } from "../../values/country.ts";
import { phoneDigits } from "../../values/phone.ts";
import { addressLines } from "../shared/contact_points.ts";
import { dialable } from "./dialable.ts";

export const billingAddress = z.strictObject(addressLines);

const readOnly = true;

export const port = resource({
  name: "port",
  prefix: "port",
  doc: "An order to take phone numbers from one carrier to another.",
  mcp: "read",
  filters: {
    phone_number: {
      doc: "Only ports of this number, however it is written.",
      sql(ctx, value, alias) {
        const forms = [dialable(value, ctx)?.phone, `+${phoneDigits(value)}`];
        return sql`${name(alias)}.phone_numbers && ${forms.filter((one) => one !== undefined)}::text[]`;
      },
    },
  },
  fields: {
    phone_numbers: texts({ readOnly, default: [] as string[], doc: "The numbers that are taken along." }),
    country: formed(parseCountry, "must be a country code such as US", { readOnly }),
    status: choice(["draft", "submitted", "in_process", "exception", "foc_date_confirmed", "ported", "cancelled"], {
      readOnly,
      default: "submitted",
      doc: "How far the carriers have got. `ported` and `cancelled` are the end.",
    }),
    status_details: text({ readOnly, max: 1000, doc: "Why it is in that state." }),
    carrier_name: text({ readOnly, doc: "The carrier that loses the numbers." }),
    sealed_account_number: text({ readOnly, hidden: true }),
    sealed_pin: text({ readOnly, hidden: true }),
    authorized_name: text({ readOnly, doc: "Who may decide about the numbers." }),
    authorized_email: text({ readOnly, doc: "Where the provider sends the letter of authorization to be signed." }),
    customer_name: text({ readOnly, doc: "Whose the numbers are, as the carrier has it." }),
    customer_type: choice(["business", "individual"], { readOnly, doc: "Whether the customer is a business or a person." }),
    account_phone_number: text({ readOnly, doc: "The main number of the account with the carrier." }),
    billing_address: json(billingAddress, { readOnly, doc: "The address on the bills of the carrier that it leaves." }),
    loa_file_id: text({ readOnly, doc: "The file with the letter of authorization." }),
    invoice_file_id: text({ readOnly, doc: "The file with an invoice of the carrier." }),
    requested_foc_date: date({ readOnly, doc: "The day that was asked for." }),
    foc_date: date({ readOnly, doc: "The day the carriers agreed on." }),
    exceptions: json(z.array(z.object({ code: z.string(), message: z.string() })), {
      readOnly,
      default: [] as { code: string; message: string }[],
      doc: "What the carriers object to.",
    }),
    provider: text({ readOnly, doc: "The telephony provider that was asked for it: `twilio`. Null for nobody." }),
    provider_id: text({ readOnly, doc: "Its id at the provider." }),
    provider_state: text({ readOnly, doc: "How far it is, in the provider's words." }),
    handed_at: timestamp({ readOnly, hidden: true }),
    submitted_at: timestamp({ readOnly }),
    completed_at: timestamp({ readOnly }),
    user_id: ref("user", { onDelete: "keep", onMove: "clear" }, { readOnly, doc: "Who asked for it." }),
  },
});
