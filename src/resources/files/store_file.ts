// How other areas store a file they made, such as the PDF of a quote: `keepOwn` before their transaction, `insertFile` within it
// with whatever else they write. Bytes that get no record are removed later.
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

/** What is said of a file beside its bytes. */
export interface FileValues {
  name: string;
  lead_id?: string | null;
  contact_id?: string | null;
  opportunity_id?: string | null;
  /** By default read off the media type. */
  type?: FileType;
  subtype?: string | null;
  outreach_channel?: StoredFile["outreach_channel"];
  /** Made by the service: nobody deletes it but with its lead. */
  is_system?: boolean;
}

export interface NewFile extends FileValues {
  mime: string | null;
  bytes: Buffer | string | Readable | AsyncIterable<Uint8Array>;
}

/** What the service makes itself, such as an export, may be larger. */
const ownBytesMax = 4 * 1024 ** 3;

/** Keeps bytes of the service's own making, whose record is written later by `insertFile`, within the hour. */
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

/** Within a transaction: makes kept bytes a file. */
export async function insertFile(ctx: Ctx, kept: KeptBytes, values: FileValues): Promise<StoredFile> {
  const token = randomBytes(24).toString("base64url");
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
  await claimBytes(ctx, storage_key);
  await vacate(ctx, row);
  return store.insert(ctx, file, {
    ...row,
    storage_key,
    size,
    sha256,
    mime,
    width,
    height,
    share_hash: hashOf(token),
    share_token: ctx.settings.secrets.seal(token, linkPlace(storage_key)),
  });
}

/** A subtype may be for files of one type only. */
export function checkSubtype(ctx: Ctx, subtype: string | null, type: FileType): void {
  const only = ctx.directory.list(fileSubtype).find((one) => one.key === subtype)?.type;
  if (only != null && only !== type) throw invalid({ subtype: `is for files of the type ${only}` });
}
