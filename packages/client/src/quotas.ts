// The service counts requests by groups, and says with each answer how many are left of the group and when it begins anew. A client
// that waits then loses no time by refusals.

/** `"read";q=200;w=10` */
type Policy = string;

export class Quotas {
  /** Which group a path belongs to is known from its last answer. */
  private readonly policies = new Map<string, Policy>();
  private readonly opensAt = new Map<Policy, number>();

  /** How long a request of this path has to wait, in milliseconds. */
  waitOf(path: string): number {
    const policy = this.policies.get(path);
    const at = policy === undefined ? undefined : this.opensAt.get(policy);
    return Math.max(0, (at ?? 0) - Date.now());
  }

  note(path: string, { headers }: Response): void {
    const policy = headers.get("ratelimit-policy");
    if (policy === null) return;
    this.policies.set(path, policy);
    if (headers.get("ratelimit-remaining") !== "0") this.opensAt.delete(policy);
    else this.opensAt.set(policy, Date.now() + Number(headers.get("ratelimit-reset")) * 1000);
  }
}
