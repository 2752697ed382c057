// Merges two leads that are the same company, in one transaction.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { logLeadMerge } from "../activities/system_activities.ts";
import { united } from "../shared/contact_points.ts";
import { leadTag } from "../tags/lead_tag.ts";
import { withTags } from "../tags/with_tags.ts";
import { nameAfterContacts } from "./first_contact.ts";
import { lead } from "./lead.ts";
import { filledIn, inEither, lockPair, mergedCustom, takeOver } from "./merging.ts";

export const mergeLeads = operation({
  name: "lead.merge",
  method: "POST",
  path: "/lead/merge/",
  doc: "Merges one lead into another: everything that belongs to the source moves to the destination, and the source is deleted.",
  permission: "merge_leads",
  scope: "write_destructive",
  input: {
    source: z.string().describe("The lead that is merged and deleted."),
    destination: z.string().describe("The lead that remains."),
  },
  output: outputSchema(lead),
  async run(ctx, { source, destination }) {
    const [gone, kept] = await lockPair(ctx, lead, source, destination);
    const meta = { merge_source_lead_id: gone.id, merge_destination_lead_id: kept.id };

    const values = await withTags(ctx, leadTag, mergedLead(ctx, kept, gone), kept.tags);
    const merged = store.update(ctx, lead, kept, values, meta);
    await takeOver(ctx, lead, gone.id, kept.id, { meta });
    await store.remove(ctx, lead, [gone], meta);
    await nameAfterContacts(ctx, [kept.id]);
    logLeadMerge(ctx, gone, merged);
    emit(ctx, lead, { action: "merged", after: merged, meta });
    return showWritten(ctx, lead, merged);
  },
});

/** The destination's own values win. Empty ones are filled from the source, and lists are united. */
function mergedLead(ctx: Ctx, kept: Row<typeof lead>, gone: Row<typeof lead>) {
  return {
    ...filledIn(kept, gone, ["name", "url", "industry", "description", "owner_id", "mrr"]),
    emails: united(kept.emails, gone.emails, "email"),
    phones: united(kept.phones, gone.phones, "phone"),
    addresses: inEither(kept.addresses, gone.addresses),
    tags: inEither(kept.tags, gone.tags),
    custom: mergedCustom(ctx.directory, "lead", kept.custom, gone.custom),
  };
}
