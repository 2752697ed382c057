// Telling members of a change, in the change's own transaction.
import type { Ctx } from "../../core/context.ts";
import { store } from "../../records/store.ts";
import { group } from "../organization/group.ts";
import { isActiveMember } from "../organization/user.ts";
import { type NotificationType, notification } from "./notification.ts";

export interface Notice {
  type: NotificationType;
  /** One line, such as `Ada gave you the lead Acme`. */
  title: string;
  body?: string | null;
  object_type: string;
  object_id: string;
  lead_id?: string | null;
  data?: Record<string, unknown>;
}

/** Tells members, by their ids or by those of groups. Nobody is told twice, or of what they did themselves. */
export function notify(ctx: Ctx, to: readonly (string | null | undefined)[], notice: Notice): void {
  for (const user_id of recipients(ctx, to))
    store.insert(ctx, notification, {
      body: null,
      lead_id: null,
      data: {},
      ...notice,
      user_id,
      actor_id: ctx.actor.user_id,
    });
}

function recipients(ctx: Ctx, to: readonly (string | null | undefined)[]): Set<string> {
  const ids = to.flatMap((id) => (typeof id === "string" ? (ctx.directory.get(group, id)?.user_ids ?? [id]) : []));
  return new Set(ids.filter((id) => id !== ctx.actor.user_id && isActiveMember(ctx.directory, id)));
}
