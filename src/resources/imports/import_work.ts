// The work for imports: a job is one import. It takes up to 200 rows in a transaction, with what becomes of each, so that a killed
// worker loses nothing and the next one repeats nothing. Whoever made the import is looked up again for each transaction.
import type { Actor, Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { type Job, release, type Work } from "../../jobs/job.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { type Extent, takeTurns } from "../bulk_actions/turns.ts";
import { type Asked, inItsName } from "../shared/in_its_name.ts";
import { refusalOf } from "../shared/refused_words.ts";
import { checkMapping } from "./check_mapping.ts";
import { clearRows, isDue } from "./clear_rows.ts";
import { importResource, needsOf, needsToRevert } from "./import.ts";
import { importJobs } from "./import_jobs.ts";
import { failedRow, type Import, keepOutcomes, nextRows } from "./import_rows.ts";
import { checkOptions } from "./options.ts";
import { finish, noteOutcomes, stop } from "./progress.ts";
import { revertRows } from "./revert_rows.ts";
import { takeRows } from "./take_rows.ts";
import { failTrialRow, stopTrial, takeTrial } from "./trial.ts";

export const importWork: Work = {
  ...importJobs,
  doc: "Carries out imports.",
  slots: 2,
  run: (core, job) =>
    takeTurns(
      job,
      (extent) => takeTurn(core, job, extent),
      ({ error = "" }) => failRow(core, job, error),
    ),
  async giveUp(ctx, { object_id }) {
    const [row] = await lockToChange(ctx, importResource, sql`t.id = ${object_id}`);
    if (row !== undefined && isRunning(row))
      stopEither(ctx, row, "Several workers ended in the middle of it: set the mapping again to go on");
  },
};

const running: ReadonlySet<string> = new Set(["queued", "processing", "reverting"]);
const isRunning = ({ status, trial }: Import): boolean => running.has(status) || isTried({ status, trial });
const isTried = ({ status, trial }: Pick<Import, "status" | "trial">): boolean => status === "draft" && trial !== null;

/** The import cannot go on, or its dry run cannot. */
function stopEither(ctx: Ctx, imp: Import, why: string): void {
  (isTried(imp) ? stopTrial : stop)(ctx, imp, why);
}

/** Returns whether the next rows follow at once. The job is then still claimed. */
const takeTurn = (core: Core, job: Job, extent: Extent): Promise<boolean> =>
  inName(core, job, async (ctx, imp) => {
    if (imp.status === "reverting") return revertRows(ctx, job, imp, extent);
    const lacks = await whatIsGone(ctx, imp);
    if (lacks !== null) {
      stopEither(ctx, imp, lacks);
      release(ctx, job, null);
      return false;
    }
    if (imp.status === "draft") return takeTrial(ctx, job, imp, extent);
    const { most, mayGoOn } = extent;
    const rows = await nextRows(ctx, imp.id, most);
    const outcomes = rows.length === 0 ? [] : await takeRows(ctx, imp, rows);
    keepOutcomes(ctx, imp.id, outcomes);
    const after = noteOutcomes(ctx, imp, outcomes);
    if (rows.length < most) return finish(ctx, job, after);
    if (!mayGoOn) release(ctx, job, ctx.now);
    return mayGoOn;
  });

/** What was there when the import was queued may be gone: a field of the mapping, or what an option names. No row is to blame for that. */
async function whatIsGone(ctx: Ctx, imp: Import): Promise<string | null> {
  const { mapping, options } = imp.trial ?? imp;
  try {
    await checkOptions(ctx, options);
    if (mapping !== null) checkMapping(ctx.directory, imp, mapping, options);
    return null;
  } catch (problem) {
    const refusal = refusalOf(problem);
    if (refusal === null) throw problem;
    return `${refusal.words}: set the mapping and the options again to go on with the rows that are left`.slice(0, 1000);
  }
}

/** The first row that is left fails. */
async function failRow(core: Core, job: Job, error: string): Promise<void> {
  await inName(core, job, async (ctx, imp) => {
    if (imp.status === "draft") {
      await failTrialRow(ctx, imp, error);
      return true;
    }
    const outcomes = (await nextRows(ctx, imp.id, 1)).map((row) => failedRow(row, [{ error }]));
    keepOutcomes(ctx, imp.id, outcomes);
    noteOutcomes(ctx, imp, outcomes);
    return true;
  });
}

const asked: Asked<typeof importResource> = {
  of: importResource,
  isOpen: isRunning,
  askedBy: (imp) => askedBy(imp) ?? "",
  whyNot: (_ctx, imp, actor) => whyNot(imp, actor),
  stop: stopEither,
  afterwards: async (ctx, imp) => (isDue(imp, ctx.now) && (await clearRows(ctx, imp)) ? ctx.now : null),
};

const inName = (core: Core, job: Job, act: (ctx: Ctx, imp: Import) => Promise<boolean>): Promise<boolean> =>
  inItsName(core, job, asked, (ctx, row) => {
    const own: Ctx = { ...ctx, meta: { ...ctx.meta, ...metaOf(row) } };
    return act(own, begun(own, row));
  });

/** What the events of its records say about it. */
const metaOf = ({ id, options }: Import): object => ({
  import_id: id,
  ...(options.trigger_automations && { trigger_automations: true }),
  ...(options.send_webhooks === false && { send_webhooks: false }),
});

const askedBy = ({ status, created_by, run_by, reverted_by, trial }: Import): string | null =>
  status === "reverting" ? reverted_by : status === "draft" ? (trial?.by ?? null) : (run_by ?? created_by);

/** Why it may not go on; null if it may. */
function whyNot(imp: Import, actor: Actor | null): string | null {
  const isBack = imp.status === "reverting";
  const [who, does, needs] = isBack
    ? (["reverted", "revert", needsToRevert] as const)
    : (["started", "import", needsOf] as const);
  if (actor === null) return `Whoever ${who} it is no longer an active member`;
  if (actor.past_due) return "The account is past due";
  const lacks = needs(imp.object_type).find((one) => !actor.permissions.has(one));
  return lacks === undefined ? null : `Whoever ${who} it may not ${does} any more: it needs ${lacks}`;
}

function begun(ctx: Ctx, row: Import): Import {
  if (row.status !== "queued") return row;
  const date_started = row.date_started ?? ctx.now.toISOString();
  return store.update(ctx, importResource, row, { status: "processing", date_started });
}
