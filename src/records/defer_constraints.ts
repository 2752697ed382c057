import { type Ctx, query, write } from "../core/context.ts";

/**
 * Lets rows of the organization refer to each other in any order until the transaction ends. `set constraints` only affects the
 * server that runs it, so it runs on the server of the organization's rows: the query names the organization, and finds no event.
 */
export function deferConstraints(ctx: Ctx): void {
  write(ctx, {
    text: "select defer_constraints(), count(*) from event where organization_id = $1 and id = ''",
    values: [ctx.organization_id],
  });
}

/** Refuses at once what has been written and cannot stay. Until then a refusal would meet the whole transaction. */
export async function checkConstraints(ctx: Ctx): Promise<void> {
  await query(ctx, {
    text: "select check_constraints(), count(*) from event where organization_id = $1 and id = ''",
    values: [ctx.organization_id],
  });
}
