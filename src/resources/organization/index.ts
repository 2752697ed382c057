import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { apiKey } from "./api_key.ts";
import { createApiKey, deleteApiKey } from "./api_key_verbs.ts";
import { listAvailability, updateAvailability } from "./availability.ts";
import { prepareLogo } from "./branding.ts";
import { createOrganization } from "./create_organization.ts";
import { getOrganization, memberships } from "./get_organization.ts";
import { group } from "./group.ts";
import { createGroup, deleteGroup, updateGroup } from "./group_verbs.ts";
import { getMe, updateMe } from "./me.ts";
import { membership } from "./membership.ts";
import { deactivate, invite, updateMembership } from "./membership_verbs.ts";
import { organization } from "./organization.ts";
import { deleteOrganization, updateOrganization } from "./organization_verbs.ts";
import { role } from "./role.ts";
import { createRole, lockRole, updateRole } from "./role_verbs.ts";
import { listPresent, user } from "./user.ts";

const { get: _, ...withoutGet } = crud;
const admins = { read: "member", write: "manage_organization" } as const;

/** An organization that is past due can still take access away. */
const deletesPastDue = { delete: { pastDue: true } };

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
    deletesPastDue,
  ),
  ...standard(role, { ...withoutGet, create: createRole, update: updateRole, lock: lockRole }, admins),
  ...standard(group, { ...withoutGet, create: createGroup, update: updateGroup, delete: deleteGroup }, admins),
  ...standard(apiKey, { list: true, create: createApiKey, delete: deleteApiKey }, "member", deletesPastDue),
  createOrganization,
  getOrganization,
  ...standard(organization, { update: updateOrganization, delete: deleteOrganization }, admins, {
    ...deletesPastDue,
    update: { prepare: prepareLogo },
    alone: memberships,
  }),
];
