// The options of an import: what to do with rows whose records already exist, and values for all rows.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { type FieldErrors, refuse } from "../../core/errors.ts";
import { findRecord } from "../../records/records.ts";
import { parseCountry } from "../../values/country.ts";
import { isCurrency } from "../../values/money.ts";
import { isTimeZone } from "../../values/time.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { isActiveMember } from "../organization/user.ts";
import { tagName } from "../tags/tag_names.ts";

export const matches = ["name", "email", "url", "id", "none"] as const;
export const dateFormats = ["YYYY-MM-DD", "DD.MM.YYYY", "DD/MM/YYYY", "MM/DD/YYYY", "DD-MM-YYYY", "YYYY/MM/DD"] as const;

const country = z.string().transform((raw, check) => {
  const code = parseCountry(raw);
  if (code === null) check.addIssue({ code: "custom", message: "is not a country" });
  return code as string;
});

export const optionsSchema = z.strictObject({
  match_by: z.enum(matches).optional().describe("The field by which a row finds an existing record; by default `name`."),
  on_match: z.enum(["update", "skip", "create"]).optional().describe("What happens to an existing record; by default `update`."),
  default_status_id: z.string().nullish().describe("The status of leads whose row names none."),
  owner_id: z.string().nullish().describe("The owner of leads whose row names none."),
  tags: z
    .array(tagName({ required: true }).schema as z.ZodType<string>)
    .max(100)
    .optional()
    .describe("Tags that every record gets."),
  trigger_automations: z
    .boolean()
    .optional()
    .describe("Whether what the import creates and changes starts automations; by default not."),
  send_webhooks: z
    .boolean()
    .optional()
    .describe(
      "Whether webhooks hear of what the import creates and changes; by default they do. They always hear of the import itself.",
    ),
  group_by: z
    .string()
    .min(1)
    .max(255)
    .nullish()
    .describe(
      "What rows of one lead have in common: the name of a column, or `email_domain`, the domain of their addresses (those of free mail are no companies). By default what they are matched by.",
    ),
  list_id: z.string().nullish().describe("The list that every record joins."),
  date_format: z.enum(dateFormats).nullish().describe("How dates are written."),
  timezone: z
    .string()
    .refine(isTimeZone, "must be a time zone such as Europe/Berlin")
    .nullish()
    .describe(
      "The time zone of times that are written without one; by default the member's, or else the organization's, as an export writes them.",
    ),
  decimal: z
    .enum([".", ","])
    .nullish()
    .describe("The decimal mark of numbers; by default what the first values of a column show."),
  currency: z
    .string()
    .transform((raw) => raw.toUpperCase())
    .refine(isCurrency, "must be a currency code such as USD")
    .nullish()
    .describe(
      "The currency of amounts that say none; by default that of the deal or product that exists, or else the organization's.",
    ),
  country: country.nullish().describe("The country of phone numbers written without one; by default the organization's."),
});

export type Options = z.output<typeof optionsSchema>;

/** Records that options name must exist. */
export async function checkOptions(ctx: Ctx, options: Options): Promise<void> {
  const { default_status_id, owner_id, list_id } = options;
  const errors: FieldErrors = {};
  if (default_status_id && ctx.directory.get(leadStatus, default_status_id) === undefined)
    errors["options.default_status_id"] = "does not exist";
  if (owner_id && !isActiveMember(ctx.directory, owner_id)) errors["options.owner_id"] = "is not an active member";
  if (list_id && !(await listExists(ctx, list_id))) errors["options.list_id"] = "does not exist";
  refuse(errors);
}

async function listExists(ctx: Ctx, id: string): Promise<boolean> {
  for (const kind of ["lead_list", "contact_list"]) {
    const of = ctx.registry.resource(kind);
    if (of !== undefined && (await findRecord(ctx, of, id)) !== null) return true;
  }
  return false;
}
