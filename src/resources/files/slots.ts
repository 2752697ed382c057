// Outreach slots: the file to send over a channel. A slot has one file, and a newly assigned file replaces the old one.
import { type Ctx, transactionOf } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { file } from "./file.ts";

type File = Row<typeof file>;
type Slot = Pick<File, "lead_id" | "contact_id" | "opportunity_id" | "outreach_channel" | "subtype">;

/** Empties the slot, if it is one. Two requests for the same slot run one after the other. */
export async function vacate(ctx: Ctx, slot: Slot, exceptId: string | null = null): Promise<void> {
  const { outreach_channel, subtype } = slot;
  if (outreach_channel === null) return;
  const target = slot.contact_id ?? slot.opportunity_id ?? slot.lead_id ?? "";
  await transactionOf(ctx).read({
    name: "file.slot",
    text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
    values: [["file slot", ctx.organization_id, target, outreach_channel, subtype ?? ""].join("\n")],
  });
  const present = await findRecords(
    ctx,
    file,
    [
      sql`coalesce(t.contact_id, t.opportunity_id, t.lead_id, '') = ${target}`,
      sql`t.outreach_channel = ${outreach_channel}`,
      sql`coalesce(t.subtype, '') = ${subtype ?? ""}`,
    ],
    sql`for update of t`,
  );
  for (const one of present) if (one.id !== exceptId) store.update(ctx, file, one, { outreach_channel: null });
}
