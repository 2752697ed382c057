// Acts in another organization of the caller, within the same transaction. The caller's memberships in both are read again,
// because a key only says what its member was allowed a moment ago, and nothing about other organizations.
import { activeMembershipsOf, type MembershipAnywhere } from "../../auth/unscoped.ts";
import { type Actor, type Ctx, transactionOf } from "../../core/context.ts";
import { invalid, Problem, paymentRequired, suspended } from "../../core/errors.ts";
import { permissions, permissionsOf } from "../../core/permissions.ts";
import { refreshDirectory } from "../../records/change.ts";

/** The requirements on the caller in both organizations, and the error for others. */
export interface Standing {
  holds: (membership: MembershipAnywhere) => boolean;
  refusal: string;
}

/** Enters another organization as the caller, who must be a member there. `place` is the field that names it. */
export async function enterAsMember(ctx: Ctx, organizationId: string, place: string, standing: Standing): Promise<Ctx> {
  if (organizationId === ctx.organization_id) throw invalid({ [place]: "must be another organization" });
  const memberships = await activeMembershipsOf(ctx, ctx.actor.user_id);
  const [here, there] = [ctx.organization_id, organizationId].map((id) => memberships.find((one) => one.organization_id === id));
  if (there === undefined) throw invalid({ [place]: "must be an organization that you are a member of" });
  if (here === undefined || !standing.holds(here) || !standing.holds(there)) throw new Problem(403, standing.refusal);
  if (there.limit_percent === 0) throw suspended();
  if (there.past_due) throw paymentRequired("The account of that organization is past due: settle it to make changes there.");
  return enter(ctx, organizationId, memberOf(ctx, there));
}

const memberOf = (ctx: Ctx, membership: MembershipAnywhere): Actor => ({
  ...ctx.actor,
  organization_id: membership.organization_id,
  membership_id: membership.id,
  role_id: membership.role_id,
  permissions: new Set(permissionsOf(membership.role_id, membership.role_permissions)),
});

/** Enters an organization as the service itself, even if the caller is not a member there. What it writes has no author. */
export const enterAsService = (ctx: Ctx, organizationId: string): Promise<Ctx> =>
  enter(ctx, organizationId, {
    ...ctx.actor,
    organization_id: organizationId,
    user_id: null as unknown as string,
    permissions: new Set(permissions),
    api_key_id: null,
  });

/** The same request and transaction in another organization, with that one's directory. */
async function enter(ctx: Ctx, organizationId: string, actor: Actor): Promise<Ctx> {
  const there: Ctx = { ...ctx, organization_id: organizationId, actor, tx: transactionOf(ctx).actingFor(organizationId) };
  await refreshDirectory(there);
  return there;
}
