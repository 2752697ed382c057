// Acting outside of a request: as the service itself, or in the name of a member.
import type { Actor, Ctx } from "../core/context.ts";
import type { Core } from "../core/core.ts";
import { contextFor } from "../core/perform.ts";
import { permissions } from "../core/permissions.ts";

/** Stands for the request in the events of such work, which all have its id. */
export interface Occasion {
  id: string;
  method: string;
  path: string;
}

/** Runs `work` in one transaction of the actor's organization. */
export async function actingAs<T>(core: Core, actor: Actor, occasion: Occasion, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const directory = await core.directories.of(actor.organization_id);
  const request = { ...occasion, offsetMinutes: 0, ifMatch: null };
  return core.db.transaction(actor.organization_id, (tx) => work(contextFor(core, { actor, request }, directory, tx)));
}

/** A context for reading only, without a transaction. */
export async function readingAs(core: Core, actor: Actor, occasion: Occasion): Promise<Ctx> {
  const directory = await core.directories.of(actor.organization_id);
  return contextFor(core, { actor, request: { ...occasion, offsetMinutes: 0, ifMatch: null } }, directory, null);
}

/** Runs `work`, which reads the organization's records as they are at one moment, with the actor's rights. It may take minutes. */
export async function readingAtOnce<T>(core: Core, actor: Actor, occasion: Occasion, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const directory = await core.directories.of(actor.organization_id);
  const request = { ...occasion, offsetMinutes: 0, ifMatch: null };
  return core.db.snapshot(actor.organization_id, (tx) => work(contextFor(core, { actor, request }, directory, tx)));
}

/** The service itself, without a user. */
export const systemActor = (organizationId: string): Actor => serviceActor(organizationId, "");

/** Runs `work` as the service itself, with all permissions, for something that `userId` made and in that user's name. */
export const asService = <T>(
  core: Core,
  organizationId: string,
  userId: string,
  occasion: Occasion,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> => actingAs(core, serviceActor(organizationId, userId), occasion, work);

/** Runs `work` as the service itself, without a user. */
export const asSystem = <T>(core: Core, organizationId: string, occasion: Occasion, work: (ctx: Ctx) => Promise<T>): Promise<T> =>
  asService(core, organizationId, "", occasion, work);

const serviceActor = (organizationId: string, userId: string): Actor => ({
  organization_id: organizationId,
  user_id: userId,
  membership_id: "",
  role_id: "admin",
  permissions: new Set(permissions),
  scopes: new Set(["read", "write_safe", "write_destructive"]),
  past_due: false,
  api_key_id: null,
});
