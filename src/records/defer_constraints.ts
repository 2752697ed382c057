import { type Ctx, write } from "../core/context.ts";

/**
 * Lets the organization's rows name each other in any order until the transaction ends. `set constraints` holds on the server that
 * runs it, so it is called where the organization's rows lie: the query names the organization, finds no event and answers one row.
 */
export function deferConstraints(ctx: Ctx): void {
  write(ctx, {
    text: "select defer_constraints(), count(*) from event where organization_id = $1 and id = ''",
    values: [ctx.organization_id],
  });
}
