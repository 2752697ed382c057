// An access token's way to an actor: token, grant, person, active membership in the grant's organization, role, permissions.
import type { Actor, Scope } from "../core/context.ts";
import { Problem, unauthorized } from "../core/errors.ts";
import { permissionsOf } from "../core/permissions.ts";
import type { Database } from "../db/database.ts";
import { bearerChallenge, type ResourceName, resourceAt } from "../values/resource_server.ts";
import { hashOf } from "./unscoped.ts";
import { type ActiveMembership, findToken, membershipsToActIn, type TokenRecord } from "./unscoped_oauth.ts";

export const isToken = (text: string): boolean => text.startsWith("oat_");

/** Who holds a token, and where they may act. */
export interface TokenHolder {
  token: TokenRecord;
  memberships: readonly ActiveMembership[];
}

/** Null when the token is unknown, over, for another resource, or its person is a member nowhere. */
export async function findHolder(
  db: Database,
  { text, resource, baseUrl, now }: { text: string; resource: ResourceName; baseUrl: string; now: Date },
): Promise<TokenHolder | null> {
  const token = await findToken(db, hashOf(text));
  if (token === null || token.expires_at <= now || resourceAt(baseUrl, token.audience) !== resource) return null;
  const memberships = await membershipsToActIn(db, token.user_id);
  return memberships.length === 0 ? null : { token, memberships };
}

/**
 * The actor in the grant's organization. Where the person is no member of it any more, but of others, it throws; agents, who can
 * switch, get an actor in one of the others who is `lost` until then.
 */
export function actorOf({ token, memberships }: TokenHolder, resource: ResourceName = "api"): Actor {
  const active = memberships.find((one) => one.organization_id === token.active_organization_id);
  const lost = active === undefined ? lostWorkspace(memberships) : null;
  if (lost !== null && resource !== "mcp") throw lost;
  const here = active ?? memberships[0]!;
  const scopes = new Set(token.scope.split(" ") as Scope[]);
  return {
    ...memberActor(token.user_id, here),
    scopes,
    oauth: { client_id: token.client_id, scope: token.scope, grant_id: token.grant_id },
    ...(lost !== null && { lost }),
  };
}

function lostWorkspace(memberships: readonly ActiveMembership[]): Problem {
  const others = memberships.map((one) => `${one.organization_name} (${one.organization_id})`).join(", ");
  return new Problem(403, `You are no longer a member of the workspace of this connection. Switch to one of yours: ${others}.`);
}

/** A person in one of their organizations, with all that their role allows: for the pages where they are signed in. */
export const memberActor = (userId: string, membership: ActiveMembership): Actor => ({
  organization_id: membership.organization_id,
  user_id: userId,
  membership_id: membership.membership_id,
  role_id: membership.role_id,
  permissions: new Set(permissionsOf(membership.role_id, membership.role_permissions)),
  scopes: new Set<Scope>(["read", "write_safe", "write_destructive"]),
  past_due: membership.past_due,
  limit_percent: membership.limit_percent,
  api_key_id: null,
});

export const tokenRefusal = (baseUrl: string, resource: ResourceName): Problem =>
  unauthorized(bearerChallenge(baseUrl, resource, { error: "invalid_token", scope: "read write_safe" }));
