// Work that takes longer than a claim lasts.
import type { Core } from "../core/core.ts";
import { renewClaim } from "./claims.ts";
import { ClaimLost, claimMs, type Job } from "./job.ts";

/** A renewal that fails is tried again before the claim ends. */
const renewMs = claimMs / 4;

/**
 * Does what may take long between two of its steps, such as a statement over all rows. The claim is renewed by a timer until it ends.
 * Throws `ClaimLost` if another worker has the job nevertheless; `lost` says so as soon as that is known.
 */
export async function whileHeld<T>(core: Core, job: Job, act: (lost: AbortSignal) => Promise<T>, everyMs = renewMs): Promise<T> {
  const lost = new AbortController();
  let renewing: Promise<void> | null = null;
  const renew = () =>
    renewClaim(core, job)
      .catch((error) => void (error instanceof ClaimLost && lost.abort(error)))
      .finally(() => (renewing = null));
  const timer = setInterval(() => {
    renewing ??= renew();
  }, everyMs);
  try {
    const result = await act(lost.signal);
    lost.signal.throwIfAborted();
    return result;
  } finally {
    clearInterval(timer);
    await renewing;
  }
}
