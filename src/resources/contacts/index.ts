import type { Ctx } from "../../core/context.ts";
import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { contact } from "./contact.ts";
import { createContact, deleteContact, updateContact } from "./contact_verbs.ts";
import { mergeContacts } from "./merge.ts";
import { shareContact } from "./share.ts";
import { listShares } from "./shares.ts";
import { lockShares } from "./sharing.ts";
import { unshareContact } from "./unshare.ts";

const verbs = standard(
  contact,
  { ...crud, create: createContact, update: updateContact, delete: deleteContact },
  { read: "member", write: "member", delete: "delete_leads" },
);

/** A change of a shared contact reaches its copies. */
function holdingShares(operation: Operation<{ id: string }>): Operation<{ id: string }> {
  const { run } = operation;
  return Object.assign(operation, {
    run(ctx: Ctx, input: { id: string }) {
      lockShares(ctx, [input.id]);
      return run(ctx, input, undefined);
    },
  });
}

export const contacts: Operation[] = [
  ...verbs.map((one) => (one.verb === "update" || one.verb === "delete" ? holdingShares(one) : one)),
  mergeContacts,
  shareContact,
  unshareContact,
  listShares,
];
