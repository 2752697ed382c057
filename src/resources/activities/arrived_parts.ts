// Files the attachments of an e-mail: each part becomes a file of the lead, and the body shows pictures from there.
import type { Ctx } from "../../core/context.ts";
import { linkOf } from "../files/file.ts";
import { insertClaimed, insertFile } from "../files/store_file.ts";
import type { KeptBytes } from "../files/stored_bytes.ts";
import type { Attachment } from "./attachments.ts";

/** A part whose bytes are in the storage. */
export interface KeptPart {
  kept: KeptBytes;
  filename: string | null;
  /** The name under which the body shows it, without angle brackets. */
  content_id: string | null;
  /** It is shown only in the body, not as an attachment. */
  inline_only: boolean;
}

/** `areOurs` says that the bytes already belong to a record. */
export async function attachParts(
  ctx: Ctx,
  { lead_id, contact_id }: { lead_id: string; contact_id: string | null },
  parts: readonly KeptPart[],
  areOurs: boolean,
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const { kept, filename, content_id, inline_only } of parts) {
    const values = { name: filename ?? "attachment", lead_id, contact_id };
    const file = await (areOurs ? insertClaimed : insertFile)(ctx, kept, values);
    const { name, mime, size, id } = file;
    const shown = { filename: name, content_type: mime, size, file_id: id, thumbnail_url: null, content_id, inline_only };
    attachments.push({ url: linkOf(ctx, file), ...shown });
  }
  return attachments;
}

// --- pictures ---

/**
 * A placeholder address for pictures until their final place is known. Cleaning keeps such an address, and nothing exists there.
 */
const place = "https://content-id.invalid/";

export const withPlaces = (html: string): string =>
  html.replace(/(\ssrc\s*=\s*["']?)cid:([^"'\s>]+)/gi, (_all, before, id) => `${before}${place}${encodeURIComponent(id)}`);

/** A picture whose name matches no part is not shown. */
export function withPictures(html: string, attachments: readonly Attachment[]): string {
  const links = new Map(attachments.flatMap(({ content_id, url }) => (content_id && url ? [[content_id, url] as const] : [])));
  return html.replace(/<img\b[^>]*\ssrc="https:\/\/content-id\.invalid\/([^"]*)"[^>]*>/g, (image, id) => {
    const url = links.get(nameIn(id));
    return url === undefined ? "" : image.replace(`${place}${id}`, url);
  });
}

function nameIn(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
