// The work for webhooks: a job is one webhook with something to send. Each is sent by its own job, so that a receiver that hangs
// holds up no other. Unsent events are in the log after the webhook's place, and need no rows.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { sql } from "../../db/sql.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asSystem, readingAs, systemActor } from "../../records/acting.ts";
import { findRecords, lockRecord } from "../../records/records.ts";
import { webhookJobs } from "./names.ts";
import { pause } from "./pause.ts";
import { readTurn } from "./read_turn.ts";
import { sendTurn } from "./send_turn.ts";
import type { Webhook } from "./turn.ts";
import { lookingTime, withinClaim } from "./turn_time.ts";
import { webhook } from "./webhook.ts";
import { writeTurn } from "./write_turn.ts";

export const webhookWork: Work = {
  ...webhookJobs,
  doc: "Sends events to webhooks.",
  // Sixteen for one organization: some of its receivers may hang, and its others still get their events at once.
  slots: 64,
  async run(core, job) {
    const until = performance.now() + turnsForMs;
    let isOurs = true;
    while (isOurs) isOurs = await takeTurn(core, job, () => performance.now() < until);
  },
  giveUp: pauseFor("failures", "Workers ended repeatedly while sending to it. The operator finds the reason in the log."),
};

/** How long a job continues with another turn while there is more to send. Then other webhooks get the slot. */
const turnsForMs = 1_000;

/** Returns whether the next turn starts at once. The job is then still claimed. */
async function takeTurn(core: Core, job: Job, mayGoOn: () => boolean): Promise<boolean> {
  const request = requestOf(job);
  const inside = <T>(act: (ctx: Ctx) => Promise<T>) => asSystem(core, job.organization_id, request, act);
  const found = await readWebhook(core, job);
  if (found === undefined || found.status !== "active") return inside((ctx) => end(ctx, job, null));
  const probeAt = found.probe_at === null ? null : new Date(found.probe_at);
  if (probeAt !== null && probeAt > core.clock()) return inside((ctx) => end(ctx, job, probeAt));
  const actor = await actorOfMember(core.db, job.organization_id, found.created_by!);
  if (actor === null)
    return inside(async (ctx) => {
      await pauseFor("creator")(ctx, job);
      return end(ctx, job, null);
    });

  const turn = await readTurn(await readingAs(core, actor, request), found, lookingTime(core));
  await withinClaim(core, job, (time) => sendTurn(core, turn, time));
  return inside((ctx) => writeTurn(ctx, job, turn, mayGoOn()));
}

async function readWebhook(core: Core, job: Job): Promise<Webhook | undefined> {
  const ctx = await readingAs(core, systemActor(job.organization_id), requestOf(job));
  return (await findRecords(ctx, webhook, [sql`t.id = ${job.object_id}`]))[0];
}

async function end(ctx: Ctx, job: Job, again: Date | null): Promise<false> {
  await holdClaim(ctx, job);
  release(ctx, job, again);
  return false;
}

function pauseFor(reason: "failures" | "creator", why?: string) {
  return async (ctx: Ctx, job: Job): Promise<void> => {
    const found = await lockRecord(ctx, webhook, job.object_id);
    if (found.status === "active") pause(ctx, found, reason, why);
  };
}
