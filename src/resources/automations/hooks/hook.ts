// The address of an automation that other services call, and its secret. The first publish with such a trigger makes both.
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { hashOf } from "../../../auth/unscoped.ts";
import type { Directory } from "../../../core/directory.ts";
import type { Moment } from "../../../core/field.ts";
import type { Secrets } from "../../../services/secrets.ts";
import type { Plan } from "../fields.ts";
import { type Finding, warning } from "../findings.ts";
import { mayLend } from "../lent_rights.ts";
import { mayReadRequests } from "../request_secrets.ts";
import { keyOf, newSecret } from "./keys.ts";
import type { Verification } from "./verification.ts";

export const hookTrigger = "webhook.received";

/** The columns of an automation for it. */
export interface HookColumns {
  hook_hash: string;
  sealed_hook_token: string;
  sealed_hook_secret: string;
}

type Sealed = "sealed_hook_token" | "sealed_hook_secret" | "sealed_hook_previous";

export interface Owner {
  organization_id: string;
  id: string;
}

export const sealHook = (secrets: Secrets, { organization_id, id }: Owner, column: Sealed, text: string): string =>
  secrets.seal(text, { table: "automation", column, organization_id, id });

export const openHook = (secrets: Secrets, { organization_id, id }: Owner, column: Sealed, sealed: string): string =>
  secrets.open(sealed, { table: "automation", column, organization_id, id });

export interface NewHook {
  columns: HookColumns;
  signing_secret: string;
}

/** The secret is shown by the publish that makes it, and never again. */
export function newHook(secrets: Secrets, owner: Owner, by: Verification): NewHook {
  const token = randomBytes(16).toString("base64url");
  const signing_secret = newSecret(by);
  const columns = {
    hook_hash: hashOf(token),
    sealed_hook_token: sealHook(secrets, owner, "sealed_hook_token", token),
    sealed_hook_secret: sealHook(secrets, owner, "sealed_hook_secret", signing_secret),
  };
  return { columns, signing_secret };
}

export const verificationOf = ({ trigger }: Pick<Plan, "trigger">): Verification => trigger.config.verification as Verification;

/** What lets anybody start it, and what lets nobody. */
export function warningsOfHook(secrets: Secrets, owner: Owner & { sealed_hook_secret: string | null }, plan: Plan): Finding[] {
  if (plan.trigger.type !== hookTrigger) return [];
  const by = verificationOf(plan);
  const at = "trigger.config.verification";
  if (by.mode === "none")
    return [warning("webhook_unverified", `${at}.mode`, "lets everybody start it who learns the address: choose another mode")];
  const secret = openHook(secrets, owner, "sealed_hook_secret", owner.sealed_hook_secret!);
  return keyOf(by, secret) === null
    ? [warning("webhook_secret_unfit", at, "does not go with the present secret: no call is accepted before you rotate_secret")]
    : [];
}

// --- how reads show it ---

export const shownHook = z.object({
  url: z.string().describe("The address that other services call by POST."),
  verification: z.string().nullable().describe("How the active version verifies calls; null when it has another trigger."),
  secret_hint: z.string().describe("The last characters of the secret."),
  refused: z.int().describe("How many calls were refused because their signature was missing or wrong."),
});

/** The columns that `showHook` reads, in its order. */
export const hookColumns = ["organization_id", "id", "sealed_hook_token", "sealed_hook_secret", "hook_refused", "published"];

/** Null for who may not write automations, or start this one with the rights that it has. */
export function showHook(
  directory: Directory,
  organization_id: string,
  id: string,
  token: string | null,
  secret: string | null,
  refused: number,
  published: Plan | null,
  { settings, actor, request }: Moment,
): z.output<typeof shownHook> | null {
  if (token === null || secret === null || !mayReadRequests({ actor, request })) return null;
  if (published !== null && !mayLend({ actor, directory }, published.settings.run_as_user_id)) return null;
  const { secrets, base_url } = settings;
  const owner = { organization_id, id };
  return {
    url: `${base_url}/hooks/${openHook(secrets, owner, "sealed_hook_token", token)}`,
    verification: published?.trigger.type === hookTrigger ? verificationOf(published).mode : null,
    secret_hint: `…${openHook(secrets, owner, "sealed_hook_secret", secret).slice(-4)}`,
    refused: Number(refused),
  };
}

export const hookUrl = (...values: Parameters<typeof showHook>): string | null => showHook(...values)?.url ?? null;
