// A job of which one step takes longer than a claim lasts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { organization } from "../../test/support/given.ts";
import { asSystem } from "../records/acting.ts";
import { claimJobs, requestOf, wakeLateJobs } from "./claims.ts";
import { ClaimLost, claimMs, holdClaim, type Job, release, wake } from "./job.ts";
import { whileHeld } from "./while_held.ts";

const kind = { kind: `test_held_${process.pid}` };
const one = { most: 1, shared: 1 };

/** A job that a worker has claimed, at a moment by its clock. */
async function claimed() {
  const acme = await organization();
  const { core } = acme.service.app;
  const { clock } = acme.service;
  clock.now = new Date("2031-03-01T08:00:00Z");
  await acme.inside(async (ctx) => wake(ctx, kind, ["archive"]));
  const [job] = await claimJobs(core, acme.id, kind, one, "claim_first");
  const passes = (ms: number) => (clock.now = new Date(clock.now!.getTime() + ms));
  /** What another worker gets. */
  const takes = async (claim: string): Promise<Job[]> => {
    await wakeLateJobs(core, acme.id);
    return claimJobs(core, acme.id, kind, one, claim);
  };
  const claimedUntil = async (): Promise<number> => {
    const [row] = await core.db.query(acme.id, {
      text: "select extract(epoch from claimed_until) * 1000 from job where organization_id = $1 and kind = $2",
      values: [acme.id, kind.kind],
    });
    return Number(row![0]);
  };
  return { acme, core, clock, job: job!, passes, takes, claimedUntil };
}

test("a step of many minutes keeps its claim, so that no other worker begins the same", async () => {
  const { acme, core, clock, job, passes, takes, claimedUntil } = await claimed();
  const chunk = Promise.withResolvers<string>();
  const written = whileHeld(core, job, () => chunk.promise, 5);

  const others: Job[] = [];
  for (let minute = 0; minute < 5; minute++) {
    passes(claimMs - 1000);
    const now = clock.now!.getTime();
    while ((await claimedUntil()) < now + claimMs) await sleep(2);
    others.push(...(await takes(`claim_${minute}`)));
  }
  chunk.resolve("bytes");
  const bytes = await written;
  await asSystem(core, acme.id, requestOf(job), async (ctx) => {
    await holdClaim(ctx, job);
    release(ctx, job, null);
  });

  assert.deepEqual([others, bytes], [[], "bytes"]);
});

test("who has lost the job nevertheless is told, and writes nothing", async () => {
  const { core, job, passes, takes } = await claimed();
  passes(claimMs);
  const [taken] = await takes("claim_other");

  const told = Promise.withResolvers<unknown>();
  const written = whileHeld(
    core,
    job,
    async (lost) => {
      lost.addEventListener("abort", () => told.resolve(lost.reason));
      return told.promise;
    },
    5,
  );

  await assert.rejects(written, ClaimLost);
  assert.ok((await told.promise) instanceof ClaimLost);
  assert.equal(taken!.object_id, "archive");
});
