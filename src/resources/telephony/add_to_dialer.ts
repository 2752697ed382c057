// Adds a person to a dialer that is there already: last, or to the entry of their lead while that waits for its turn.
import { type Ctx, query, write } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { dialer } from "./dialer.ts";
import { dialerJobs } from "./dialer_jobs.ts";

interface Person {
  id: string;
  lead_id: string;
}

/** `waiting` where they are to be called already, `done` where the dialer calls nobody any more. Null where it does not exist. */
export async function addToDialer(ctx: Ctx, dialerId: string, person: Person): Promise<"added" | "waiting" | "done" | null> {
  const [found] = await lockToChange(ctx, dialer, sql`t.id = ${dialerId}`);
  if (found === undefined) return null;
  if (found.status === "done") return "done";
  if (await waits(ctx, dialerId, person)) return "waiting";

  const n_leads = found.n_leads + 1;
  write(
    ctx,
    statement(sql`insert into dialer_lead (organization_id, dialer_id, position, lead_id, contact_ids)
      values (${ctx.organization_id}, ${dialerId}, ${n_leads}, ${person.lead_id}, ${[person.id]})`),
  );
  store.update(ctx, dialer, found, { n_leads });
  if (found.type === "predictive") wake(ctx, dialerJobs, [dialerId]);
  return "added";
}

/** Without `contact_ids`, anybody of the lead is called. */
async function waits(ctx: Ctx, dialerId: string, { id, lead_id }: Person): Promise<boolean> {
  const rows = await query(
    ctx,
    statement(sql`update dialer_lead e
      set contact_ids = case when e.contact_ids is null or ${id} = any(e.contact_ids) then e.contact_ids else e.contact_ids || ${id}::text end
      where e.organization_id = ${ctx.organization_id} and e.dialer_id = ${dialerId} and e.lead_id = ${lead_id}
        and e.state = 'pending' and e.task_id is null returning e.position`),
  );
  return rows.length > 0;
}
