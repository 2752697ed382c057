import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { apiKey } from "./api_key.ts";
import { createApiKey, deleteApiKey } from "./api_key_verbs.ts";
import { listAvailability, updateAvailability } from "./availability.ts";
import { createOrganization } from "./create_organization.ts";
import { getOrganization, showingMemberships } from "./get_organization.ts";
import { group } from "./group.ts";
import { createGroup, deleteGroup, updateGroup } from "./group_verbs.ts";
import { getMe, updateMe } from "./me.ts";
import { membership } from "./membership.ts";
import { deactivate, invite, updateMembership } from "./membership_verbs.ts";
import { organization } from "./organization.ts";
import { deleteOrganization, updateOrganization } from "./organization_verbs.ts";
import { role } from "./role.ts";
import { createRole, refusingBuiltIns, updateRole } from "./role_verbs.ts";
import { listPresent, user } from "./user.ts";

const { get: _, ...withoutGet } = crud;
const admins = { read: "member", write: "manage_organization" } as const;

/** Who cannot pay can still take access away. */
const deletesPastDue = (operation: Operation): Operation =>
  operation.verb === "delete" ? { ...operation, pastDue: true } : operation;

const organizationOperations = standard(organization, { update: updateOrganization, delete: deleteOrganization }, admins);

export const organizations: Operation[] = [
  getMe,
  updateMe,
  ...standard(user, { list: listPresent(user), get: true }, "member"),
  listAvailability,
  updateAvailability,
  ...standard(
    membership,
    { list: listPresent(membership), create: invite, update: updateMembership, delete: deactivate },
    admins,
  ).map(deletesPastDue),
  ...standard(role, { ...withoutGet, create: createRole, update: updateRole }, admins).map(refusingBuiltIns),
  ...standard(group, { ...withoutGet, create: createGroup, update: updateGroup, delete: deleteGroup }, admins),
  ...standard(apiKey, { list: true, create: createApiKey, delete: deleteApiKey }, "member").map(deletesPastDue),
  createOrganization,
  getOrganization,
  ...organizationOperations.map((one) => (one.verb === "update" ? showingMemberships(one) : deletesPastDue(one))),
];
