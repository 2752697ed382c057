// From an Authorization header to an actor. What is found is kept for half a minute and forgotten at once when a key, a member,
// a role or an account changes anywhere; nothing else in the service decides who somebody is.
import { LRUCache } from "lru-cache";
import type { Actor, Scope } from "../core/context.ts";
import { unauthorized } from "../core/errors.ts";
import { builtInRoles, type Permission } from "../core/permissions.ts";
import type { PostgresDatabase } from "../db/pool.ts";
import { findKey, hashOf, type KeyRecord, writeLastUse } from "./unscoped.ts";

export interface Authenticator {
  /** The actor behind a header, or a 401. It answers at once for a key it has seen a moment ago. */
  authenticate(authorization: string | undefined): Actor | Promise<Actor>;
  /** Called for every announced change. */
  forget(organizationId: string | null): void;
  /** While announcements cannot be heard nothing may be kept. */
  bypass(on: boolean): void;
  /** Writes the last uses that are only in memory. */
  flush(): Promise<void>;
}

interface Kept {
  actor: Actor;
  expires: number;
}

export function openAuthenticator(db: PostgresDatabase, clock: () => Date): Authenticator {
  const known = new LRUCache<string, Kept>({ max: 10_000, ttl: 30_000 });
  const unknown = new LRUCache<string, true>({ max: 10_000, ttl: 5_000 });
  const lastUse = new Map<string, number>();
  let generation = 0;
  let bypassed = false;

  async function lookUp(header: string): Promise<Actor> {
    const begun = generation;
    const key = keyOf(header);
    if (key === null) throw unauthorized();
    const record = await findKey(db, hashOf(key));
    if (record === null) {
      if (begun === generation && !bypassed) unknown.set(header, true);
      throw unauthorized();
    }
    const kept = { actor: actorOf(record), expires: record.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(record.expires_at) };
    if (begun === generation && !bypassed) known.set(header, kept);
    return use(kept);
  }

  function use({ actor, expires }: Kept): Actor {
    const now = clock().getTime();
    if (now >= expires) throw unauthorized();
    lastUse.set(actor.api_key_id!, now);
    return actor;
  }

  return {
    authenticate(authorization) {
      if (authorization === undefined || unknown.has(authorization)) throw unauthorized();
      const kept = known.get(authorization);
      return kept === undefined ? lookUp(authorization) : use(kept);
    },
    forget() {
      // Changes of who may do what are rare: forgetting everyone costs each key one indexed look-up.
      generation++;
      known.clear();
      unknown.clear();
    },
    bypass(on) {
      bypassed = on;
      if (on) known.clear();
    },
    async flush() {
      if (lastUse.size === 0) return;
      const entries = [...lastUse];
      lastUse.clear();
      await writeLastUse(db, entries.map(([id]) => id), entries.map(([, at]) => new Date(at).toISOString()));
    },
  };
}

function actorOf(record: KeyRecord): Actor {
  const permissions = record.role_permissions ?? builtInRoles[record.role_id] ?? [];
  return {
    organization_id: record.organization_id,
    user_id: record.user_id,
    membership_id: record.membership_id,
    role_id: record.role_id,
    permissions: new Set(permissions as Permission[]),
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
