import type { Operation } from "../../core/operation.ts";
import { contact } from "../contacts/contact.ts";
import { lead } from "../leads/lead.ts";
import { contactList } from "./contact_list.ts";
import { copyFromLegacySource, copyFromSource } from "./copy_from_source.ts";
import { leadList } from "./lead_list.ts";
import { listOperations } from "./list_verbs.ts";

export const lists: Operation[] = [
  ...listOperations(contactList, contact),
  copyFromSource,
  copyFromLegacySource,
  ...listOperations(leadList, lead),
];
