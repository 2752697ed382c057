// Asks the paid provider for what free sources did not find. Before that a credit is taken, and it is given back where nothing was found.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release } from "../../jobs/job.ts";
import { actingAs } from "../../records/acting.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { openCircuit } from "../../services/circuit.ts";
import { lookUp, type PeopleDataLabsAccount, type Query } from "../../services/people_data_labs.ts";
import { answerKey, rememberAnswer, rememberedAnswer } from "./answers.ts";
import { isEmpty, wantedFields } from "./apply.ts";
import { creditDay, creditsUsedUp, giveBackCredit, takeCredit } from "./credits.ts";
import { type Asking, enrichment } from "./enrichment.ts";
import { type Found, leastConfidence } from "./found.ts";
import { companyQuery, connectedAccount, foundCompany, foundPerson, personQuery } from "./people_data_labs.ts";
import type { Enrichment } from "./start.ts";
import type { Subject } from "./subject.ts";

/** What came of it. An `answer` is to be remembered. */
export interface Asked {
  is: "asked";
  found: Found;
  credits: number;
  /** What the provider said; null where it was not asked. */
  status: Asking["status"] | null;
  error: string | null;
  answer?: { key: string; found: Found | null };
}

const unasked: Asked = { is: "asked", found: { facts: [], result: {} }, credits: 0, status: null, error: null };
const away = { ...unasked, status: "unavailable" } as const;

/** After so many attempts it is given up. */
const attemptsMost = 5;
/** While the provider is away for others too, it is not asked. After so long an enrichment ends without it. */
const waitsMostMs = 3_600_000;

const circuit = openCircuit();
const nameOf = ({ api_key, base_url }: PeopleDataLabsAccount): string => `${base_url} ${api_key}`;

/** `later`: the job is due again. */
export async function askProvider(
  core: Core,
  job: Job,
  ctx: Ctx,
  made: Enrichment,
  subject: Subject,
  free: Found,
): Promise<Asked | { is: "later" }> {
  const query = made.provider === "internal" || !isWorthIt(made, subject, free) ? null : queryFor(subject);
  if (query === null) return unasked;
  const key = answerKey("peopledatalabs", query);
  const known = await rememberedAnswer<Found>(ctx, key);
  if (known === null) return { ...unasked, status: "no_match" };
  if (known !== undefined) return { ...unasked, status: "match", found: known };

  const connected = await connectedAccount(ctx);
  if (connected === null) return { ...away, error: "People Data Labs is not connected any more" };
  const name = nameOf(connected.account);
  const pause = circuit.waitsUntil(name, ctx.now);
  if (pause !== null) return waitFor(core, job, ctx, made, pause);
  const isTaken = await change(core, job, ctx, async (writing, row) => takeFor(writing, row));
  if (isTaken !== true) return isTaken === null ? { is: "later" } : { ...away, error: creditsUsedUp };
  const kind = subject.kind === "lead" ? "company" : "person";
  const looked = await lookUp(core.settings.addresses, connected.account, kind, query);
  if (looked.is === "later") circuit.failed(name, ctx.now, looked.seconds);
  else circuit.worked(name);
  if (looked.is !== "later") await connected.note(looked.is === "refused" ? looked.reason : null);
  if (looked.is === "none") return { ...unasked, status: "no_match", answer: { key, found: null } };
  if (looked.is === "refused") return { ...away, error: looked.reason };
  if (looked.is === "match") {
    const found = kind === "company" ? foundCompany(looked) : foundPerson(looked);
    return { ...unasked, status: "match", found, credits: 1, answer: { key, found } };
  }
  if (made.attempts + 1 >= attemptsMost) return { ...away, error: looked.reason };
  await change(core, job, ctx, (writing, row) => postpone(writing, job, row, looked.seconds));
  return { is: "later" };
}

async function waitFor(core: Core, job: Job, ctx: Ctx, made: Enrichment, until: Date): Promise<Asked | { is: "later" }> {
  const waited = ctx.now.getTime() - Date.parse(made.started_at!);
  if (waited > waitsMostMs) return { ...away, error: "People Data Labs does not answer: ask again later" };
  await change(core, job, ctx, (writing) => release(writing, job, until));
  return { is: "later" };
}

/** Nothing is paid for a record that has all that was asked for. */
function isWorthIt(made: Enrichment, { kind, row }: Subject, { facts }: Found): boolean {
  const found = new Set(facts.filter(({ confidence }) => confidence >= leastConfidence).map(({ field }) => field));
  const values: Record<string, unknown> = row;
  return wantedFields(kind, made).some((field) => !found.has(field) && (made.overwrite || isEmpty(values[field])));
}

function queryFor(subject: Subject): Query | null {
  const { kind, company } = subject;
  if (kind === "lead") return companyQuery(subject.row, company.urls[0] ?? null);
  return personQuery(subject.row, { name: subject.lead.name, domain: company.domain });
}

/** A transaction with the enrichment and the claim. Null if the enrichment is gone, and so the job is over. */
async function change<T>(
  core: Core,
  job: Job,
  { actor }: Ctx,
  act: (ctx: Ctx, row: Enrichment) => Promise<T> | T,
): Promise<T | null> {
  return actingAs(core, actor, requestOf(job), async (ctx) => {
    const [row] = await lockToChange(ctx, enrichment, sql`t.id = ${job.object_id}`);
    await holdClaim(ctx, job);
    if (row !== undefined) return act(ctx, row);
    release(ctx, job, null);
    return null;
  });
}

/** A credit that an ended worker took is still there. */
async function takeFor(ctx: Ctx, row: Enrichment): Promise<boolean> {
  if (row.credit_day !== null) return true;
  if (!(await takeCredit(ctx))) return false;
  store.update(ctx, enrichment, row, { credit_day: creditDay(ctx) }, undefined, null);
  return true;
}

function postpone(ctx: Ctx, job: Job, row: Enrichment, seconds: number): void {
  if (row.credit_day !== null) giveBackCredit(ctx, row.credit_day);
  const attempts = row.attempts + 1;
  store.update(ctx, enrichment, row, { attempts, credit_day: null }, undefined, null);
  release(ctx, job, new Date(ctx.now.getTime() + Math.max(seconds, 5 * 4 ** attempts) * 1000));
}

/** With the result: remembers the answer, and gives back a credit that was not used. */
export function settleCredit(ctx: Ctx, row: Enrichment, { credits, answer }: Asked): void {
  if (row.credit_day !== null && credits === 0) giveBackCredit(ctx, row.credit_day);
  if (answer !== undefined) rememberAnswer(ctx, answer.key, answer.found);
}
