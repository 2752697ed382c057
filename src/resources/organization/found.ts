// Creates an organization: its row, its initial records, and its first admin with a key. Used by the first start, by `POST
// /organization/` and by the command line, always in one transaction.
import { newKey } from "../../auth/key.ts";
import { hashOf } from "../../auth/unscoped.ts";
import { type Scope, scopes } from "../../core/context.ts";
import { builtInRoles } from "../../core/permissions.ts";
import type { Transaction } from "../../db/database.ts";
import { newId } from "../../values/id.ts";

export { createAccount, findOrCreateUser } from "../../auth/unscoped.ts";

export interface Founding {
  name: string;
  /** Further columns of the organization, such as currency and settings. */
  values?: Record<string, unknown>;
  userId: string;
  accountId: string;
  keyName: string;
  /** The key's text when the operator chose it. Otherwise a new one is made. */
  keyText?: string;
  /** The scopes of the key. All by default. */
  scopes?: readonly Scope[];
  now: Date;
}

export interface Founded {
  organization_id: string;
  api_key: string;
  api_key_id: string;
}

const inboxFolders = ["inbox", "archive", "trash", "spam"];
const leadStatuses = ["Potential", "Bad Fit", "Qualified", "Customer"];
const opportunityStatuses = [
  ["Active", "active"],
  ["Won", "won"],
  ["Lost", "lost"],
] as const;

/** The number of initial file subtypes, which are in the database (`file_subtype_seeds`). */
const fileSubtypes = 14;

/** Writes the organization with its initial roles, statuses, pipeline and inbox folders. */
export function foundOrganization(tx: Transaction, founding: Founding): Founded {
  const { userId, now } = founding;
  const organization_id = newId("orga", now.getTime());
  const there = tx.actingFor(organization_id);
  const insert = (table: string, id: string, values: Record<string, unknown>) => {
    const row = { organization_id, id, ...values, created_by: userId, updated_by: userId, date_created: now, date_updated: now };
    const places = Object.keys(row).map((_, i) => `$${i + 1}`);
    there.write({
      text: `insert into ${table} (${Object.keys(row).join(", ")}) values (${places.join(", ")})`,
      values: Object.values(row),
    });
  };
  const id = (prefix: string) => newId(prefix, now.getTime());

  insert("organization", organization_id, { ...founding.values, name: founding.name, account_id: founding.accountId });
  for (const [role, permissions] of Object.entries(builtInRoles)) insert("role", role, { name: role, permissions });
  insert("membership", id("memb"), { user_id: userId, role_id: "admin", status: "active" });
  leadStatuses.forEach((label, position) => insert("lead_status", id("stat"), { label, position }));
  const pipeline_id = id("pipe");
  insert("pipeline", pipeline_id, { name: "Sales", position: 0 });
  opportunityStatuses.forEach(([label, type], position) =>
    insert("opportunity_status", id("stat"), { label, type, pipeline_id, position }),
  );
  there.write({
    text: `insert into file_subtype (organization_id, id, key, label, type, is_system, position, created_by, updated_by, date_created, date_updated)
           select $1, i.id, s.key, s.label, s.type, true, s.place, $2, $2, $3, $3
           from file_subtype_seeds() s join unnest($4::text[]) with ordinality i (id, place) on i.place = s.place + 1`,
    values: [organization_id, userId, now, Array.from({ length: fileSubtypes }, () => id("fsub"))],
  });
  inboxFolders.forEach((system_name, position) =>
    insert("inbox_folder", id("folder"), { name: capitalized(system_name), system_name, is_system: true, position }),
  );
  const { keyName: name, keyText: text, scopes } = founding;
  return { organization_id, ...writeKey(there, { organizationId: organization_id, userId, name, text, scopes, now }) };
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Stores a key's hash and returns its text, which is never shown again. */
export function writeKey(
  tx: Transaction,
  key: { organizationId: string; userId: string; name: string; text?: string; scopes?: readonly Scope[]; now: Date },
): { api_key: string; api_key_id: string } {
  const api_key = key.text ?? newKey();
  const api_key_id = newId("apikey", key.now.getTime());
  tx.write({
    text: `insert into api_key (organization_id, id, name, user_id, hash, key_preview, scopes, created_by, updated_by, date_created, date_updated)
           values ($1, $2, $3, $4, decode($5, 'hex'), $6, $7, $4, $4, $8, $8)`,
    values: [
      key.organizationId,
      api_key_id,
      key.name,
      key.userId,
      hashOf(api_key),
      previewOf(api_key),
      key.scopes ?? scopes,
      key.now,
    ],
  });
  return { api_key, api_key_id };
}

/** The part of a key that may still be shown, enough to recognize one's own. */
export const previewOf = (key: string): string => key.slice(-4);
