// The places of a worker for each kind of work: who holds them, and how many of the free ones an organization may have.
import type { Portion } from "./claims.ts";
import type { Job, Work } from "./job.ts";

/** How many jobs of a kind may wait for something outside without a place, and how many of these may be one organization's. */
const waitingMost = 400;
const waitingOfOneMost = 200;

export interface WithJobs {
  organization_id: string;
  /** The operator has limited it. */
  is_limited: boolean;
}

export class Places {
  /** What runs of each kind. */
  private readonly running = new Map<string, Map<Promise<void>, Job>>();

  take({ kind }: Work, run: Promise<void>, job: Job): void {
    const those = this.running.get(kind) ?? new Map<Promise<void>, Job>();
    this.running.set(kind, those.set(run, job));
  }

  leave({ kind }: Work, run: Promise<void>): void {
    this.running.get(kind)?.delete(run);
  }

  /** All that run, also those that wait without a place. */
  *runs(): Iterable<Promise<void>> {
    for (const those of this.running.values()) yield* those.keys();
  }

  jobs = (): Job[] => [...this.running.values()].flatMap((those) => [...those.values()]);

  free = (work: Work): number => work.slots - this.held(work).length;

  /**
   * An organization may hold as many places as it leaves free, and always one. Its slow work takes half of them at most, and each
   * further organization that is slow half of the rest. One that the operator has limited holds one.
   */
  freeOf(work: Work, { organization_id, is_limited }: WithJobs): number {
    const held = this.heldBy(work, organization_id);
    if (is_limited) return held === 0 ? 1 : 0;
    return Math.max(held === 0 ? 1 : 0, Math.floor((this.free(work) - held) / 2));
  }

  /** The second half of an organization's places is for the first job of each lane, so that slow lanes leave some to the others. */
  portionOf(work: Work, one: WithJobs, share: number): Portion {
    const free = this.freeOf(work, one);
    const most = Math.min(share, free);
    if (work.laneMost === undefined) return { most, shared: most };
    const held = this.heldBy(work, one.organization_id);
    return { most, shared: Math.ceil((held + free) / 2) - held };
  }

  private heldBy = (work: Work, organizationId: string): number =>
    this.held(work).filter((job) => job.organization_id === organizationId).length;

  /** The jobs that take up a place. The others wait for something outside. */
  private held({ kind }: Work): Job[] {
    const waiting = new Map<string, number>();
    let all = 0;
    return [...(this.running.get(kind)?.values() ?? [])].filter(({ organization_id, isWaiting }) => {
      const theirs = waiting.get(organization_id) ?? 0;
      if (!isWaiting || all >= waitingMost || theirs >= waitingOfOneMost) return true;
      all++;
      waiting.set(organization_id, theirs + 1);
      return false;
    });
  }
}
