// What each kind of bulk action does.
import type { Kind } from "./common.ts";
import { starting } from "./do_automation.ts";
import { deleting } from "./do_delete.ts";
import { editing } from "./do_edit.ts";
import { emailing } from "./do_email.ts";
import { enriching } from "./do_enrich.ts";
import { subscribing } from "./do_subscription.ts";
import { undoing } from "./do_undo.ts";
import type { Doing } from "./doing.ts";

export const doings: Readonly<Record<Kind, Doing>> = {
  edit: editing,
  delete: deleting,
  email: emailing,
  sequence_subscription: subscribing,
  enrich: enriching,
  automation: starting,
  undo: undoing,
};
