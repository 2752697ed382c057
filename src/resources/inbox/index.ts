import type { Operation } from "../../core/operation.ts";
import { lockBehindAll } from "../../records/locks.ts";
import { standard } from "../../records/standard.ts";
import { convertInboxProspect } from "./convert.ts";
import { dismissInboxProspect } from "./dismiss.ts";
import { inboxFolder } from "./inbox_folder.ts";
import { createInboxFolder, deleteInboxFolder, updateInboxFolder } from "./inbox_folder_verbs.ts";
import { inboxProspect } from "./inbox_prospect.ts";
import { inboxRule } from "./inbox_rule.ts";
import { createInboxRule, deleteInboxRule, updateInboxRule } from "./inbox_rule_verbs.ts";
import { listProspects } from "./list_prospects.ts";

export const inbox: Operation[] = [
  ...standard(
    inboxFolder,
    {
      list: true,
      create: createInboxFolder,
      update: updateInboxFolder,
      delete: deleteInboxFolder,
      lock: lockBehindAll(inboxFolder),
    },
    "member",
  ),
  ...standard(inboxRule, { list: true, create: createInboxRule, update: updateInboxRule, delete: deleteInboxRule }, "member"),
  ...standard(inboxProspect, { list: listProspects }, "member"),
  convertInboxProspect,
  dismissInboxProspect,
];
