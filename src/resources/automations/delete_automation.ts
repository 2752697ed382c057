// Deletes a rule or a workflow with its versions. Its runs stay: those that are under way are cancelled.
import { type Ctx, write } from "../../core/context.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { cancelRuns } from "./living_runs.ts";

export const deletionOf =
  (of: Resource) =>
  async (ctx: Ctx, before: Row<Resource>): Promise<void> => {
    const id = String(before.id);
    await cancelRuns(ctx, id, "automation_deleted");
    write(
      ctx,
      statement(sql`update automation_run set kept_automation_name = ${String(before.name)}, version = version + 1
        where organization_id = ${ctx.organization_id} and automation_id = ${id}`),
    );
    write(
      ctx,
      statement(sql`delete from automation_secret where organization_id = ${ctx.organization_id} and automation_id = ${id}`),
    );
    await store.remove(ctx, of, [before]);
  };
