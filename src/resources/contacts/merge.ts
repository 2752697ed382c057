// Merges two contacts that are the same person, even of different leads.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { emit } from "../../records/event.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { nameAfterContacts } from "../leads/first_contact.ts";
import { filledIn, inEither, lockPair, mergedCustom, takeOver } from "../leads/merging.ts";
import { united } from "../shared/contact_points.ts";
import { contactTag } from "../tags/contact_tag.ts";
import { withTags } from "../tags/with_tags.ts";
import { contact } from "./contact.ts";
import { lockShares, mergedShare } from "./sharing.ts";

export const mergeContacts = operation({
  name: "contact.merge",
  method: "POST",
  path: "/contact/merge/",
  doc: "Merges one contact into another: the source's activities and other records move to the destination, and the source is deleted.",
  permission: "merge_leads",
  scope: "write_destructive",
  input: {
    source: z.string().describe("The contact that is merged and deleted."),
    destination: z.string().describe("The contact that remains."),
  },
  output: outputSchema(contact),
  async run(ctx, { source, destination }) {
    lockShares(ctx, [source, destination]);
    const [gone, kept] = await lockPair(ctx, contact, source, destination);
    const meta = { merge_source_contact_id: gone.id, merge_destination_contact_id: kept.id };

    const values = await withTags(ctx, contactTag, mergedContact(ctx, kept, gone), kept.tags);
    const merged = store.update(ctx, contact, kept, values, meta);
    await takeOver(ctx, contact, gone.id, kept.id, { along: { lead_id: kept.lead_id }, meta });
    await store.remove(ctx, contact, [gone], meta);
    await nameAfterContacts(ctx, [gone.lead_id, kept.lead_id]);
    const shared = await mergedShare(ctx, gone, merged);
    emit(ctx, contact, { action: "merged", after: shared, meta });
    return showWritten(ctx, contact, shared);
  },
});

/** The destination's own values win. Empty ones are filled from the source, and lists are united. */
function mergedContact(ctx: Ctx, kept: Row<typeof contact>, gone: Row<typeof contact>) {
  return {
    ...filledIn(kept, gone, ["name", "title", "timezone", "timezone_source", "enrichment_status", "enriched_at"]),
    do_not_call: kept.do_not_call || gone.do_not_call,
    emails: united(kept.emails, gone.emails, "email"),
    phones: united(kept.phones, gone.phones, "phone"),
    urls: united(kept.urls, gone.urls, "url"),
    tags: inEither(kept.tags, gone.tags),
    external_profiles: inEither(kept.external_profiles, gone.external_profiles),
    custom: mergedCustom(ctx.directory, "contact", kept.custom, gone.custom),
  };
}
