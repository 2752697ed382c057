// Puts one organization into a database where others live. Its rows are put aside first, changed, and then go to their tables in one
// transaction: a restore that is interrupted leaves nothing. Stored files are announced before, and removed later if no row claims them.
import { randomBytes } from "node:crypto";
import type pg from "pg";
import { inUtc, withClient } from "../../db/one_client.ts";
import { storageKeyPattern } from "../../services/storage.ts";
import { newId } from "../../values/id.ts";
import { type Opening, readArchive } from "../archive.ts";
import { type StoredTable, tablesOf } from "../catalog.ts";
import type { Manifest, TableEntry } from "../manifest.ts";
import { fileMost, makePartitions, type Target } from "../restore.ts";
import { renewWebhooks } from "../secrets.ts";
import { isArchived, people } from "./archived.ts";
import { type IdChange, withIds } from "./ids.ts";
import { addPeople, findPeople, inviteKnown, ownAccount } from "./people.ts";
import { putInPlace, stage, staged } from "./staged.ts";
import { stopEverything } from "./stop.ts";

export interface OrganizationTarget extends Pick<Target, "url" | "storage" | "secrets"> {
  /** The kinds of background work that there are. */
  kindsOfWork: readonly string[];
}

/** Returns the id that the organization has here. The archive must have been read whole before. */
export async function restoreOrganization(
  open: Opening,
  manifest: Manifest,
  target: OrganizationTarget,
  newIds: boolean,
): Promise<string> {
  const load = async (client: pg.Client) => {
    const { here, change } = await idsFor(client, manifest, newIds);
    const known = new Map((await tablesOf(client)).map((one) => [one.name, one]));
    let isOurs = true;
    await readArchive(await open(), target.secrets, {
      unchecked: () => void (isOurs = false),
      table: async (name, chunks) => stageTable(client, manifest, known, change, name, chunks),
      file: (key, chunks) => storeFile(client, target.storage, here, key, chunks),
    });
    const tables = manifest.tables.filter(({ name }) => name !== people);
    await refuseOthers(client, here);
    await refuseOtherPlaces(client, tables);
    await stopEverything(client, new Set(tables.map(({ name }) => name)), target.kindsOfWork);
    if (!isOurs) await inviteKnown(client);
    await beginAfter(client);
    await makePartitions(client, manifest);
    await client.query("begin");
    await client.query("select set_config('app.organization_id', $1, true)", [here]);
    await addPeople(client);
    await ownAccount(client);
    await putInPlace(client, tables, { there: manifest.organization_id!, here });
    await renewWebhooks(client, target.secrets, here);
    await client.query("commit");
    return here;
  };
  return withClient(target.url, "headwater restore", load, inUtc);
}

async function idsFor(client: pg.Client, manifest: Manifest, newIds: boolean): Promise<{ here: string; change: Change }> {
  const there = manifest.organization_id!;
  if (!/^orga_[0-9a-z]{26}$/.test(there)) throw new Error("The archive was changed: its organization has no id.");
  const here = newIds ? newId("orga") : there;
  const { rows } = await client.query(
    `select (select max(version) from migration) as version, exists (select from organization where id = $1) as present`,
    [here],
  );
  if (rows[0].version !== manifest.migrations.count)
    throw new Error(
      `The archive is of another release (${manifest.release}, with ${manifest.migrations.count} migrations; here are ${rows[0].version}). If it is the older one: restore it into an empty database, which brings it up to date, take it out there and put that in here, as ops/drills/workspace_beside.sh does.`,
    );
  if (rows[0].present)
    throw new Error(`The organization ${here} is here already: use --new-ids to put in a second one beside it.`);
  return { here, change: { given: new Map([[there, here]]), salt: newIds ? randomBytes(16).toString("hex") : null } };
}

type Change = IdChange & { given: Map<string, string> };

async function stageTable(
  client: pg.Client,
  manifest: Manifest,
  known: ReadonlyMap<string, StoredTable>,
  change: Change,
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const entry = manifest.tables.find((one) => one.name === name);
  const table = known.get(name);
  if (entry === undefined || table === undefined || (name !== people && !isArchived(table)))
    throw new Error(`The archive was changed: nobody put the table ${name} into it.`);
  await stage(client, entry, table, withIds(chunks, change));
  // The first table. From here on, whoever has an address here is who they are here.
  if (name === people) for (const [there, here] of await findPeople(client)) change.given.set(there, here);
}

/** Announced before the transaction begins: if the restore comes to no end, the bytes are removed. */
async function storeFile(
  client: pg.Client,
  storage: Target["storage"],
  here: string,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const ours = key.replace(/^[^/]*/, here);
  await client.query(
    `insert into stored_bytes_removal (organization_id, storage_key, due) values ($1, $2, now() + interval '1 day')
     on conflict (organization_id, storage_key) do update set due = excluded.due`,
    [here, ours],
  );
  await storage.keep(await storage.receive(chunks, fileMost), ours);
}

async function refuseOthers(client: pg.Client, here: string): Promise<void> {
  const { rows } = await client.query(`select id from ${staged("organization")}`);
  if (rows.length !== 1 || rows[0].id !== here)
    throw new Error("The archive was changed: it has other organizations than the one that it is of.");
}

/** A forged row could say that its bytes lie outside of the folder of its organization. */
async function refuseOtherPlaces(client: pg.Client, tables: readonly TableEntry[]): Promise<void> {
  for (const { name } of tables.filter(({ columns }) => columns.includes("storage_key"))) {
    const { rows } = await client.query(`select storage_key from ${staged(name)} where storage_key !~ $1 limit 1`, [
      storageKeyPattern,
    ]);
    if (rows.length > 0) throw new Error(`The archive was changed: ${rows[0].storage_key} is no stored file.`);
  }
}

/**
 * The log of the organization ends before the present one begins, so readers who know their place in it go on. Consumers and webhooks begin
 * behind it: what they did for these events was done where they came from.
 */
async function beginAfter(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`select coalesce(max(epoch), 0)::text as epoch from ${staged("event")}`);
  await client.query("begin");
  const { rows: begun } = await client.query(
    `update event_epoch set epoch = greatest(epoch + 1, $1::bigint + 1, (extract(epoch from now()) * 1000)::bigint)
     where epoch <= $1::bigint returning epoch::text`,
    [rows[0].epoch],
  );
  if (begun.length > 0) await client.query(`alter table event alter column epoch set default ${begun[0].epoch}`);
  await client.query("commit");
  for (const table of ["consumer", "webhook"])
    await client.query(
      `update ${staged(table)} set cursor_seq = 0, (cursor_epoch, cursor_position) =
         (select epoch, pg_snapshot_xmin(pg_current_snapshot())::text::bigint from event_epoch)`,
    );
}
