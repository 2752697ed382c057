// The permissions that a role can hold, and those that the built-in roles hold. An operation names one of them, or `member`.
import { byName } from "../values/names.ts";

export const permissions = [
  "manage_organization",
  "manage_customizations",
  "bulk_delete",
  "bulk_edit",
  "bulk_email",
  "bulk_import",
  "bulk_sequence_subscriptions",
  "calling",
  "call_coach_listen",
  "call_coach_barge",
  "delete_leads",
  "delete_own_activities",
  "manage_others_activities",
  "delete_own_opportunities",
  "manage_others_opportunities",
  "delete_own_tasks",
  "manage_others_tasks",
  "export",
  "manage_email_sequences",
  "manage_group_numbers",
  "manage_team_email_templates",
  "manage_team_smart_views",
  "merge_leads",
  "view_all_leads",
] as const;

export type Permission = (typeof permissions)[number];

const user: readonly Permission[] = [
  "bulk_email",
  "bulk_import",
  "bulk_sequence_subscriptions",
  "calling",
  "delete_leads",
  "delete_own_activities",
  "manage_others_activities",
  "delete_own_opportunities",
  "manage_others_opportunities",
  "delete_own_tasks",
  "manage_others_tasks",
  "merge_leads",
  "view_all_leads",
];

/** The roles that every organization has, by their ids. `restricteduser` sees only the leads it owns and changes only its own records. */
export const builtInRoles: Readonly<Record<string, readonly Permission[]>> = byName({
  admin: permissions,
  superuser: permissions.filter((name) => name !== "manage_organization"),
  user,
  restricteduser: ["calling", "delete_own_activities", "delete_own_opportunities", "delete_own_tasks"],
});

/** The permissions of a role: those of a built-in role are listed here, those of others are stored with the role. */
export const permissionsOf = (roleId: string, stored: readonly string[]): readonly Permission[] =>
  builtInRoles[roleId] ?? (stored as readonly Permission[]);
