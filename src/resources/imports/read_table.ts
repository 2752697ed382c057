// POST /import/: the table is received and read before the transaction, which then stores it row by row.
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Prepared, Upload } from "../../core/operation.ts";
import type { Create } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { fileBytesMax, fileTooLarge, Missing } from "../../services/storage.ts";
import { file } from "../files/file.ts";
import { takeUpload } from "../files/upload.ts";
import type { importResource } from "./import.ts";
import { readCsv, readFileText, readRows, type Table } from "./table.ts";

type Given = Create<typeof importResource>;

/** What the create takes beyond its fields: a table. */
export const withTable = {
  doc: "Uploads a table: as `file` of a form, `content_base64`, `content_url`, `file_id`, `rows` or `csv`; exactly one of them. A file has at most 20 MB, 1,000,000 rows and 100 columns; for `rows` and `csv` the limits of a body apply.",
  upload: true,
  prepare: readTable,
};

async function readTable(ctx: Ctx, { input }: { input: Given }, upload: Upload | null): Promise<Prepared<Table>> {
  return { ready: await tableOf(ctx, input, upload), settle: async () => {} };
}

async function tableOf(ctx: Ctx, input: Given, upload: Upload | null): Promise<Table> {
  const { csv, rows, file_id, content_base64, content_url } = input;
  const ways = [upload, csv, rows, file_id, content_base64, content_url].filter((one) => one !== undefined && one !== null);
  if (ways.length !== 1)
    throw invalid({ file: "is required, or content_base64, content_url, file_id, rows or csv: give exactly one of them" });
  if (rows) return readRows(rows, "rows");
  if (typeof csv === "string") return readCsv(Buffer.from(csv), "csv");
  if (file_id) return readStored(ctx, file_id);
  return readUpload(ctx, input, upload);
}

async function readUpload(ctx: Ctx, input: Given, upload: Upload | null): Promise<Table> {
  const { field, name, received } = (await takeUpload(ctx, input, upload))!;
  try {
    return { ...(await readFileText(await readFile(received.path), field)), name };
  } finally {
    await received.drop();
  }
}

async function readStored(ctx: Ctx, id: string): Promise<Table> {
  const found = await findRecord(ctx, file, id);
  if (found === null) throw invalid({ file_id: "does not exist" });
  if (found.size > fileBytesMax) throw invalid({ file_id: fileTooLarge });
  const bytes = await ctx.settings.storage.read(found.storage_key).then(buffer, (error) => {
    throw error instanceof Missing ? invalid({ file_id: "names a file whose content is no longer stored" }) : error;
  });
  return { ...(await readFileText(bytes, "file_id")), name: found.name };
}
