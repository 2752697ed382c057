// Timers that find records which should have a job and have none: it was lost, or the record was written before there was such work.
import type { Core } from "../core/core.ts";
import type { Database } from "../db/database.ts";
import { asSystem } from "../records/acting.ts";
import { newId } from "../values/id.ts";
import { type Work, wakeLost } from "./job.ts";
import type { Timer } from "./timer.ts";

type Find = (db: Database, kind: string) => Promise<{ organization_id: string; id: string }[]>;

/** Every ten minutes, gives a job of this kind to what `find` finds in all organizations. */
export const lostJobsTimer = (name: string, doc: string, jobs: Pick<Work, "kind">, find: Find): Timer => ({
  name,
  doc,
  everySeconds: 600,
  async run(core: Core) {
    const found = await find(core.db, jobs.kind);
    for (const [organizationId, those] of Map.groupBy(found, (one) => one.organization_id)) {
      const ids = those.map(({ id }) => id);
      const occasion = { id: newId("req"), method: "", path: `clock ${name}` };
      await asSystem(core, organizationId, occasion, async (ctx) => wakeLost(ctx, jobs, ids));
    }
  },
});
