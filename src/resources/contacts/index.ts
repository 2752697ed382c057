import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { contact } from "./contact.ts";
import { createContact, deleteContact, lockContact, updateContact } from "./contact_verbs.ts";
import { mergeContacts } from "./merge.ts";
import { shareContact } from "./share.ts";
import { listShares } from "./shares.ts";
import { unshareContact } from "./unshare.ts";

export const contacts: Operation[] = [
  ...standard(
    contact,
    { ...crud, create: createContact, update: updateContact, delete: deleteContact, lock: lockContact },
    { read: "member", write: "member", delete: "delete_leads" },
  ),
  mergeContacts,
  shareContact,
  unshareContact,
  listShares,
];
