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
  const website = known !== undefined ? known : await readWebsite(core.settings.addresses, company.urls);
  if (known === undefined)
    await actingAs(core, ctx.actor, requestOf(job), async (writing) => {
      await holdClaim(writing, job);
      rememberAnswer(writing, key, website);
    });
  return website === null ? nothing : foundOn(website, company.isGuessed ? company.domain : null);
}
