// POST /file/: the bytes are received and stored before the transaction, which then writes only the record.
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Extras, Prepared, Upload } from "../../core/operation.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { fileBytesMax } from "../../services/storage.ts";
import { contact } from "../contacts/contact.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { file } from "./file.ts";
import { cleanName } from "./file_name.ts";
import { insertFile } from "./store_file.ts";
import { type KeptBytes, keepBytes, removeBytes } from "./stored_bytes.ts";
import { takeUpload } from "./upload.ts";

interface Ready {
  kept: KeptBytes;
  name: string;
}

/** What the create takes beyond its fields: bytes. */
export const withBytes = {
  doc: "Uploads a file: as `file` of a form, as `content_base64` or from a `content_url`; exactly one of them, at most 20 MB.",
  upload: fileBytesMax,
  prepare: keepUpload,
};

async function keepUpload(ctx: Ctx, { input }: { input: Create<typeof file> }, upload: Upload | null): Promise<Prepared<Ready>> {
  const taken = (await takeUpload(ctx, input, upload))!;
  try {
    const kept = await keepBytes(ctx, taken.received, [input.mime ?? null, taken.mime]);
    const name = input.name ?? cleanName(taken.name ?? "") ?? "file";
    return { ready: { kept, name }, settle: () => removeBytes(ctx, kept.storage_key) };
  } finally {
    await taken.received.drop();
  }
}

export async function createFile(
  ctx: Ctx,
  { content_base64: _, content_url: __, mime, ...values }: Create<typeof file>,
  extras?: Extras,
): Promise<Row<typeof file>> {
  if (extras === undefined) throw new Error("the bytes of a file are stored before its transaction: see withBytes");
  const { kept, name }: Ready = extras.ready;
  await checkTargets(ctx, values);
  const row = await insertFile(ctx, kept, { ...values, name });
  if (mime != null && mime !== kept.mime) ctx.reply.ignored.push("mime");
  return row;
}

/** The contact and the deal must belong to the lead. */
async function checkTargets(ctx: Ctx, { lead_id, contact_id, opportunity_id }: Create<typeof file>): Promise<void> {
  const given = { contact_id, opportunity_id };
  const resources = { contact_id: contact, opportunity_id: opportunity };
  for (const key of ["contact_id", "opportunity_id"] as const) {
    const id = given[key];
    if (id == null) continue;
    if (lead_id == null) throw invalid({ [key]: "can only be given together with lead_id" });
    const [found] = await findRecords(ctx, resources[key], [sql`t.id = ${id}`, sql`t.lead_id = ${lead_id}`]);
    if (found === undefined) throw invalid({ [key]: "does not exist on this lead" });
  }
}
