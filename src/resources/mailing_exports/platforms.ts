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
}

export interface Platform {
  platform: string;
  name: string;
  /** The type of credential it needs. Null for none. */
  service: string | null;
  config_fields: ConfigField[];
}

const field = (name: string, label: string, required = true, type: ConfigField["type"] = "string"): ConfigField => ({
  name,
  label,
  type,
  required,
});

export const platforms: readonly Platform[] = [
  {
    platform: "mailchimp",
    name: "Mailchimp",
    service: "mailchimp",
    config_fields: [
      field("list_id", "Audience"),
      field("tags", "Tags", false),
      field("double_opt_in", "Double opt-in", false, "boolean"),
    ],
  },
  { platform: "customerio", name: "Customer.io", service: "customerio", config_fields: [field("segment", "Segment")] },
  { platform: "klaviyo", name: "Klaviyo", service: "klaviyo", config_fields: [field("list_id", "List")] },
  { platform: "brevo", name: "Brevo", service: "brevo", config_fields: [field("list_id", "List")] },
  { platform: "sendgrid", name: "SendGrid", service: "sendgrid", config_fields: [field("list_ids", "Lists")] },
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
      return { id: one.platform, ...one, is_connected, connected: is_connected };
    });
    return page(rows, given);
  },
});
