import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { contact } from "./contact.ts";
import { createContact, updateContact } from "./contact_verbs.ts";
import { mergeContacts } from "./merge.ts";

export const contacts: Operation[] = [
  ...standard(contact, { ...crud, create: createContact, update: updateContact }, { delete: "delete_leads" }),
  mergeContacts,
];
