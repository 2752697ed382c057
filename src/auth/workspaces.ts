// The organizations in which the holder of a token may act, with the rights that they have there at this moment.
import type { Actor } from "../core/context.ts";
import type { Authenticator } from "./authenticate.ts";
import { actorOf } from "./token.ts";

export interface Workspace {
  id: string;
  name: string;
  /** The connection acts here when a call names no other. */
  is_active: boolean;
  actor: Actor;
  /** Makes it the active one, from now on and for refreshed tokens too. False when the person is no member of it any more. */
  enter(): Promise<boolean>;
}

export async function workspacesOf(authenticator: Authenticator, authorization: string): Promise<Workspace[]> {
  const { token, memberships } = await authenticator.holderOf(authorization, "mcp");
  return memberships.map(({ organization_id: id, organization_name: name }) => ({
    id,
    name,
    is_active: id === token.active_organization_id,
    actor: actorOf({ token: { ...token, active_organization_id: id }, memberships }),
    enter: () => authenticator.switchTo({ token, memberships }, id),
  }));
}
