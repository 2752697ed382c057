// Two contacts that are one person become one contact, also across leads.
import { z } from "zod";
import { operation } from "../../core/operation.ts";
import { emit } from "../../records/event.ts";
import { shown } from "../../records/records.ts";
import { repoint } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { outputSchema } from "../../records/writer.ts";
import { uniteThreads } from "../comments/unite_threads.ts";
import { leaveSharedLists } from "../lists/members.ts";
import { endDoubleSubscriptions } from "../sequences/sequence_subscription_verbs.ts";
import { united } from "../shared/contact_points.ts";
import { filledIn, lockPair, mergedCustom } from "../shared/merging.ts";
import { contact } from "./contact.ts";
import { mergedShare } from "./sharing.ts";

export const mergeContacts = operation({
  name: "contact.merge",
  method: "POST",
  path: "/contact/merge/",
  doc: "Merges one contact into another: the source's activities and the like move to the destination, and the source is deleted.",
  permission: "merge_leads",
  scope: "write_destructive",
  input: {
    source: z.string().describe("The contact that goes."),
    destination: z.string().describe("The contact that stays."),
  },
  output: outputSchema(contact),
  async run(ctx, { source, destination }) {
    const [gone, kept] = await lockPair(ctx, contact, source, destination);
    const meta = { merge_source_contact_id: gone.id, merge_destination_contact_id: kept.id };

    const merged = store.update(
      ctx,
      contact,
      kept,
      {
        ...filledIn(kept, gone, ["name", "title", "timezone"]),
        emails: united(kept.emails, gone.emails, "email"),
        phones: united(kept.phones, gone.phones, "phone"),
        urls: united(kept.urls, gone.urls, "url"),
        tags: [...new Set([...kept.tags, ...gone.tags])],
        custom: mergedCustom(ctx.directory, "contact", kept.custom, gone.custom),
      },
      meta,
    );
    leaveSharedLists(ctx, "contact", gone.id, kept.id);
    await endDoubleSubscriptions(ctx, gone.id, kept.id);
    await uniteThreads(ctx, gone.id, kept.id, meta);
    await repoint(ctx, contact, gone.id, kept.id, { along: { lead_id: kept.lead_id }, meta });
    await store.remove(ctx, contact, [gone], meta);
    const shared = await mergedShare(ctx, gone, merged);
    emit(ctx, contact, { action: "merged", after: shared, meta });
    return shown(ctx, contact, shared);
  },
});
