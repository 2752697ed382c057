// How the organization shows itself to its customers: `settings.branding`.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Given, Prepared } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { file } from "../files/file.ts";
import { type LogoFile, logoRule, NoLogo, readLogo } from "./logo.ts";
import { organizationOf } from "./organization.ts";
import { branding } from "./settings.ts";

type File = Row<typeof file>;

export interface Seller {
  name: string;
  address: string | null;
  logo_file_id: string | null;
}

/** What customers read about the organization. */
export async function sellerOf(ctx: Ctx): Promise<Seller> {
  const { name, settings } = organizationOf(ctx.directory);
  // What was stored under this name before the service used it is no setting of ours.
  const { data: given = {} } = branding.safeParse(settings.branding ?? {});
  const found = given.logo_file_id ? await findRecord(ctx, file, given.logo_file_id) : null;
  return {
    name: given.name ?? name,
    address: given.address ?? null,
    logo_file_id: found === null || !isOpen(found) ? null : found.id,
  };
}

/** Null when it is deleted. */
export async function logoFile(ctx: Ctx, id: string | null): Promise<LogoFile | null> {
  const found = id === null ? null : await findRecord(ctx, file, id);
  return found && { storage_key: found.storage_key, size: found.size, mime: found.mime };
}

/** Customers see it, so it must be a file that everybody in the organization sees. */
const isOpen = ({ lead_id, private_to, is_system }: File): boolean => lead_id === null && private_to === null && !is_system;

/** Before the transaction of an update: reads the file that is to become the logo. */
export async function prepareLogo(ctx: Ctx, { given }: { given: Given }): Promise<Prepared<null>> {
  const id = (given.body.settings as { branding?: { logo_file_id?: unknown } } | null | undefined)?.branding?.logo_file_id;
  if (typeof id === "string") await checkLogo(ctx, id);
  return { ready: null, settle: async () => {} };
}

async function checkLogo(ctx: Ctx, id: string): Promise<void> {
  const found = await findRecord(ctx, file, id);
  const refuse = (reason: string) => invalid({ "settings.branding.logo_file_id": reason });
  if (found === null) throw refuse("does not exist");
  if (!isOpen(found)) throw refuse("must be a file of the whole workspace: upload it without lead_id");
  if (found.mime !== "image/png" && found.mime !== "image/jpeg") throw refuse(logoRule);
  await readLogo(ctx.settings.storage, found).catch((error) => {
    throw error instanceof NoLogo ? refuse(error.message) : error;
  });
}
