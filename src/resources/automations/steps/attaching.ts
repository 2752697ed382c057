// Attaches stored files: to activities, which name their files, or by a slot of the record that a file was uploaded for. A file belongs
// to its record from its upload on, so none is moved.
import type { Resource } from "../../../core/resource.ts";
import { findRecord } from "../../../records/records.ts";
import { file } from "../../files/file.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome } from "./step.ts";
import { changeRecord, idOf, presentOf, type Target, targetOf } from "./writing.ts";

export function attachLacks({ file_id, url }: Record<string, any>): string | null {
  if (url != null) return "fetches nothing: upload the file, and name it in file_id instead of url";
  return file_id == null ? "needs a file_id" : null;
}

/** What is attached already stays as it is. */
export async function attachFile(call: Call): Promise<Outcome> {
  const { config } = call;
  const found = await targetOf(call);
  if (hasAttachments(found.kind)) await attachTo(call, found, config.file_id);
  else await putInSlot(call, found, config.file_id, config.slot ?? null);
  return { output: { ...idOf(found), file_id: config.file_id } };
}

const hasAttachments = ({ fields }: Resource): boolean => fields.attachments?.source === "column";

async function attachTo(call: Call, found: Target, file_id: string): Promise<void> {
  const attachments = (await presentOf(call, found)).attachments as { file_id: string | null }[];
  if (attachments.some((one) => one.file_id === file_id)) return;
  await changeRecord(call, found, { attachments: [...attachments, { file_id }] });
}

/** The key by which a file names its lead, contact or deal. */
const places = new Map([
  ["lead", "lead_id"],
  ["contact", "contact_id"],
  ["opportunity", "opportunity_id"],
] as const);

/** The file of a record that is sent over a channel, such as `email`. */
async function putInSlot(call: Call, { kind, id }: Target, file_id: string, slot: string | null): Promise<void> {
  const key = places.get(kind.name as "lead");
  const row = await findRecord(call.ctx, file, file_id);
  if (row === null) throw new StepFailure("record_not_found", "not_found", `The file ${file_id} does not exist`);
  if (key === undefined || row[key] !== id)
    throw new StepFailure(
      "object_type_mismatch",
      "config",
      `The file was not uploaded for this ${kind.name}, and files do not move`,
    );
  if (slot === null) return;
  await changeRecord(call, { kind: file, id: file_id }, { outreach_channel: slot });
}
