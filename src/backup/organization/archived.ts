// What the archive of one organization holds: its rows of every table that has an organization, from PostgreSQL's catalog, and who its
// members are. Secrets are left out, and so is what is only good where it was made.
import type pg from "pg";
import { sealedColumns } from "../../services/sealed_columns.ts";
import { quoted, type StoredTable, tablesOf } from "../catalog.ts";

/** A table of an archive, and the query of its rows. */
export interface ArchivedTable extends StoredTable {
  select: string;
}

/** The first table: who restores must know the people before everything that names them. */
export const people = "user";

/** People belong to themselves. This is what colleagues see of them. */
export const ofPeople = [
  "id",
  "email",
  "email_key",
  "first_name",
  "last_name",
  "signature",
  "image",
  "timezone",
  "date_created",
  "date_updated",
];

/** Kept only to answer a request again, to reach this server, or about this server. */
const passing: ReadonlySet<string> = new Set([
  "idempotency_key",
  "mail_link",
  "organization_export",
  "presence",
  "stored_bytes_removal",
  "system_mail",
]);

/** Hashes that open nothing. */
const harmless: ReadonlySet<string> = new Set(["agent_call.arguments_hash"]);

/** What another organization or this service's operator has to do with; `rendered` is made again when it is asked for. */
const elsewhere: ReadonlySet<string> = new Set([
  "contact.share_id",
  "contact.shared_at",
  "organization.erased_at",
  "organization.limit_percent",
]);

export async function archivedTables(client: pg.ClientBase, organizationId: string): Promise<ArchivedTable[]> {
  const here = client.escapeLiteral(organizationId);
  const tables = await tablesOf(client);
  const members = tables.find(({ name }) => name === people)!;
  return [
    {
      ...members,
      columns: ofPeople,
      select: `select ${ofPeople.map(quoted).join(", ")} from "user" where id in (select user_id from membership where organization_id = ${here})`,
    },
    ...tables.filter(isArchived).map((table) => ({ ...table, select: `${selectOf(table)} where organization_id = ${here}` })),
  ];
}

/** Whether an archive has such a table: one that has others was changed. */
export const isArchived = (table: StoredTable): boolean =>
  table.has_organization &&
  !passing.has(table.name) &&
  table.columns.every((one) => !table.required.includes(one) || !isSecret(table.name, one) || isRenewed(table.name, one));

/** A webhook needs a signing key. It gets a new one where it is restored. */
const isRenewed = (table: string, column: string): boolean => table === "webhook" && column === "sealed_signature_key";

export const isSecret = (table: string, column: string): boolean =>
  !harmless.has(`${table}.${column}`) &&
  (/^sealed_|(^|_)(hash|token|password|secret)$/.test(column) ||
    sealedColumns.some((one) => one.table === table && one.column === column));

const selectOf = ({ name, columns }: StoredTable): string =>
  `select ${columns.map((column) => leftOut(name, column) ?? quoted(column)).join(", ")} from ${quoted(name)}`;

/** What an archive has in place of a value that it leaves out, and what it becomes where it is put in; null for a value that it has. */
export function leftOut(table: string, column: string): string | null {
  if (isRenewed(table, column)) return "''";
  return isSecret(table, column) || column === "rendered" || elsewhere.has(`${table}.${column}`) ? "null" : null;
}
