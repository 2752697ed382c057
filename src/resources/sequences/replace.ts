// A subscription gives way to a new one of the same person.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { finish } from "./endings.ts";
import { isLive } from "./live_once.ts";
import { sequenceSubscription } from "./sequence_subscription.ts";

export async function replaceWay(ctx: Ctx, { id }: Pick<Row<typeof sequenceSubscription>, "id">): Promise<void> {
  for (const way of await lockToChange(ctx, sequenceSubscription, sql`t.id = ${id} and ${isLive}`))
    finish(ctx, way, { status_reason: "replaced" });
}
