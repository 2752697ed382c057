// The verbs of all kinds of activity that can be a message: they also update the conversation it belongs to.
import type { Ctx } from "../../core/context.ts";
import type { Extras } from "../../core/operation.ts";
import type { Create, Patch, Resource, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { messageChanged, messageDeleted, messageWritten } from "../conversations/keep_up.ts";

interface Verbs<R extends Resource> {
  create(ctx: Ctx, given: Create<R>, extras?: Extras): Promise<Row<R>>;
  update(ctx: Ctx, before: Row<R>, patch: Patch<R>): Promise<Row<R>>;
  delete?(ctx: Ctx, before: Row<R>): Promise<void>;
  lock?(ctx: Ctx, id: string): Promise<Row<R>>;
}

/** The five verbs of a kind, with the kind's own functions for some of them. */
export function inConversations<R extends Resource>(of: R, verbs: Verbs<R>) {
  return {
    list: true,
    get: true,
    ...(verbs.lock && { lock: verbs.lock }),
    async create(ctx: Ctx, given: Create<R>, extras?: Extras): Promise<Row<R>> {
      const row = await verbs.create(ctx, given, extras);
      await messageWritten(ctx, of, row as Row<Resource>);
      return row;
    },
    async update(ctx: Ctx, before: Row<R>, patch: Patch<R>): Promise<Row<R>> {
      const after = await verbs.update(ctx, before, patch);
      await messageChanged(ctx, of, before as Row<Resource>, after as Row<Resource>);
      return after;
    },
    async delete(ctx: Ctx, before: Row<R>): Promise<void> {
      await (verbs.delete ? verbs.delete(ctx, before) : store.remove(ctx, of, [before]));
      await messageDeleted(ctx, before as Row<Resource>);
    },
  } as const;
}
