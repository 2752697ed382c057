import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { inboxFolder } from "./inbox_folder.ts";
import { createInboxFolder, deleteInboxFolder, updateInboxFolder } from "./inbox_folder_verbs.ts";
import { inboxRule } from "./inbox_rule.ts";
import { createInboxRule, deleteInboxRule, updateInboxRule } from "./inbox_rule_verbs.ts";

export const inbox: Operation[] = [
  ...standard(inboxFolder, { list: true, create: createInboxFolder, update: updateInboxFolder, delete: deleteInboxFolder }),
  ...standard(inboxRule, { list: true, create: createInboxRule, update: updateInboxRule, delete: deleteInboxRule }),
];
