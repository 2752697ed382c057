// `npm run generate`: writes the files derived from definitions and migrations. A test fails while they are stale.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { describeSchema } from "../src/db/describe_schema.ts";
import { startEmbedded } from "../src/db/embedded/index.ts";
import { migrate } from "../src/db/migrate.ts";
import { buildDescription } from "../src/http/openapi.ts";
import { operations } from "../src/resources/index.ts";

const folder = new URL("../generated/", import.meta.url);
mkdirSync(folder, { recursive: true });
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
writeFileSync(new URL("openapi.json", folder), `${JSON.stringify(buildDescription(operations, { version }), null, 1)}\n`);

const dataDir = mkdtempSync(join(tmpdir(), "headwater-generate-"));
chmodSync(dataDir, 0o711);
const server = await startEmbedded({ dataDir, settings: { fsync: "off" } });
try {
  await migrate(server.url);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  writeFileSync(new URL("schema.sql", folder), await describeSchema(client));
  await client.end();
} finally {
  await server.stop();
  for (const place of [dirname(server.directory), dataDir]) rmSync(place, { recursive: true, force: true });
}
