import type { Operation } from "../../core/operation.ts";
import { crud, standard } from "../../records/standard.ts";
import { connectedAccount } from "./connected_account.ts";
import { createAccount, deleteAccount, updateAccount } from "./connected_account_verbs.ts";
import { deleteCredentials, listCredentials, syncLists, updateCredentials } from "./credentials.ts";
import { authorizeAccount } from "./oauth/authorize.ts";
import { oauthApp } from "./oauth_app.ts";
import { createOauthApp, deleteOauthApp } from "./oauth_app_verbs.ts";
import { sendAs } from "./send_as.ts";
import { createSendAs, listSendAs } from "./send_as_verbs.ts";

/** An organization that is past due can still take access away. */
const deletesPastDue = { delete: { pastDue: true } };

const outlasting = { create: { outlasts: true }, update: { outlasts: true } };

export const accounts: Operation[] = [
  ...standard(
    connectedAccount,
    { ...crud, create: createAccount, update: updateAccount, delete: deleteAccount },
    "member",
    outlasting,
  ),
  authorizeAccount,
  ...standard(sendAs, { list: listSendAs, create: createSendAs, delete: true }, "member", outlasting),
  listCredentials,
  updateCredentials,
  deleteCredentials,
  syncLists,
  ...standard(oauthApp, { list: true, create: createOauthApp, delete: deleteOauthApp }, "manage_organization", {
    ...outlasting,
    ...deletesPastDue,
  }),
];
