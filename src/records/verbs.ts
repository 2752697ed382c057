// The plain functions that create, change, delete and lock a record. A resource may replace them; see `standard.ts`.
import type { Ctx } from "../core/context.ts";
import type { Verbs } from "../core/operation.ts";
import type { Resource, Row } from "../core/resource.ts";
import { lockRecord } from "./records.ts";
import { store } from "./store.ts";

export const plainVerbs = (of: Resource): Verbs => ({
  create: async (ctx: Ctx, input) => store.insert(ctx, of, input as Row<Resource>),
  update: async (ctx, before, patch) => store.update(ctx, of, before, patch as Partial<Row<Resource>>),
  delete: async (ctx, before) => store.remove(ctx, of, [before]),
  lock: (ctx, id) => lockRecord(ctx, of, id),
});
