// Opens the client of a platform with the organization's credentials.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { type BrevoAccount, type BrevoConfig, openBrevo } from "../../services/brevo.ts";
import { openContactHook } from "../../services/contact_hook.ts";
import { type CustomerioAccount, type CustomerioConfig, openCustomerio } from "../../services/customerio.ts";
import { type KlaviyoAccount, type KlaviyoConfig, openKlaviyo } from "../../services/klaviyo.ts";
import { type MailchimpAccount, type MailchimpConfig, openMailchimp } from "../../services/mailchimp.ts";
import type { Mailing, Platform } from "../../services/mailing.ts";
import { openSendgrid, type SendgridAccount, type SendgridConfig } from "../../services/sendgrid.ts";
import { noteAnswer, openedValues, storedFor } from "../accounts/open_credentials.ts";
import type { mailingExport } from "./mailing_export.ts";
import { platforms } from "./platforms.ts";

type Open = (given: Pick<Platform, "addresses" | "told">, account: any, config: any) => Mailing;

const clients = new Map<string, Open>([
  ["mailchimp", (given, account: MailchimpAccount, config: MailchimpConfig) => openMailchimp(given, account, config)],
  ["customerio", (given, account: CustomerioAccount, config: CustomerioConfig) => openCustomerio(given, account, config)],
  ["klaviyo", (given, account: KlaviyoAccount, config: KlaviyoConfig) => openKlaviyo(given, account, config)],
  ["brevo", (given, account: BrevoAccount, config: BrevoConfig) => openBrevo(given, account, config)],
  ["sendgrid", (given, account: SendgridAccount, config: SendgridConfig) => openSendgrid(given, account, config)],
]);

/** What becomes part of a file is taken at once. */
const toFile: Mailing = { most: 500, push: async () => ({ failures: new Map() }) };

/** Null when the credentials are gone. */
export async function openPlatform(ctx: Ctx, { id, platform, config }: Row<typeof mailingExport>): Promise<Mailing | null> {
  const { addresses } = ctx.settings;
  if (platform === "csv") return toFile;
  if (platform === "webhook") return openContactHook({ addresses }, config as { url: string }, id);
  const stored = await storedFor(ctx, platforms.find((one) => one.platform === platform)!.service!);
  if (stored === null) return null;
  const told = (problem: string | null) => noteAnswer(ctx, stored, problem);
  return clients.get(platform)!({ addresses, told }, openedValues(ctx, stored), config);
}
