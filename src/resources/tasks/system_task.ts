// Creates the tasks that the service makes by itself, such as calling back after a missed call.

import type { Ctx } from "../../core/context.ts";
import type { Row, Values } from "../../core/resource.ts";
import { todayOf } from "../../records/clock.ts";
import { store } from "../../records/store.ts";
import { type systemTypes, task } from "./task.ts";

export type SystemTask = Values<typeof task> & {
  _type: (typeof systemTypes)[number];
  lead_id: string;
  assigned_to: string;
};

/** For today, unless `values` say otherwise. */
export function createSystemTask(ctx: Ctx, values: SystemTask): Row<typeof task> {
  return store.insert(ctx, task, { text: "", date: todayOf(ctx.directory, ctx), ...values });
}
