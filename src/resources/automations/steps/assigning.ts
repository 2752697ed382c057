// Who gets a record: one member, the next of a pool, or the one of a pool with the fewest.
import { query } from "../../../core/context.ts";
import type { Resource } from "../../../core/resource.ts";
import { name, sql, statement } from "../../../db/sql.ts";
import { isActiveMember } from "../../organization/user.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call } from "./step.ts";

export function assignLacks({ mode, user_id, pool }: Record<string, any>): string | null {
  if (mode === "by_territory") return "has no territories yet: use fixed, round_robin or least_open as mode";
  if ((mode ?? "fixed") === "fixed") return user_id == null ? "needs a user_id" : null;
  return pool == null ? "needs a pool of members" : null;
}

export function ownerField(kind: Resource): string {
  const field = ["owner_id", "user_id", "assigned_to"].find((key) => kind.fields[key]?.source === "column");
  if (field === undefined) throw new StepFailure("object_type_mismatch", "config", `A ${kind.name} has no owner`);
  return field;
}

/** Members who left are passed over. */
export async function nextOwner(call: Call, kind: Resource): Promise<string> {
  const { mode = "fixed", user_id, pool = [] } = call.config;
  const given: string[] = mode === "fixed" ? [user_id] : pool;
  const members = given.filter((id) => isActiveMember(call.ctx.directory, id));
  if (members.length === 0) throw new StepFailure("user_inactive", "config", "Nobody to assign it to is a member any more");
  if (mode === "round_robin") return afterTheLast(call, members);
  return mode === "least_open" ? leastOf(call, kind, members) : members[0]!;
}

/** One run at a time asks for the next. */
async function afterTheLast({ ctx, run, step_id }: Call, members: readonly string[]): Promise<string> {
  const turn = `owner.assign ${ctx.organization_id} ${run.automation_id} ${step_id}`;
  await query(ctx, statement(sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`));
  const [row] = await query(
    ctx,
    statement(sql`select s.output->>'user_id' from automation_step_run s
      join automation_run r on r.organization_id = ${ctx.organization_id} and r.id = s.run_id
      where s.organization_id = ${ctx.organization_id} and s.type = 'owner.assign' and s.status = 'succeeded'
        and s.step_id = ${step_id} and r.automation_id = ${run.automation_id} order by s.id desc limit 1`),
  );
  return members[(members.indexOf(row?.[0] ?? "") + 1) % members.length]!;
}

async function leastOf({ ctx }: Call, kind: Resource, members: readonly string[]): Promise<string> {
  const field = name(ownerField(kind));
  const rows = await query(
    ctx,
    statement(sql`select u.id from unnest(${members}::text[]) with ordinality u(id, place)
      order by (select count(*) from ${name(kind.table)} t where t.organization_id = ${ctx.organization_id} and t.${field} = u.id), u.place limit 1`),
  );
  return rows[0]![0]!;
}
