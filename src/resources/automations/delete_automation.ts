// Deletes a rule or a workflow with its versions and runs.
import { type Ctx, write } from "../../core/context.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";

/** Steps of runs have no events and may be very many. Unlike the runs, they are deleted without being read. */
export const deletionOf =
  (of: Resource) =>
  async (ctx: Ctx, before: Row<Resource>): Promise<void> => {
    write(
      ctx,
      statement(sql`delete from automation_step_run s using automation_run r
        where s.organization_id = ${ctx.organization_id} and r.organization_id = ${ctx.organization_id}
          and r.automation_id = ${before.id} and s.run_id = r.id`),
    );
    write(
      ctx,
      statement(
        sql`delete from automation_secret where organization_id = ${ctx.organization_id} and automation_id = ${before.id}`,
      ),
    );
    await store.remove(ctx, of, [before]);
  };
