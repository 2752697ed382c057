// Lists every column that holds sealed secrets. Code that seals a new column adds it here. A test compares this list with the
// tables, because a change of SECRET_KEY would lose the secrets of a missing column.
import type { Place } from "./secrets.ts";

export interface SealedColumn {
  table: string;
  column: string;
  /** The table's primary key. */
  key: readonly string[];
  /** The place that a value is bound to, from the values of the key and of `besides`. */
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

/** A grant belongs to one account, so the account's id identifies it. */
function ofGrant(column: string): SealedColumn {
  const table = "oauth_grant";
  return {
    table,
    column,
    key: ["organization_id", "account_id"],
    place: ({ organization_id, account_id }) => ({ table, column, organization_id: organization_id!, id: account_id! }),
  };
}

export const sealedColumns: readonly SealedColumn[] = [
  ofRecord("webhook", "sealed_signature_key"),
  ofRecord("webhook", "sealed_previous_key"),
  ofRecord("connected_account", "sealed_imap_password"),
  ofRecord("connected_account", "sealed_smtp_password"),
  ofGrant("sealed_refresh_token"),
  ofGrant("sealed_access_tokens"),
  ofRecord("credential", "sealed_values"),
  ofRecord("port", "sealed_account_number"),
  ofRecord("port", "sealed_pin"),
  ofRecord("quote", "public_token"),
  ofRecord("system_mail", "sealed_token"),
  ofRecord("automation_secret", "sealed_value"),
  ofRecord("automation", "sealed_hook_token"),
  ofRecord("automation", "sealed_hook_secret"),
  ofRecord("automation", "sealed_hook_previous"),
  ofRecord("automation_step_run", "sealed_request"),
  {
    table: "user",
    column: "sealed_totp_secret",
    key: ["id"],
    place: ({ id }) => ({ table: "user", column: "sealed_totp_secret", organization_id: "", id: id! }),
  },
  {
    // A link stays valid when its file moves to another organization, so its place does not name the organization.
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
