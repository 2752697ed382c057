// Every column in which secrets lie sealed. Whoever seals a new one adds it here: a test compares this list with the tables, and
// without it a changed SECRET_KEY would leave the column's secrets lost.
import type { Place } from "./secrets.ts";

export interface SealedColumn {
  table: string;
  column: string;
  /** The table's primary key. */
  key: readonly string[];
  /** Where a value is bound to, from the values of the key and of `besides`. */
  place: (row: Record<string, string>) => Place;
  /** Further columns that the place depends on. */
  besides?: readonly string[];
}

const ofRecord = (table: string, column: string): SealedColumn => ({
  table,
  column,
  key: ["organization_id", "id"],
  place: ({ organization_id, id }) => ({ table, column, organization_id: organization_id!, id: id! }),
});

export const sealedColumns: readonly SealedColumn[] = [
  ofRecord("webhook", "sealed_signature_key"),
  ofRecord("connected_account", "sealed_imap_password"),
  ofRecord("connected_account", "sealed_smtp_password"),
  ofRecord("credential", "sealed_values"),
  ofRecord("port", "sealed_account_number"),
  ofRecord("port", "sealed_pin"),
  ofRecord("quote", "public_token"),
  {
    // A link stays what it is when its file moves to another organization.
    ...ofRecord("file", "share_token"),
    besides: ["storage_key"],
    place: ({ storage_key }) => ({ table: "file", column: "share_token", organization_id: "", id: storage_key! }),
  },
  {
    table: "idempotency_key",
    column: "body",
    key: ["organization_id", "holder", "method", "path", "key"],
    place: ({ organization_id, holder, method, path, key }) => ({
      table: "idempotency_key",
      column: "body",
      organization_id: organization_id!,
      id: [organization_id, holder, method, path, key].join("\n"),
    }),
  },
];
