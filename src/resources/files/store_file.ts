// Stores files that other areas make, such as the PDF of a quote: they call `keepOwn` before their transaction, and `insertFile`
// within it. Bytes that get no record are removed later.
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { hashOf } from "../../auth/unscoped.ts";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { TooLarge } from "../../services/storage.ts";
import { file, linkPlace } from "./file.ts";
import { cleanName } from "./file_name.ts";
import { fileSubtype } from "./file_subtype.ts";
import type { FileType } from "./media.ts";
import { vacate } from "./slots.ts";
import { claimBytes, type Keeper, type KeptBytes, keepBytes } from "./stored_bytes.ts";

export type StoredFile = Row<typeof file>;

/** The properties of a file, apart from its bytes. */
export interface FileValues {
  name: string;
  lead_id?: string | null;
  contact_id?: string | null;
  opportunity_id?: string | null;
  /** By default derived from the media type. */
  type?: FileType;
  subtype?: string | null;
  outreach_channel?: StoredFile["outreach_channel"];
  share_expires_at?: string | null;
  private_to?: string | null;
  /** Made by the service. It is deleted only with its lead, and that of a quote only with the quote. */
  is_system?: boolean;
}

export interface NewFile extends FileValues {
  mime: string | null;
  bytes: Buffer | string | Readable | AsyncIterable<Uint8Array>;
}

/** Files made by the service, such as an export, may be larger. */
const ownBytesMax = 4 * 1024 ** 3;

/** Stores bytes made by the service. `insertFile` must write their record within the hour. */
export async function keepOwn(ctx: Keeper, bytes: NewFile["bytes"], mime: string | null): Promise<KeptBytes> {
  const chunks = typeof bytes === "string" || Buffer.isBuffer(bytes) ? [Buffer.from(bytes)] : bytes;
  const received = await ctx.settings.storage.receive(chunks, ownBytesMax).catch((error) => {
    throw error instanceof TooLarge ? invalid({ file: "must be 4 GiB or less" }) : error;
  });
  try {
    return await keepBytes(ctx, received, [mime]);
  } finally {
    await received.drop();
  }
}

/** Within a transaction: creates the file record of stored bytes. */
export async function insertFile(ctx: Ctx, kept: KeptBytes, values: FileValues): Promise<StoredFile> {
  await claimBytes(ctx, kept.storage_key);
  return insertClaimed(ctx, kept, values);
}

/** The same for bytes that belonged to another record until now. */
export async function insertClaimed(ctx: Ctx, kept: KeptBytes, values: FileValues): Promise<StoredFile> {
  const { storage_key, size, sha256, mime, width, height } = kept;
  const row = {
    lead_id: null,
    contact_id: null,
    opportunity_id: null,
    subtype: null,
    outreach_channel: null,
    ...values,
    name: cleanName(values.name) ?? "file",
    type: values.type ?? kept.type,
  };
  checkSubtype(ctx, row.subtype, row.type);
  await vacate(ctx, row);
  return store.insert(ctx, file, {
    ...row,
    storage_key,
    size,
    sha256,
    mime,
    width,
    height,
    ...newLink(ctx, storage_key),
  });
}

/** The secret of a link, which is found by its hash and shown from its sealed copy. */
export function newLink(ctx: Ctx, storageKey: string): { share_hash: string; share_token: string } {
  const token = randomBytes(24).toString("base64url");
  return { share_hash: hashOf(token), share_token: ctx.settings.secrets.seal(token, linkPlace(storageKey)) };
}

/** A subtype may be restricted to files of one type. */
export function checkSubtype(ctx: Ctx, subtype: string | null, type: FileType): void {
  const only = ctx.directory.list(fileSubtype).find((one) => one.key === subtype)?.type;
  if (only != null && only !== type) throw invalid({ subtype: `is for files of the type ${only}` });
}
