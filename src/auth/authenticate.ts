// Turns an Authorization header into an actor. Results are cached for 30 seconds, and dropped at once when a key, a grant, a member,
// a role or an account changes anywhere. Nothing else in the service decides who a caller is.
import { LRUCache } from "lru-cache";
import { type Actor, credentialOf, type Scope } from "../core/context.ts";
import { unauthorized } from "../core/errors.ts";
import { permissionsOf } from "../core/permissions.ts";
import type { Database } from "../db/database.ts";
import type { ResourceName } from "../values/resource_server.ts";
import { pgTimestamp } from "../values/time.ts";
import { actorOf as actorOfHolder, findHolder, isToken, type TokenHolder, tokenRefusal } from "./token.ts";
import { findKey, hashOf, type KeyRecord, writeLastUse } from "./unscoped.ts";
import { switchOrganization, writeGrantUse } from "./unscoped_oauth.ts";

export interface Authenticator {
  /** The actor for a header, or a 401. A key or token that was seen moments ago is answered from memory. */
  authenticate(authorization: string | undefined, resource?: ResourceName): Actor | Promise<Actor>;
  /** Who holds the token in a header and where they may act, or a 401. For choosing another organization. */
  holderOf(authorization: string, resource: ResourceName): Promise<TokenHolder>;
  /** Moves the grant of a token to another organization of its person. False when they are no active member there. */
  switchTo(holder: TokenHolder, organizationId: string): Promise<boolean>;
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

/** A key's or grant's last use is written only when it is this much newer than the stored one. */
const lastUsePrecisionMs = 60_000;

export function openAuthenticator(db: Database, clock: () => Date, baseUrl: string): Authenticator {
  const known = new LRUCache<string, Kept>({ max: 10_000, ttl: 30_000 });
  const unknown = new LRUCache<string, true>({ max: 10_000, ttl: 5_000 });
  const uses = new LastUses();
  let generation = 0;
  let bypassed = false;

  async function lookUp(header: string, resource: ResourceName): Promise<Actor> {
    const begun = generation;
    const mayKeep = () => begun === generation && !bypassed;
    const text = textOf(header);
    if (text === null) throw refusalOf(header, resource);
    const found = isBearerToken(header, text) ? await lookUpToken(text, resource) : await lookUpKey(text);
    const place = placeOf(header, resource);
    if (found === null) {
      if (mayKeep()) unknown.set(place, true);
      throw refusalOf(header, resource);
    }
    if (mayKeep()) known.set(place, found);
    return use(header, resource, found);
  }

  async function lookUpKey(text: string): Promise<Kept | null> {
    const record = await findKey(db, hashOf(text));
    return record && { actor: actorOf(record), expires: expiryOf(record) };
  }

  async function lookUpToken(text: string, resource: ResourceName): Promise<Kept | null> {
    const holder = await findHolder(db, { text, resource, baseUrl, now: clock() });
    return holder && { actor: actorOfHolder(holder, resource), expires: holder.token.expires_at.getTime() };
  }

  function use(header: string, resource: ResourceName, { actor, expires }: Kept): Actor {
    const now = clock().getTime();
    if (now >= expires) throw refusalOf(header, resource);
    uses.note(actor, now);
    return actor;
  }

  const refusalOf = (header: string, resource: ResourceName) =>
    isBearer(header) ? tokenRefusal(baseUrl, resource) : unauthorized();

  // Changes of permissions are rare. Clearing the whole cache costs one indexed lookup per key.
  function forget(): void {
    generation++;
    known.clear();
    unknown.clear();
  }

  return {
    authenticate(authorization, resource = "api") {
      if (authorization === undefined) throw unauthorized();
      const place = placeOf(authorization, resource);
      if (authorization.length > headerMax || unknown.has(place)) throw refusalOf(authorization, resource);
      const kept = known.get(place);
      return kept === undefined ? lookUp(authorization, resource) : use(authorization, resource, kept);
    },
    async holderOf(authorization, resource) {
      const text = authorization.length > headerMax ? null : textOf(authorization);
      const holder =
        text !== null && isBearerToken(authorization, text)
          ? await findHolder(db, { text, resource, baseUrl, now: clock() })
          : null;
      if (holder === null) throw refusalOf(authorization, resource);
      return holder;
    },
    async switchTo({ token }, organizationId) {
      const isSwitched = await switchOrganization(db, token.grant_id, organizationId);
      // The announcement of it reaches this process a moment later than the answer its client.
      forget();
      return isSwitched;
    },
    forget,
    bypass(on) {
      bypassed = on;
      forget();
    },
    async flush() {
      const due = uses.takeDue();
      const ofKeys = due.filter(({ actor }) => actor.api_key_id !== null);
      const ofGrants = due.filter(({ actor }) => actor.oauth !== undefined);
      if (ofKeys.length > 0)
        await writeLastUse(
          db,
          ofKeys.map(({ actor, at }) => ({ organization_id: actor.organization_id, api_key_id: actor.api_key_id!, at })),
        );
      if (ofGrants.length > 0)
        await writeGrantUse(
          db,
          ofGrants.map(({ actor, at }) => ({ grant_id: actor.oauth!.grant_id, at })),
        );
    },
  };
}

// A key is good for both resources, a token only for its own.
const placeOf = (header: string, resource: ResourceName): string => (resource === "api" ? header : `${resource} ${header}`);

/** Last-use times, kept in memory until they are worth a write. */
class LastUses {
  private readonly noted = new Map<string, { actor: Actor; at: number }>();
  private readonly written = new LRUCache<string, number>({ max: 10_000 });

  note(actor: Actor, at: number): void {
    const credential = credentialOf(actor);
    const noted = this.noted.get(credential);
    if (noted === undefined) this.noted.set(credential, { actor, at });
    else noted.at = at;
  }

  takeDue(): { actor: Actor; at: Date }[] {
    const due: { actor: Actor; at: Date }[] = [];
    for (const [credential, { actor, at }] of this.noted) {
      if (at - (this.written.get(credential) ?? 0) < lastUsePrecisionMs) continue;
      this.noted.delete(credential);
      this.written.set(credential, at);
      due.push({ actor, at: new Date(at) });
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
    limit_percent: record.limit_percent,
    api_key_id: record.api_key_id,
  };
}

/** The key or token in a header: Basic with the key as user name and an empty password, or Bearer. */
function textOf(header: string): string | null {
  const [, scheme = "", rest = ""] = /^(\w+) +(.+)$/.exec(header) ?? [];
  if (scheme.toLowerCase() === "bearer") return rest.trim();
  if (scheme.toLowerCase() !== "basic") return null;
  const text = Buffer.from(rest, "base64").toString();
  return text.endsWith(":") && text.length > 1 ? text.slice(0, -1) : null;
}

const isBearer = (header: string): boolean => /^bearer\b/i.test(header);
const isBearerToken = (header: string, text: string): boolean => isBearer(header) && isToken(text);
