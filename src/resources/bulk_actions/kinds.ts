// What each kind of bulk action does.
import type { Ctx } from "../../core/context.ts";
import type { Permission } from "../../core/permissions.ts";
import type { Kind } from "./common.ts";
import { starting } from "./do_automation.ts";
import { deleting } from "./do_delete.ts";
import { editing } from "./do_edit.ts";
import { emailing } from "./do_email.ts";
import { enriching } from "./do_enrich.ts";
import { subscribing } from "./do_subscription.ts";
import { undoing } from "./do_undo.ts";
import type { BulkAction, Doing } from "./doing.ts";

export const doings: Readonly<Record<Kind, Doing>> = {
  edit: editing,
  delete: deleting,
  email: emailing,
  sequence_subscription: subscribing,
  enrich: enriching,
  automation: starting,
  undo: undoing,
};

/** What whoever it is done for must be allowed. */
export function neededFor(ctx: Ctx, action: BulkAction): Permission[] {
  const { permission, needs } = doings[action.kind as Kind];
  return [permission, needs?.(ctx, action) ?? "member"].filter((one) => one !== "member");
}
