// An archive that somebody changed, with everything in it that says what is in it, and signed with a key of their own.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { extract, pack } from "tar-stream";
import { headName, manifestName } from "../../src/backup/archive.ts";
import { type Manifest, signManifest } from "../../src/backup/manifest.ts";
import type { Secrets } from "../../src/services/secrets.ts";

type ForgedRow = Record<string, string>;
/** The rows of tables, changed or made up. `\N` is null, as in COPY. */
export type Forgery = Record<string, (rows: ForgedRow[]) => ForgedRow[]>;

export async function forge(from: string, to: string, changes: Forgery, by: Secrets): Promise<void> {
  const entries: [name: string, bytes: Buffer][] = [];
  const tar = createReadStream(from).pipe(extract());
  for await (const entry of tar) entries.push([entry.header.name, await buffer(entry)]);
  const { manifest } = JSON.parse(entries.at(-1)![1].toString()) as { manifest: Manifest };
  const head = JSON.parse(entries[0]![1].toString());
  const forged = pack();
  const put = (name: string, bytes: Buffer | string) => forged.entry({ name }, bytes);
  put(headName, JSON.stringify({ ...head, signed_by: by.key_id }));
  const left = new Map(Object.entries(changes));
  for (const [name, bytes] of entries.slice(1, -1)) {
    const [, table] = /^tables\/([^/]+)\//.exec(name) ?? [];
    const change = left.get(table ?? "");
    put(name, change === undefined ? bytes : rewritten(manifest, table!, bytes, change));
    left.delete(table ?? "");
  }
  for (const [table, change] of left) put(`tables/${table}/000001`, rewritten(manifest, table, Buffer.alloc(0), change));
  put(manifestName, signManifest({ ...manifest, signed_by: by.key_id }, by));
  forged.finalize();
  await writeFile(to, await buffer(forged));
}

/** The bytes of a table of one part with its rows changed. The manifest knows them. */
function rewritten(manifest: Manifest, name: string, bytes: Buffer, change: Forgery[string]): Buffer {
  let entry = manifest.tables.find((one) => one.name === name);
  const lines = bytes.toString().split("\n").slice(0, -1);
  const before = lines.map((line) => Object.fromEntries(line.split("\t").map((value, i) => [entry!.columns[i]!, value])));
  const rows = change(before);
  if (entry === undefined) {
    const columns = Object.keys(rows[0]!);
    manifest.tables.push((entry = { name, columns, partitions: [], counter: null, rows: 0, bytes: 0, sha256: "" }));
  }
  const { columns } = entry;
  const after = Buffer.from(rows.map((row) => `${columns.map((one) => row[one] ?? "\\N").join("\t")}\n`).join(""));
  const sha256 = createHash("sha256").update(after).digest("hex");
  Object.assign(entry, { rows: rows.length, bytes: after.byteLength, sha256 });
  return after;
}
