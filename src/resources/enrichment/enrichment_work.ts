// Carries out enrichments: a job is one lookup. First come the sources that cost nothing, then the provider for what is still missing.
// Everything outside is asked between transactions. A credit is taken before the provider is asked, so a worker that ends in between
// leaves it taken, and the next one asks with the same credit.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Actor, Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { actingAs, readingAs, systemActor } from "../../records/acting.ts";
import { findRecord } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { contact } from "../contacts/contact.ts";
import { noteEnriched } from "../contacts/enriched.ts";
import { refusalOf } from "../shared/refused_words.ts";
import { applyFacts } from "./apply.ts";
import { type Asked, askProvider, settleCredit } from "./ask_provider.ts";
import { askedSources } from "./asked_sources.ts";
import { type Asking, enrichment } from "./enrichment.ts";
import { enrichmentJobs } from "./enrichment_jobs.ts";
import { type Found, joined, leastConfidence } from "./found.ts";
import { type Enrichment, kinds, startForContacts } from "./start.ts";
import { foundByItself, type Subject, subjectOf } from "./subject.ts";
import { visitWebsite } from "./visit_website.ts";

export const enrichmentWork: Work = {
  ...enrichmentJobs,
  doc: "Looks up what is known elsewhere about leads and contacts.",
  slots: 4,
  async run(core, job) {
    const made = await begin(core, job);
    if (made === null) return;
    const actor = await actorOf(core, made);
    if (actor === null) return end(core, job, made, "Who asked for it is not a member any more");
    const ctx = await readingAs(core, actor, requestOf(job));
    const subject = await subjectOf(ctx, made);
    if (subject === null) return end(core, job, made, "Who asked for it cannot see the record any more");

    const free = await freeSources(core, job, ctx, subject);
    const asked = await askProvider(core, job, ctx, made, subject, free);
    if (asked.is === "later") return;
    const found = { ...joined([free, asked.found]), providers: askedSources(subject, free, asked) };
    await finish(core, job, actor, made, found, asked);
  },
  async giveUp(ctx, { object_id }) {
    await fail(ctx, object_id, "Several workers ended while they looked it up: ask again");
  },
};

/** What automations ask for in nobody's name is done by the service itself. */
const actorOf = async (core: Core, { organization_id, created_by }: Enrichment): Promise<Actor | null> =>
  created_by === null ? systemActor(organization_id) : actorOfMember(core.db, organization_id, created_by);

/** Null if there is nothing to do any more. */
const begin = (core: Core, job: Job): Promise<Enrichment | null> =>
  actingAs(core, systemActor(job.organization_id), requestOf(job), async (ctx) => {
    const [row] = await lockToChange(ctx, enrichment, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    if (row === undefined || isOver(row)) {
      release(ctx, job, null);
      return null;
    }
    const started_at = row.started_at ?? ctx.now.toISOString();
    return store.update(ctx, enrichment, row, { status: "running", started_at }, undefined, null);
  });

const isOver = ({ status }: Enrichment): boolean => status !== "queued" && status !== "running";

/** The company's page says nothing of a person. */
async function freeSources(core: Core, job: Job, ctx: Ctx, subject: Subject): Promise<Found> {
  const byItself = foundByItself(subject);
  return subject.kind === "contact" ? byItself : joined([await visitWebsite(core, job, ctx, subject), byItself]);
}

type All = Found & { providers: Asking[] };

/** In the name of who asked: the record, then the enrichment, then the job are locked, as a request does. */
async function finish(core: Core, job: Job, actor: Actor, made: Enrichment, found: All, asked: Asked): Promise<void> {
  await actingAs(core, actor, requestOf(job), async (ctx) => {
    ctx.meta = made.origin;
    const record = await lockedRecord(ctx, made);
    const [row] = await lockToChange(ctx, enrichment, sql`t.id = ${made.id}`);
    await holdClaim(ctx, job);
    release(ctx, job, null);
    if (row === undefined || isOver(row) || record === null) {
      if (row !== undefined && !isOver(row)) close(ctx, row, "failed", { error: "The record is gone" });
      return;
    }
    settleCredit(ctx, row, asked);
    const { row: after, applied, skipped } = await applyFacts(ctx, row, record, found.facts);
    const isMatch = found.facts.some(({ confidence }) => confidence >= leastConfidence);
    const status = isMatch ? "completed" : asked.error === null ? "no_match" : "failed";
    if (row.object_type === "contact") noteEnriched(ctx, after as Row<typeof contact>, status);
    const children_ids = row.object_type === "lead" && status !== "failed" ? await startForContacts(ctx, row) : [];
    close(ctx, row, status, {
      result: found.result,
      fields_updated: applied.map(({ field }) => field),
      applied,
      skipped,
      providers: found.providers,
      children_ids,
      credits_used: asked.credits,
      error: asked.error ?? found.away ?? null,
    });
  });
}

/** Locked by the rules of its area. Null if it is gone. */
async function lockedRecord(ctx: Ctx, { object_type, object_id }: Enrichment): Promise<any> {
  try {
    return await ctx.registry.verb(kinds[object_type], "lock")(ctx, object_id);
  } catch (error) {
    if (refusalOf(error)?.status === 404) return null;
    throw error;
  }
}

function close(ctx: Ctx, row: Enrichment, status: "completed" | "no_match" | "failed", values: Partial<Enrichment>): void {
  const action = status === "failed" ? "failed" : "completed";
  store.update(ctx, enrichment, row, { ...values, status, completed_at: ctx.now.toISOString() }, undefined, action);
}

const end = (core: Core, job: Job, made: Enrichment, error: string): Promise<void> =>
  actingAs(core, systemActor(job.organization_id), requestOf(job), async (ctx) => {
    ctx.meta = made.origin;
    await fail(ctx, job.object_id, error);
    await holdClaim(ctx, job);
    release(ctx, job, null);
  });

/** The credit that was taken for it stays taken, because nobody knows whether the provider charged it. */
async function fail(ctx: Ctx, id: string, error: string): Promise<void> {
  const seen = await findRecord(ctx, enrichment, id);
  const people = seen?.contact_id == null ? [] : await lockToChange(ctx, contact, sql`t.id = ${seen.contact_id}`);
  const [row] = await lockToChange(ctx, enrichment, sql`t.id = ${id}`);
  if (row === undefined || isOver(row)) return;
  for (const person of people) noteEnriched(ctx, person, "failed");
  close(ctx, row, "failed", { error });
}
