// The attachments of an activity: stored files by id, or links to files elsewhere.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { json } from "../../core/field.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { isOneLine } from "../../values/one_line.ts";
import { parseUrl } from "../../values/url.ts";
import { file, linkOf } from "../files/file.ts";

export interface Attachment {
  url: string | null;
  filename: string | null;
  content_type: string | null;
  size: number | null;
  file_id: string | null;
  thumbnail_url: string | null;
  /** Only in e-mails: the name under which the body shows it, and whether it is shown only there. */
  content_id?: string | null;
  inline_only?: boolean;
}

const address = z
  .string()
  .nullish()
  .transform((raw, check) => {
    if (raw === null || raw === undefined) return null;
    const url = parseUrl(raw);
    if (url === null) check.addIssue({ code: "custom", message: "is not a web address" });
    return url;
  });

const short = z
  .string()
  .max(255)
  .refine(isOneLine, { error: "must be one line, without control characters" })
  .nullish()
  .transform((text) => text ?? null);

const size = z
  .int()
  .min(0)
  .nullish()
  .transform((bytes) => bytes ?? null);

const common = { url: address, filename: short, content_type: short, size, file_id: short, thumbnail_url: address };
const ofEmail = { ...common, content_id: short, inline_only: z.boolean().default(false) };

/** One of an e-mail. */
export const emailAttachment = z.object(ofEmail);

const text = z.string().nullable();
const shown = z.object({
  url: text,
  filename: text,
  content_type: text,
  size: z.number().nullable(),
  file_id: text,
  thumbnail_url: text,
  content_id: text.optional(),
  inline_only: z.boolean().optional(),
});

const listMax = 100;

/** How many bytes a message brings. Most mail servers take no more. */
export const attachedMax = 25_000_000;

/** It is elsewhere, and not a stored file. */
export const isLink = ({ file_id }: Attachment): boolean => file_id === null;

const field = (given: z.ZodType, isContent?: (type: string) => boolean) =>
  json(z.array(given).max(listMax) as unknown as z.ZodType<Attachment[]>, {
    default: [] as Attachment[],
    output: z.array(shown),
    doc: "Attachments: each by `file_id` of a stored file or by `url`.",
    normalize: (list: Attachment[]) => checked(list, isContent),
    resolve: (list: Attachment[], ctx, before: Attachment[] | undefined) => withFiles(list, ctx, before, isContent),
  });

/** `[{url, filename, content_type, size, file_id, thumbnail_url}]`. `isContent` says which content types may be attached. */
export const attachments = (isContent?: (type: string) => boolean) => field(z.object(common), isContent);

/** The same with `content_id` and `inline_only`. */
export const emailAttachments = () => field(emailAttachment);

function checked(list: Attachment[], isContent?: (type: string) => boolean): Attachment[] {
  list.forEach((one, i) => {
    if (one.file_id === null && one.url === null) throw invalid({ [`${i}.url`]: "is required where there is no file_id" });
    if (one.content_type !== null && isContent?.(one.content_type) === false)
      throw invalid({ [`${i}.content_type`]: "cannot be sent this way" });
  });
  return list;
}

/**
 * A stored file brings its own link, name, type and size. A file that was already attached stays as it is, even when it is gone.
 */
export async function withFiles(
  list: Attachment[],
  ctx: Ctx,
  before: Attachment[] = [],
  isContent?: (type: string) => boolean,
): Promise<Attachment[]> {
  const known = new Map(before.flatMap((one) => (one.file_id === null ? [] : [[one.file_id, one] as const])));
  const ids = list.flatMap(({ file_id }) => (file_id === null || known.has(file_id) ? [] : [file_id]));
  const found = ids.length === 0 ? [] : await findRecords(ctx, file, [sql`t.id = any(${ids})`]);
  const files = new Map(found.map((row) => [row.id, row]));
  const complete = list.map((one, i) => {
    if (one.file_id === null) return one;
    const kept = known.get(one.file_id);
    if (kept !== undefined) return { ...kept, filename: one.filename ?? kept.filename };
    const row = files.get(one.file_id);
    if (row === undefined) throw invalid({ [`${i}.file_id`]: "does not exist" });
    return { ...one, url: linkOf(ctx, row), filename: one.filename ?? row.name, content_type: row.mime, size: row.size };
  });
  return checked(complete, isContent);
}
