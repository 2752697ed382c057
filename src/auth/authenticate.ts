// Turns an Authorization header into an actor. Results are cached for 30 seconds, and dropped at once when a key, a member, a
// role or an account changes anywhere. Nothing else in the service decides who a caller is.
import { LRUCache } from "lru-cache";
import type { Actor, Scope } from "../core/context.ts";
import { unauthorized } from "../core/errors.ts";
import { permissionsOf } from "../core/permissions.ts";
import type { Database } from "../db/database.ts";
import { pgTimestamp } from "../values/time.ts";
import { findKey, hashOf, type KeyRecord, type Use, writeLastUse } from "./unscoped.ts";

export interface Authenticator {
  /** The actor for a header, or a 401. A key that was seen moments ago is answered from memory. */
  authenticate(authorization: string | undefined): Actor | Promise<Actor>;
  /** Called for every announced change. */
  forget(organizationId: string | null): void;
  /** While announcements cannot be received, nothing is cached. */
  bypass(on: boolean): void;
  /** Writes the last-use times that are only in memory. */
  flush(): Promise<void>;
}

interface Kept {
  actor: Actor;
  expires: number;
}

/** No key or token is longer. A longer one is not kept in memory either. */
const headerMax = 1024;

/** A key's last use is written only when it is this much newer than the stored one. */
const lastUsePrecisionMs = 60_000;

export function openAuthenticator(db: Database, clock: () => Date): Authenticator {
  const known = new LRUCache<string, Kept>({ max: 10_000, ttl: 30_000 });
  const unknown = new LRUCache<string, true>({ max: 10_000, ttl: 5_000 });
  const uses = new LastUses();
  let generation = 0;
  let bypassed = false;

  async function lookUp(header: string): Promise<Actor> {
    const begun = generation;
    const mayKeep = () => begun === generation && !bypassed;
    const key = keyOf(header);
    if (key === null) throw refusal(header);
    const record = await findKey(db, hashOf(key));
    if (record === null) {
      if (mayKeep()) unknown.set(header, true);
      throw refusal(header);
    }
    const kept = { actor: actorOf(record), expires: expiryOf(record) };
    if (mayKeep()) known.set(header, kept);
    return use(header, kept);
  }

  function use(header: string, { actor, expires }: Kept): Actor {
    const now = clock().getTime();
    if (now >= expires) throw refusal(header);
    uses.note(actor, now);
    return actor;
  }

  return {
    authenticate(authorization) {
      if (authorization === undefined) throw unauthorized();
      if (authorization.length > headerMax || unknown.has(authorization)) throw refusal(authorization);
      const kept = known.get(authorization);
      return kept === undefined ? lookUp(authorization) : use(authorization, kept);
    },
    forget() {
      // Changes of permissions are rare. Clearing the whole cache costs one indexed lookup per key.
      generation++;
      known.clear();
      unknown.clear();
    },
    bypass(on) {
      bypassed = on;
      generation++;
      known.clear();
      unknown.clear();
    },
    async flush() {
      const due = uses.takeDue();
      if (due.length > 0) await writeLastUse(db, due);
    },
  };
}

/** Last-use times, kept in memory until they are worth a write. */
class LastUses {
  private readonly noted = new Map<string, { actor: Actor; at: number }>();
  private readonly written = new LRUCache<string, number>({ max: 10_000 });

  note(actor: Actor, at: number): void {
    const noted = this.noted.get(actor.api_key_id!);
    if (noted === undefined) this.noted.set(actor.api_key_id!, { actor, at });
    else noted.at = at;
  }

  takeDue(): Use[] {
    const due: Use[] = [];
    for (const [api_key_id, { actor, at }] of this.noted) {
      if (at - (this.written.get(api_key_id) ?? 0) < lastUsePrecisionMs) continue;
      this.noted.delete(api_key_id);
      this.written.set(api_key_id, at);
      due.push({ organization_id: actor.organization_id, api_key_id, at: new Date(at) });
    }
    return due;
  }
}

const expiryOf = ({ expires_at }: KeyRecord): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(pgTimestamp(expires_at));

function actorOf(record: KeyRecord): Actor {
  return {
    organization_id: record.organization_id,
    user_id: record.user_id,
    membership_id: record.membership_id,
    role_id: record.role_id,
    permissions: new Set(permissionsOf(record.role_id, record.role_permissions)),
    scopes: new Set(record.scopes as Scope[]),
    past_due: record.past_due,
    api_key_id: record.api_key_id,
  };
}

/** The key in a header: Basic with the key as user name and an empty password, or Bearer. */
export function keyOf(header: string): string | null {
  const [, scheme = "", rest = ""] = /^(\w+) +(.+)$/.exec(header) ?? [];
  if (scheme.toLowerCase() === "bearer") return rest.trim();
  if (scheme.toLowerCase() !== "basic") return null;
  const text = Buffer.from(rest, "base64").toString();
  return text.endsWith(":") && text.length > 1 ? text.slice(0, -1) : null;
}

const refusal = (header: string) => (/^bearer\b/i.test(header) ? unauthorized('Bearer error="invalid_token"') : unauthorized());
