// The mailing services that contacts can be exported to, and what each needs.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import { page, pageInput, pageOf } from "../../records/page.ts";
import { findRecords } from "../../records/records.ts";
import { credential } from "../accounts/credential.ts";

export interface ConfigField {
  name: string;
  label: string;
  type: "string" | "select" | "boolean";
  required: boolean;
  options?: string[];
  /** Of a text. It becomes a part of a request. */
  form?: Form;
}

interface Form {
  test(value: string): boolean;
  /** What a valid value is, for error messages. */
  words: string;
}

export interface Platform {
  platform: string;
  name: string;
  /** The type of credential it needs. Null for none. */
  service: string | null;
  config_fields: ConfigField[];
}

const field = (name: string, label: string, form?: Form): ConfigField => ({ name, label, type: "string", required: true, form });

const id: Form = { test: (value) => /^[\w-]{1,64}$/.test(value), words: "must be an id: letters, digits, - and _" };
const number: Form = { test: (value) => /^\d{1,15}$/.test(value), words: "must be the number of its id" };
const ids: Form = {
  test: (value) => value.split(",").every((one) => id.test(one.trim())),
  words: "must be ids separated by commas",
};
const words: Form = { test: (value) => value.length <= 1000, words: "must be 1000 characters or fewer" };

export const platforms: readonly Platform[] = [
  {
    platform: "mailchimp",
    name: "Mailchimp",
    service: "mailchimp",
    config_fields: [
      field("list_id", "Audience", id),
      { ...field("tags", "Tags, separated by commas", words), required: false },
      { ...field("double_opt_in", "Double opt-in"), required: false, type: "boolean" },
    ],
  },
  { platform: "customerio", name: "Customer.io", service: "customerio", config_fields: [field("segment", "Segment", number)] },
  { platform: "klaviyo", name: "Klaviyo", service: "klaviyo", config_fields: [field("list_id", "List", id)] },
  { platform: "brevo", name: "Brevo", service: "brevo", config_fields: [field("list_id", "List", number)] },
  {
    platform: "sendgrid",
    name: "SendGrid",
    service: "sendgrid",
    config_fields: [field("list_ids", "Lists, separated by commas", ids)],
  },
  { platform: "csv", name: "CSV file", service: null, config_fields: [] },
  { platform: "webhook", name: "Webhook", service: null, config_fields: [field("url", "Address")] },
];

/** The services for which the organization has stored credentials. */
export const connectedServices = async (ctx: Ctx): Promise<Set<string>> =>
  new Set((await findRecords(ctx, credential, [])).map((one) => one.service));

export const listPlatforms = operation({
  name: "mailing_export.platforms",
  method: "GET",
  path: "/mailing_export/platforms/",
  doc: "Lists where audiences can be handed to, what each asks for, and whether its credential is stored.",
  permission: "export",
  input: pageInput,
  output: pageOf(
    z.strictObject({
      platform: z.string(),
      id: z.string().describe("The same as `platform`."),
      name: z.string(),
      service: z.string().nullable().describe("The type of credential that it needs; null for none."),
      is_connected: z.boolean(),
      connected: z.boolean().describe("The same as `is_connected`."),
      config_fields: z.array(
        z.strictObject({
          name: z.string(),
          label: z.string(),
          type: z.enum(["string", "select", "boolean"]),
          required: z.boolean(),
          options: z.array(z.string()).optional(),
        }),
      ),
    }),
  ),
  async run(ctx, given) {
    const connected = await connectedServices(ctx);
    const rows = platforms.map((one) => {
      const is_connected = one.service === null || connected.has(one.service);
      const config_fields = one.config_fields.map(({ form: _, ...shown }) => shown);
      return { id: one.platform, ...one, config_fields, is_connected, connected: is_connected };
    });
    return page(rows, given);
  },
});
