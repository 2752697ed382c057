import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { contactTag } from "./contact_tag.ts";
import { leadTag } from "./lead_tag.ts";
import { contactTagVerbs, leadTagVerbs } from "./tag_verbs.ts";

const gates = { read: "member", write: "manage_customizations", create: "member" } as const;

export const tags: Operation[] = [
  ...standard(contactTag, { list: true, create: true, ...contactTagVerbs }, gates),
  ...standard(leadTag, { list: true, create: true, ...leadTagVerbs }, gates),
];
