// A person is erased, and looked for afterwards.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "./given.ts";
import { withWorker } from "./worker.ts";

/** Erases a person, and returns how it ended. */
export const erase = async (ws: Workspace, id: string, body: object = {}): Promise<any> => {
  const { id: erasure } = await ws.post(`/contact/${id}/erase/`, body);
  await withWorker(ws.service, (worker) => worker.drained());
  return ws.get(`/erasure/${erasure}/`);
};

/** The tables, and the stored files, in which any of the words is found. */
export async function placesWith(ws: Workspace, words: readonly string[]): Promise<string[]> {
  const tables = await ws.service.app.db.unscoped({
    text: `select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
             and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id')`,
    values: [],
  });
  assert.ok(tables.length > 50);
  const found: string[] = [];
  for (const [table] of tables) {
    const rows = await ws.service.app.db.unscoped({
      text: `select t::text from "${table}" t where organization_id = $1 and t::text ilike any($2)`,
      values: [ws.id, words.map((word) => `%${word.replace("%", "\\%")}%`)],
    });
    found.push(...rows.map(([row]) => `${table}: ${row}`));
  }
  const folder = join(ws.service.filesDir, "kept", ws.id);
  for (const file of await readdir(folder, { recursive: true }).catch(() => [])) {
    const text = (await readFile(join(folder, file), "latin1").catch(() => "")).toLowerCase();
    if (words.some((word) => text.includes(word))) found.push(file);
  }
  return found;
}
