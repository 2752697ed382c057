// Checks a mailing export before it is stored, and counts the contacts it would have.

import type { Ctx } from "../../core/context.ts";
import { type FieldErrors, invalid, refuse } from "../../core/errors.ts";
import type { Create, Values } from "../../core/resource.ts";
import { notAmong } from "../../values/reasons.ts";
import { parseUrl } from "../../values/url.ts";
import { countAudience } from "./audience.ts";
import type { mailingExport } from "./mailing_export.ts";
import { type ConfigField, connectedServices, platforms } from "./platforms.ts";

/** The most contacts of one export. */
const contactsMost = 500_000;

/** The values to store. An empty audience is no mistake: such an export is done at once. */
export async function checkMailingExport(ctx: Ctx, given: Create<typeof mailingExport>): Promise<Values<typeof mailingExport>> {
  const { platform, filters = {}, config = {} } = given;
  const known = platforms.find((one) => one.platform === platform);
  if (known === undefined)
    throw invalid({
      platform: notAmong(
        platform ?? "",
        platforms.map((one) => one.platform),
      ),
    });
  checkConfig(ctx, known.config_fields, config);
  if (known.service !== null && !(await connectedServices(ctx)).has(known.service))
    throw invalid({ platform: `is not connected: store a credential of ${known.name} first` });
  const match_count = await countAudience(ctx, filters);
  if (match_count > contactsMost)
    throw invalid({ filters: `find ${match_count} contacts, and an export has at most ${contactsMost}: narrow them` });
  const done = match_count === 0 ? ({ status: "completed", date_completed: ctx.now.toISOString() } as const) : {};
  return { platform: known.platform, filters, config, match_count, ...done };
}

function checkConfig(ctx: Ctx, fields: readonly ConfigField[], config: Record<string, unknown>): void {
  const errors: FieldErrors = {};
  for (const { name, type, required, form } of fields) {
    const value = config[name];
    if (value === undefined || value === null || value === "") {
      if (required) errors[`config.${name}`] = "is required";
    } else if (type === "boolean" ? typeof value !== "boolean" : typeof value !== "string")
      errors[`config.${name}`] = type === "boolean" ? "must be true or false" : "must be text";
    else if (name === "url" && parseUrl(value as string) === null) errors["config.url"] = "is not a web address";
    else if (name === "url" && !ctx.settings.addresses.allowsHost(value as string))
      errors["config.url"] = ctx.settings.addresses.words;
    else if (form !== undefined && !form.test(value as string)) errors[`config.${name}`] = form.words;
  }
  for (const name of Object.keys(config)) {
    if (!fields.some((field) => field.name === name)) errors[`config.${name}`] = "is not known to this platform";
  }
  refuse(errors);
}
