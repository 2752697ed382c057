// Visits the website of a lead's company, or remembers what it said.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job } from "../../jobs/job.ts";
import { actingAs } from "../../records/acting.ts";
import { answerKey, rememberAnswer, rememberedAnswer } from "./answers.ts";
import type { Found } from "./found.ts";
import type { Subject } from "./subject.ts";
import { foundOn, readWebsite, type Website } from "./website.ts";

const nothing: Found = { facts: [], result: {} };

export async function visitWebsite(core: Core, job: Job, ctx: Ctx, { company }: Subject): Promise<Found> {
  if (company.urls.length === 0) return nothing;
  const key = answerKey("website", company.urls);
  const known = await rememberedAnswer<Website>(ctx, key);
  const read = known === undefined ? await readWebsite(core.settings.addresses, company.urls) : { website: known, away: null };
  const { website, away } = read;
  // A site that is away may have a page another time.
  if (known === undefined && away === null)
    await actingAs(core, ctx.actor, requestOf(job), async (writing) => {
      await holdClaim(writing, job);
      rememberAnswer(writing, key, website);
    });
  if (website === null) return { ...nothing, away };
  return foundOn(website, company.isGuessed ? company.domain : null);
}
