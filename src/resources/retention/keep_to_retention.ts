// Does what organizations have set under `settings.retention`, each by itself: a failure in one does not hold up the others.
import { organizationsWithRetention } from "../../auth/unscoped_work.ts";
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { asSystem } from "../../records/acting.ts";
import { lockFree } from "../../records/references.ts";
import { newId } from "../../values/id.ts";
import { organization } from "../organization/organization.ts";
import { type Kept, retentionOf } from "../organization/retention.ts";
import { deleteOldEvents } from "./old_events.ts";
import { deleteOldMail, deleteOldProspects } from "./old_mail.ts";
import { removeOldRecordings, removeOldStrangersRecordings } from "./old_recordings.ts";
import { oldBefore } from "./what_is_old.ts";

/** Removes some of what is from before a moment, in one transaction. Returns whether there may be more. */
type Step = (ctx: Ctx, before: Date) => Promise<boolean>;

const steps: readonly [Kept, Step][] = [
  ["mail_days", deleteOldMail],
  ["mail_days", deleteOldProspects],
  ["recording_days", removeOldRecordings],
  ["recording_days", removeOldStrangersRecordings],
  ["event_days", deleteOldEvents],
];

/** How long one of them goes on in one organization. The rest waits for the next time. */
const turnMs = 10_000;

export async function keepToRetention(core: Core): Promise<void> {
  const failures: Error[] = [];
  for (const organizationId of await organizationsWithRetention(core.db))
    for (const [kept, step] of steps) {
      const until = performance.now() + turnMs;
      try {
        while ((await take(core, organizationId, kept, step)) && performance.now() < until);
      } catch (error) {
        failures.push(error as Error);
      }
    }
  if (failures.length > 0) throw failures[0];
}

/** The settings are those of this moment, and stay so meanwhile. Another worker that does the same is left alone. */
const take = (core: Core, organizationId: string, kept: Kept, step: Step): Promise<boolean> =>
  asSystem(core, organizationId, { id: newId("req"), method: "", path: `retention ${kept}` }, async (ctx) => {
    const [row] = await lockFree(ctx, organization, sql`t.id = ${ctx.organization_id}`);
    const days = row === undefined ? null : retentionOf(row.settings)[kept];
    if (days === null) return false;
    return step({ ...ctx, meta: { ...ctx.meta, retention: { [kept]: days } } }, oldBefore(ctx.now, days));
  });
