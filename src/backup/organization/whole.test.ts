// What the archive of one organization leaves out, and what is stopped where it is put in, is decided for every column that there is: who
// adds one decides here too.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createDatabase } from "../../../test/support/database.ts";
import { withClient } from "../../db/one_client.ts";
import { type ArchivedTable, archivedTables, isSecret } from "./archived.ts";
import { stopped } from "./stop.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
let archived: ArchivedTable[];
before(async () => {
  database = await createDatabase();
  archived = await withClient(database.url, "test", (client) => archivedTables(client, "orga_of_a_test"));
});
after(() => database.drop());

/** Columns whose name sounds secret and that leave, with what they are. */
const harmless: Record<string, string> = {
  "agent_call.arguments_hash": "opens nothing",
  "ai_day.tokens": "a count",
  "budget.ai_tokens_per_day": "a limit",
  "budget.ai_tokens_per_hour": "a limit",
  "automation_run.enrol_key": "what it was started for",
  "automation_wait.match_key": "what it waits for",
  "enrichment_answer.key": "what was asked",
  "export.storage_key": "where its file lies",
  "file.storage_key": "where its bytes lie",
  "file_subtype.key": "its name for programs",
  "import_row.key": "what its record was found by",
  "notification.group_key": "which mail it goes into",
  "user.email_key": "the address as it is compared",
  "prospect_file.storage_key": "where its bytes lie",
  "received_hook.key": "by which a repeated call is known",
  "oauth_app.client_secret_last4": "shown to tell secrets apart",
};

test("of columns whose name sounds secret, every one that leaves in an archive is known to be harmless", () => {
  const leaving = archived.flatMap(({ name, columns }) =>
    columns
      .filter((one) => /secret|token|password|hash|sealed|(^|_)(key|pin|totp|otp)$/.test(one) && !isSecret(name, one))
      .map((one) => `${name}.${one}`),
  );

  assert.deepEqual(
    leaving.filter((one) => !Object.hasOwn(harmless, one)),
    [],
    "name the column so that isSecret knows it, or say here why it may leave",
  );
  assert.deepEqual(
    Object.keys(harmless).filter((one) => !leaving.includes(one)),
    [],
    "is not there any more, or does not leave: take it from the list",
  );
});

/** Tables with a status of which nothing is stopped where their organization is put in, with the reason. */
const goesOn: Record<string, string> = {
  agent_call: "it is over",
  bulk_action_item: "its bulk action ends",
  connected_account: "its passwords and grants are left out, so nothing is read or sent by it",
  contact: "its enrichment ends",
  conversation: "people set it, and a snooze that ends sends nothing",
  erasure: "whoever asked to be erased is erased in every copy",
  import_row: "its import ends",
  inbox_prospect: "people decide it",
  list_sync: "it reads at a service whose credentials are left out",
  membership: "whether somebody is a member",
  phone_number: "the telephony's credentials are left out",
  port: "the telephony's credentials are left out",
  project: "people set it",
  project_task: "people set it",
  quote: "people set it, and its last day is over everywhere",
  sms_template: "people set it",
};

test("of every table with a status, what is under way is stopped where its organization is put in, or is said to be harmless", () => {
  const tables = archived
    .filter(({ columns }) => columns.some((one) => /^(status|state)$|_status$/.test(one)))
    .map(({ name }) => name)
    .filter((name) => !stopped.has(name));

  assert.deepEqual(
    tables.filter((name) => !Object.hasOwn(goesOn, name)),
    [],
    "end in stop.ts what may have gone on where it came from, or say here why it may go on",
  );
  assert.deepEqual(
    Object.keys(goesOn).filter((name) => !tables.includes(name)),
    [],
    "is not there any more, or is stopped: take it from the list",
  );
});
