// The attachments of a mail: stored files, whose bytes are read when the mail is sent.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import type { Attachment } from "../activities/attachments.ts";
import { file } from "../files/file.ts";
import type { Part } from "./compose.ts";
import { attachmentClass, CannotLeave } from "./reasons.ts";

export async function partsOf(ctx: Ctx, attachments: readonly Attachment[]): Promise<Part[]> {
  const ids = attachments.flatMap(({ file_id }) => file_id ?? []);
  const found = ids.length === 0 ? [] : await findRecords(ctx, file, [sql`t.id = any(${ids})`]);
  const files = new Map(found.map((row) => [row.id, row]));
  return attachments.map((one) => partOf(ctx, one, files.get(one.file_id ?? "")));
}

function partOf(ctx: Ctx, { filename, content_id, file_id }: Attachment, stored: Row<typeof file> | undefined): Part {
  if (stored === undefined)
    throw new CannotLeave(attachmentClass, `What is attached as ${filename ?? file_id} is not there any more: attach it again`);
  const { storage } = ctx.settings;
  return {
    filename: filename ?? stored.name,
    content_type: stored.mime,
    size: stored.size,
    content_id: content_id ?? null,
    read: () => storage.read(stored.storage_key),
  };
}
