// POST /import/: the table is received and read before the transaction, which then stores it row by row.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Prepared, Upload } from "../../core/operation.ts";
import type { Create } from "../../core/resource.ts";
import { findRecord } from "../../records/records.ts";
import { Missing } from "../../services/storage.ts";
import { file } from "../files/file.ts";
import { takeUpload } from "../files/upload.ts";
import { csvLines, delimiterOf } from "./csv_lines.ts";
import type { importResource } from "./import.ts";
import { objectLines } from "./json_lines.ts";
import { readFileTable } from "./read_file.ts";
import { collect, type Table } from "./table.ts";

type Given = Create<typeof importResource>;

const bytesMax = 200 * 1024 ** 2;
/** How long the bytes of an address may take. */
const fetchMs = 120_000;

/** What the create takes beyond its fields: a table. */
export const withTable = {
  doc: "Uploads a table: as `file` of a form, `content_base64`, `content_url`, `file_id`, `rows` or `csv`; exactly one of them. A file has at most 200 MB, 1,000,000 rows and 100 columns; for `rows` and `csv` the limits of a body apply.",
  upload: bytesMax,
  prepare: readTable,
};

async function readTable(ctx: Ctx, { input }: { input: Given }, upload: Upload | null): Promise<Prepared<Table>> {
  const table = await tableOf(ctx, input, upload);
  return { ready: table, settle: () => table.drop() };
}

async function tableOf(ctx: Ctx, input: Given, upload: Upload | null): Promise<Table> {
  const { csv, rows, file_id, content_base64, content_url, encoding, sheet } = input;
  const { storage } = ctx.settings;
  const ways = [upload, csv, rows, file_id, content_base64, content_url].filter((one) => one !== undefined && one !== null);
  if (ways.length !== 1)
    throw invalid({ file: "is required, or content_base64, content_url, file_id, rows or csv: give exactly one of them" });
  if (rows) return collect(storage, "rows", objectLines(rows, "rows"), null);
  if (typeof csv === "string") return collect(storage, "csv", csvLines([csv], delimiterOf(csv), "csv"), null);
  if (file_id) return readStored(ctx, file_id, { encoding, sheet });

  const { field, name, received } = (await takeUpload(ctx, input, upload, { bytesMax, wholeMs: fetchMs }))!;
  try {
    return { ...(await readFileTable(storage, received, field, { encoding, sheet })), name };
  } finally {
    await received.drop();
  }
}

async function readStored(ctx: Ctx, id: string, about: Pick<Given, "encoding" | "sheet">): Promise<Table> {
  const { storage } = ctx.settings;
  const found = await findRecord(ctx, file, id);
  if (found === null) throw invalid({ file_id: "does not exist" });
  const bytes = await storage.read(found.storage_key).catch((error) => {
    throw error instanceof Missing ? invalid({ file_id: "names a file whose content is no longer stored" }) : error;
  });
  const received = await storage.receive(bytes, found.size);
  try {
    return { ...(await readFileTable(storage, received, "file_id", about)), name: found.name };
  } finally {
    await received.drop();
  }
}
