// Which model writes for an organization: by its own credentials, or else by the operator's account.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { type AiAccount, type AiProvider, aiFormats } from "../../services/ai_formats.ts";
import { credential } from "../accounts/credential.ts";
import { openedValues } from "../accounts/open_credentials.ts";
import { aiSettingsOf } from "./token_budget.ts";

export interface Connected {
  account: AiAccount;
  /** Whether it is the organization's own. */
  stored: Row<typeof credential> | null;
}

/** The names of the credentials. `google` are those for calendars. */
const services: readonly (readonly [string, AiProvider])[] = [
  ["anthropic", "anthropic"],
  ["openai", "openai"],
  ["gemini", "google"],
];

/** Null where none is connected, or where the organization wants rules. */
export async function connectedModel(ctx: Ctx): Promise<Connected | null> {
  const { provider: wanted } = aiSettingsOf(ctx);
  if (wanted === "rules") return null;
  const names = services.filter(([, provider]) => wanted === undefined || provider === wanted).map(([name]) => name);
  const rows = await findRecords(ctx, credential, [sql`t.service = any(${names})`]);
  const [service, provider] = services.find(([name]) => rows.some((row) => row.service === name)) ?? [];
  const stored = rows.find((row) => row.service === service) ?? null;
  if (stored === null || provider === undefined) {
    const { account } = ctx.settings.ai;
    return account === null || (wanted !== undefined && account.provider !== wanted) ? null : { account, stored: null };
  }
  const { api_key, model, base_url } = openedValues(ctx, stored) as Record<string, string | undefined>;
  const account = { provider, api_key: api_key!, model: model ?? aiFormats[provider].usualModel, base_url: base_url ?? null };
  return { account, stored };
}
