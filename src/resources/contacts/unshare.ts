// Ends sharing for one organization's copy of a contact. Nothing is deleted.
import { z } from "zod";
import { contactsOfShares } from "../../auth/unscoped.ts";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { emit } from "../../records/event.ts";
import { getRecord, lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { enterAsMember } from "../shared/elsewhere.ts";
import { contact } from "./contact.ts";
import { leaveShares, lockShares, seesAllInBoth } from "./sharing.ts";

export const unshareContact = operation({
  name: "contact.unshare",
  method: "POST",
  path: "/contact/{id}/unshare/",
  doc: "Ends the sharing of a contact with one organization. Its copy becomes an ordinary contact. With the id of this organization, the contact itself leaves the share. A share with one contact left is dissolved.",
  permission: "view_all_leads",
  scope: "write_destructive",
  input: {
    id: z.string(),
    organization_id: z.string().describe("The organization whose copy leaves the share."),
  },
  output: z.strictObject({
    detached_contact_id: z.string(),
    organization_id: z.string(),
    share_dissolved: z.boolean(),
    remaining: z.number().int().describe("How many organizations still share the contact."),
  }),
  async run(ctx, { id, organization_id }) {
    lockShares(ctx, [id]);
    const before = await lockRecord(ctx, contact, id);
    const copies = before.share_id === null ? [] : await contactsOfShares(ctx, [before.share_id]);
    const copy = copies.find((one) => one.organization_id === organization_id);
    if (copy === undefined) throw invalid({ organization_id: "does not share this contact" });

    const there =
      organization_id === ctx.organization_id ? ctx : await enterAsMember(ctx, organization_id, "organization_id", seesAllInBoth);
    await detach(there, copy.contact_id);
    const remaining = await leaveShares(ctx, [before]);
    if (there !== ctx)
      emit(ctx, contact, {
        action: "unshared",
        after: await getRecord(ctx, contact, id),
        meta: { unshared_from: organization_id },
      });
    return { detached_contact_id: copy.contact_id, organization_id, share_dissolved: remaining === 0, remaining };
  },
});

async function detach(ctx: Ctx, id: string): Promise<void> {
  const before = await lockRecord(ctx, contact, id);
  const after = store.update(ctx, contact, before, { share_id: null, shared_at: null });
  emit(ctx, contact, { action: "unshared", after });
}
