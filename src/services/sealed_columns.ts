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
  /** What somebody has to do when the value is lost; null where nobody misses it. */
  lost: string | null;
}

const ofRecord = (table: string, column: string, lost: string | null): SealedColumn => ({
  table,
  column,
  lost,
  key: ["organization_id", "id"],
  place: ({ organization_id, id }) => ({ table, column, organization_id: organization_id!, id: id! }),
});

/** A grant belongs to one account, so the account's id identifies it. */
function ofGrant(column: string, lost: string | null): SealedColumn {
  const table = "oauth_grant";
  return {
    table,
    column,
    lost,
    key: ["organization_id", "account_id"],
    place: ({ organization_id, account_id }) => ({ table, column, organization_id: organization_id!, id: account_id! }),
  };
}

export const sealedColumns: readonly SealedColumn[] = [
  ofRecord("webhook", "sealed_signature_key", "give its receiver the new signing key, and activate it"),
  ofRecord("webhook", "sealed_previous_key", null),
  ofRecord("connected_account", "sealed_imap_password", "enter the password of its mailbox"),
  ofRecord("connected_account", "sealed_smtp_password", "enter the password of its mail server"),
  ofGrant("sealed_refresh_token", "connect the account again"),
  ofGrant("sealed_access_tokens", null),
  ofRecord("credential", "sealed_values", "enter the credentials again"),
  ofRecord("port", "sealed_account_number", null),
  ofRecord("port", "sealed_pin", null),
  ofRecord("quote", "public_token", null),
  ofRecord("system_mail", "sealed_token", null),
  ofRecord("automation_secret", "sealed_value", "enter the secret again"),
  ofRecord("automation", "sealed_hook_token", "publish it again, and give its callers the new address"),
  ofRecord("automation", "sealed_hook_secret", null),
  ofRecord("automation", "sealed_hook_previous", null),
  ofRecord("automation_step_run", "sealed_request", null),
  {
    table: "user",
    column: "sealed_totp_secret",
    lost: "set up the second factor again",
    key: ["id"],
    place: ({ id }) => ({ table: "user", column: "sealed_totp_secret", organization_id: "", id: id! }),
  },
  {
    // A link stays valid when its file moves to another organization, so its place does not name the organization.
    ...ofRecord("file", "share_token", null),
    besides: ["storage_key"],
    place: ({ storage_key }) => ({ table: "file", column: "share_token", organization_id: "", id: storage_key! }),
  },
  {
    table: "idempotency_key",
    column: "body",
    lost: null,
    key: ["organization_id", "holder", "method", "path", "key"],
    place: ({ organization_id, holder, method, path, key }) => ({
      table: "idempotency_key",
      column: "body",
      organization_id: organization_id!,
      id: [organization_id, holder, method, path, key].join("\n"),
    }),
  },
];
