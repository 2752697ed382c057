// In whose name an automation acts: with the rights that a member has at that moment, who is named in `settings.run_as_user_id` or else
// put the version in force. When that member has left, or no longer sees all leads, the version in force says who replaces them. When
// nobody does, the run is held until somebody publishes it again.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Actor, type Ctx, query } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import type { Job } from "../../jobs/job.ts";
import { actingAs } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { automationVersion } from "./automation_version.ts";
import { StepFailure } from "./step_failure.ts";

/** Whose rights a version acts with. */
export interface Lender {
  user_id: string | null;
  /** The version names nobody: who published it saw all leads, and must still do. */
  isPublisher: boolean;
}

export const lenderOf = (run_as_user_id: string | null, published_by: string | null): Lender =>
  run_as_user_id === null ? { user_id: published_by, isPublisher: true } : { user_id: run_as_user_id, isPublisher: false };

/** Nobody lends the automation rights any more. It is no fault of a step, so no `on_error` passes over it. */
export class NotLent extends StepFailure {}

type Lent = { actor: Actor } | { lacks: "user_inactive" | "publisher_inactive" | "publisher_demoted" };

async function lentBy(db: Core["db"], organizationId: string, { user_id, isPublisher }: Lender): Promise<Lent> {
  const actor = user_id === null ? null : await actorOfMember(db, organizationId, user_id);
  if (actor === null) return { lacks: isPublisher ? "publisher_inactive" : "user_inactive" };
  return isPublisher && !actor.permissions.has("view_all_leads") ? { lacks: "publisher_demoted" } : { actor };
}

const mend = "publish it again, or name a member in settings.run_as_user_id";
const words = {
  user_inactive: "The member in whose name it runs is no longer active: name another in settings.run_as_user_id and publish it",
  publisher_inactive: `Who published it is no longer an active member, and it runs with their rights: ${mend}`,
  publisher_demoted: `Who published it no longer sees all leads, and it runs with their rights: ${mend}`,
};

/** In a transaction, with the rights of the first of them who has any to lend. */
export async function inItsName<T>(
  core: Core,
  job: Job,
  lenders: readonly [Lender, ...Lender[]],
  act: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const lacks: (keyof typeof words)[] = [];
  for (const lender of lenders) {
    const lent = await lentBy(core.db, job.organization_id, lender);
    if ("actor" in lent) return actingAs(core, lent.actor, requestOf(job), act);
    lacks.push(lent.lacks);
  }
  throw new NotLent(lacks[0]!, "permission", words[lacks[0]!]);
}

/** The versions whose runs nobody lends rights any more, with the reason in words: neither they say who, nor does the one in force. */
export async function lackingLenders(
  ctx: Ctx,
  automationId: string,
  versionIds: readonly (string | null)[],
): Promise<Map<string, string>> {
  const rows = await query(ctx, {
    name: "automation_version.lenders",
    text: `select v.id, v.settings->>'run_as_user_id', coalesce(v.published_by, a.created_by), w.settings->>'run_as_user_id', w.published_by
           from automation_version v join automation a on a.organization_id = $1 and a.id = v.automation_id
           left join automation_version w on w.organization_id = $1 and w.id = a.active_version_id
           where v.organization_id = $1 and v.automation_id = $2 and v.id = any($3)`,
    values: [ctx.organization_id, automationId, versionIds.filter((id) => id !== null)],
  });
  const lacking = new Map<string, string>();
  for (const [id, runAs, publisher, runAsNow, publisherNow] of rows.map((row) => row.map((one) => one ?? null))) {
    const own = await lentBy(ctx.db, ctx.organization_id, lenderOf(runAs!, publisher!));
    const now = await lentBy(ctx.db, ctx.organization_id, lenderOf(runAsNow!, publisherNow!));
    if ("lacks" in own && "lacks" in now) lacking.set(id!, words[own.lacks]);
  }
  return lacking;
}

/** Whether a version still has somebody's rights to act with. */
export async function isLent(ctx: Ctx, versionId: string): Promise<boolean> {
  const [version] = await findRecords(ctx, automationVersion, [sql`t.id = ${versionId}`]);
  if (version === undefined) return false;
  const lender = lenderOf(version.settings.run_as_user_id, version.published_by);
  return "actor" in (await lentBy(ctx.db, ctx.organization_id, lender));
}
