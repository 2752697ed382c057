// Founding an organization: its row, its start state, and its first admin with a key. Used by the first start, by
// `POST /organization/` and by the command line, always in one transaction.
import { newKey } from "../../auth/key.ts";
import { hashOf } from "../../auth/unscoped.ts";
import { newId } from "../../core/id.ts";
import type { Transaction } from "../../db/database.ts";
import { emailKey } from "../../values/email.ts";

export interface Founding {
  name: string;
  userId: string;
  accountId: string;
  keyName: string;
  /** The key's text where the operator chose it; else a new one is made. */
  keyText?: string;
  now: Date;
}

export interface Founded {
  organization_id: string;
  api_key: string;
  api_key_id: string;
}

const leadStatuses = ["Potential", "Bad Fit", "Qualified", "Customer"];
const opportunityStatuses = [
  ["Active", "active"],
  ["Won", "won"],
  ["Lost", "lost"],
] as const;

/** Writes the organization with the statuses and the pipeline it starts with. The transaction must be outside row-level security. */
export function foundOrganization(tx: Transaction, founding: Founding): Founded {
  const { now, userId } = founding;
  const organization_id = newId("orga", now.getTime());
  const id = (prefix: string) => newId(prefix, now.getTime());
  tx.write({
    text: `insert into organization (organization_id, id, name, account_id, created_by, updated_by, date_created, date_updated) values ($1, $1, $2, $3, $4, $4, $5, $5)`,
    values: [organization_id, founding.name, founding.accountId, userId, now],
  });
  tx.write({
    text: `insert into membership (organization_id, id, user_id, role_id, status, created_by, updated_by, date_created, date_updated) values ($1, $2, $3, 'admin', 'active', $3, $3, $4, $4)`,
    values: [organization_id, id("memb"), userId, now],
  });
  leadStatuses.forEach((label, position) => {
    tx.write({
      text: `insert into lead_status (organization_id, id, label, position, created_by, updated_by, date_created, date_updated) values ($1, $2, $3, $4, $5, $5, $6, $6)`,
      values: [organization_id, id("stat"), label, position, userId, now],
    });
  });
  const pipeline = id("pipe");
  tx.write({
    text: `insert into pipeline (organization_id, id, name, position, created_by, updated_by, date_created, date_updated) values ($1, $2, 'Sales', 0, $3, $3, $4, $4)`,
    values: [organization_id, pipeline, userId, now],
  });
  opportunityStatuses.forEach(([label, type], position) => {
    tx.write({
      text: `insert into opportunity_status (organization_id, id, label, type, pipeline_id, position, created_by, updated_by, date_created, date_updated) values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $8)`,
      values: [organization_id, id("stat"), label, type, pipeline, position, userId, now],
    });
  });
  return { organization_id, ...writeKey(tx, { organizationId: organization_id, userId, name: founding.keyName, text: founding.keyText, now }) };
}

/** Stores a key's hash and answers its text, which nobody will see again. */
export function writeKey(
  tx: Transaction,
  key: { organizationId: string; userId: string; name: string; text?: string; now: Date },
): { api_key: string; api_key_id: string } {
  const api_key = key.text ?? newKey();
  const api_key_id = newId("apikey", key.now.getTime());
  tx.write({
    text: `insert into api_key (organization_id, id, name, user_id, hash, key_preview, created_by, updated_by, date_created, date_updated)
           values ($1, $2, $3, $4, decode($5, 'hex'), $6, $4, $4, $7, $7)`,
    values: [key.organizationId, api_key_id, key.name, key.userId, hashOf(api_key), api_key.slice(-4), key.now],
  });
  return { api_key, api_key_id };
}

/** The person with this address, created where there is none. */
export async function findOrCreateUser(tx: Transaction, person: { email: string; first_name?: string; last_name?: string; now: Date }): Promise<string> {
  const [row] = await tx.read({
    text: `insert into "user" (id, email, email_key, first_name, last_name, date_created, date_updated) values ($1, $2, $3, $4, $5, $6, $6)
           on conflict (email_key) do update set email_key = excluded.email_key returning id`,
    values: [newId("user", person.now.getTime()), person.email.trim(), emailKey(person.email.trim()), person.first_name ?? "", person.last_name ?? "", person.now],
  });
  return row![0]!;
}

/** A billing account owned by this person. */
export function createAccount(tx: Transaction, account: { name: string; ownerId: string; now: Date }): string {
  const id = newId("acct", account.now.getTime());
  tx.write({ text: "insert into account (id, name, owner_id, date_created) values ($1, $2, $3, $4)", values: [id, account.name, account.ownerId, account.now] });
  return id;
}
