// The verbs of memberships: inviting people, changing their roles, and removing them. An organization always keeps at least one
// admin.
import { activeMembershipsOf, findOrCreateUser, lockUser } from "../../auth/unscoped.ts";
import { revokeGrantsOfNobody } from "../../auth/unscoped_oauth.ts";
import { isVouchedElsewhere } from "../../auth/unscoped_sign_in.ts";
import { type Ctx, query, transactionOf } from "../../core/context.ts";
import { invalid, notFound } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { refreshDirectory } from "../../records/change.ts";
import { emit } from "../../records/event.ts";
import { findRecords } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { notBounded } from "../agents/not_bounded.ts";
import { nameOfCaller, notify } from "../notifications/notify.ts";
import { checkCallerId } from "../telephony/own_numbers.ts";
import { sendInvitation } from "./invitation.ts";
import { membership } from "./membership.ts";
import { organizationOf } from "./organization.ts";

type Membership = Row<typeof membership>;

/** Invites by e-mail. The response is the same whether or not the person is known in another organization. */
export async function invite(ctx: Ctx, { email, ...given }: Create<typeof membership>): Promise<Membership> {
  notBounded(ctx);
  if (typeof email !== "string") throw invalid({ email: "is required" });
  const user_id = await findOrCreateUser(transactionOf(ctx), { email, now: ctx.now });
  const [known] = await findRecords(ctx, membership, [sql`t.user_id = ${user_id}`], sql`for update of t`);
  if (known?.status === "active") throw invalid({ email: "is already a member" });
  if (known !== undefined) return inviteAgain(ctx, known, email, given);

  const values = { ...given, user_id, invited_email: email };
  const invited = store.insert(ctx, membership, values, undefined, null);
  // The event shows the person, who is not in the directory yet.
  await refreshDirectory(ctx);
  emit(ctx, membership, { action: "activated", after: invited });
  tellInvited(ctx, invited);
  return { ...invited, ...(await sendInvitation(ctx, invited, email)) };
}

/** Waits until they are visible. */
function tellInvited(ctx: Ctx, { id, user_id }: Membership): void {
  const title = `${nameOfCaller(ctx)} invited you to ${organizationOf(ctx.directory).name}`;
  notify(ctx, [user_id], { type: "invited", title, object_type: "membership", object_id: id });
}

/**
 * A former member becomes active at once. A person who never accepted gets a new link, and so does one who now signs in by the word of
 * another organization alone.
 */
async function inviteAgain(ctx: Ctx, known: Membership, email: string, given: Patch<typeof membership>): Promise<Membership> {
  await lockUser(ctx, known.user_id);
  const isKnown = known.accepted && !(await isVouchedElsewhere(ctx.db, known.user_id, ctx.organization_id));
  const status = isKnown ? "active" : "invited";
  const action = known.status === "inactive" ? "activated" : "updated";
  const after = store.update(ctx, membership, known, { ...given, status }, undefined, action);
  return isKnown ? after : { ...after, ...(await sendInvitation(ctx, known, email)) };
}

/** From now on the person has access, and is shown by name. */
export async function accept(ctx: Ctx, before: Membership): Promise<Membership> {
  const after = store.update(ctx, membership, before, { status: "active", accepted: true }, undefined, null);
  await refreshDirectory(ctx);
  emit(ctx, membership, { action: "updated", before, after, changed: ["status"] });
  return after;
}

export async function updateMembership(ctx: Ctx, before: Membership, patch: Patch<typeof membership>): Promise<Membership> {
  const grants = patch.may_workflows_impersonate === true && !before.may_workflows_impersonate;
  if (grants || (patch.role_id !== undefined && patch.role_id !== before.role_id)) notBounded(ctx);
  const isDemoted = before.role_id === "admin" && patch.role_id !== undefined && patch.role_id !== "admin";
  if (isDemoted && !(await othersAreAdmin(ctx, before)))
    throw invalid({ role_id: "must stay admin: at least one admin has to remain" });
  if (patch.default_caller_id !== before.default_caller_id)
    checkCallerId(ctx, patch.default_caller_id, before.user_id, "default_caller_id");
  return store.update(ctx, membership, before, patch);
}

/** The person loses access but stays in the history, because records keep the user's id. */
export async function deactivate(ctx: Ctx, before: Membership): Promise<void> {
  if (before.status === "inactive") throw notFound();
  if (before.user_id === ctx.actor.user_id) throw invalid({}, "You cannot remove yourself: ask another admin to.");
  if (before.role_id === "admin" && !(await othersAreAdmin(ctx, before)))
    throw invalid({}, "You cannot remove the last admin: make somebody else an admin first.");
  store.update(ctx, membership, before, { status: "inactive", availability: "offline" }, undefined, "deactivated");
  // Who comes back connects applications anew.
  const others = (await activeMembershipsOf(ctx, before.user_id)).filter((one) => one.id !== before.id);
  if (others.length === 0) await revokeGrantsOfNobody(ctx, before.user_id);
}

// Such decisions run one at a time: when two admins demote each other, the second finds that it would remove the last admin.
async function othersAreAdmin(ctx: Ctx, { id, status }: Membership): Promise<boolean> {
  if (status !== "active") return true;
  await query(ctx, statement(sql`select from organization where organization_id = ${ctx.organization_id} for no key update`));
  const others = sql`select from membership where organization_id = ${ctx.organization_id} and role_id = 'admin' and status = 'active' and id <> ${id} limit 1`;
  return (await query(ctx, statement(others))).length > 0;
}
