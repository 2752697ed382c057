// Which folders may import which. The failure's message has the rule and the next step.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const root = new URL("..", import.meta.url).pathname;
const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));

/** Each layer with those it may import, besides itself. `values` are pure functions that every layer may use. */
const allowed: Record<string, string[]> = {
  values: [],
  db: ["core", "values"],
  core: ["db", "services", "values"],
  records: ["core", "db", "values"],
  search: ["core", "records", "db", "values"],
  services: ["core", "db", "values"],
  auth: ["core", "records", "db", "values"],
  resources: ["core", "records", "db", "search", "services", "auth", "jobs", "values"],
  http: ["core", "records", "db", "mcp", "services", "values", "config"],
  mcp: ["core", "records", "db", "values"],
  signin: ["core", "records", "db", "services", "auth", "resources", "values"],
  oauth: ["core", "records", "db", "services", "auth", "resources", "signin", "http", "values"],
  reference: ["core", "http", "records", "resources", "values"],
  jobs: ["auth", "core", "records", "db", "values"],
  backup: ["auth", "db", "services", "values"],
  cli: [
    "app",
    "auth",
    "backup",
    "config",
    "core",
    "db",
    "http",
    "jobs",
    "oauth",
    "records",
    "reference",
    "resources",
    "services",
    "signin",
    "values",
  ],
  config: ["backup", "environment", "services"],
  environment: ["core", "services", "values"],
  app: ["auth", "backup", "config", "core", "records", "db", "jobs", "resources", "search", "services"],
  main: ["cli", "config", "core", "db", "app", "values"],
};

/**
 * The database and the core know each other, and the core knows services, only by these files: interfaces, and the error for a
 * database that is down.
 */
const narrow: Record<string, string[]> = {
  "db core": ["src/core/errors.ts"],
  "core services": [
    "src/services/mail.ts",
    "src/services/providers.ts",
    "src/services/public_address.ts",
    "src/services/secrets.ts",
    "src/services/storage.ts",
  ],
};

const layerOf = (file: string) => file.split("/")[1]!.replace(/\.ts$/, "");

function importsOf(file: string, { types = true } = {}): string[] {
  const text = readFileSync(join(root, file), "utf8").replace(types ? /^$/ : /^(import|export) type [^;]+;/gm, "");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    relative(root, join(root, dirname(file), match[1]!)),
  );
}

test("every file imports only what its layer may", () => {
  const broken: string[] = [];
  for (const file of files) {
    for (const imported of importsOf(file).filter((one) => one.startsWith("src/"))) {
      const [from, to] = [layerOf(file), layerOf(imported)];
      const permitted = from === to || allowed[from]?.includes(to);
      const tooWide = narrow[`${from} ${to}`] && !narrow[`${from} ${to}`]!.includes(imported);
      if (!permitted || tooWide)
        broken.push(`${file} imports ${imported}: src/${from} may not import ${tooWide ? imported : `src/${to}`}`);
    }
  }
  assert.deepEqual(broken, []);
});

test("no file imports itself in a circle, types included", () => {
  // A definition refers to the context it is used in, and the context to definitions: their types belong together in several
  // files.
  const graph = new Map(files.map((file) => [file, importsOf(file, { types: !file.startsWith("src/core/") })]));
  const done = new Set<string>();
  const walk = (file: string, path: string[]): void => {
    if (path.includes(file))
      assert.fail(
        `a circle: ${[...path.slice(path.indexOf(file)), file].join(" → ")}; move what both need into a file of its own`,
      );
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
});

test("what areas share stands on no area but the organization, which every record belongs to", () => {
  const shared = files.filter((file) => file.startsWith("src/resources/shared/"));
  const broken = shared.flatMap((file) => {
    const areas = importsOf(file).filter((one) => one.startsWith("src/resources/"));
    return areas.filter((one) => !/^src\/resources\/(shared|organization)\//.test(one)).map((one) => `${file} imports ${one}`);
  });

  assert.deepEqual(broken, [], "move the file into the area that it is about");
});

test("only an area writes its own rows directly; the others go through the front door", () => {
  const owners = new Map<string, string>();
  for (const file of files.filter((one) => one.startsWith("src/resources/"))) {
    for (const match of readFileSync(join(root, file), "utf8").matchAll(/export const (\w+) = resource\(/g))
      owners.set(match[1]!, dirname(file));
  }
  const broken: string[] = [];
  for (const file of files.filter((one) => one.startsWith("src/resources/"))) {
    for (const match of readFileSync(join(root, file), "utf8").matchAll(/store\.(?:insert|update|remove)\(\s*\w+,\s*(\w+),/g)) {
      const owner = owners.get(match[1]!);
      if (owner !== undefined && owner !== dirname(file))
        broken.push(`${file} writes ${match[1]} rows directly: call createRecord and friends, so that its own rules run`);
    }
  }
  assert.deepEqual(broken, []);
});

test("core and records know no kind of record", () => {
  const words = /\b(lead|contact|opportunity|task|activity|pipeline|organization_status)\b/i;
  const broken = files
    .filter((file) => file.startsWith("src/core/") || file.startsWith("src/records/"))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((line, i) => {
        const code = line.replace(/\/\/.*$|^\s*\*.*$|\/\*\*.*$/, "").replace(/"[^"]*"/g, "");
        return words.test(code) && !exceptions.test(code) ? [`${file}:${i + 1}: ${line.trim()}`] : [];
      });
    });
  assert.deepEqual(broken, []);
});

/** The wire's own columns of every event, and the permission names. */
const exceptions = /lead_id|eventLead|custom_activity_type_id|custom_object_type_id/;

test("the core is small enough to be read: at most 1,700 lines", () => {
  const lines = files
    .filter((file) => file.startsWith("src/core/"))
    .map((file) => readFileSync(join(root, file), "utf8").split("\n").length - 1);
  assert.ok(lines.reduce((sum, one) => sum + one, 0) <= 1700, "something in src/core belongs to a resource, or to src/records");
});

test("a refusal is told apart by its status and never by its shape, which a database that is away has too", () => {
  // The code that turns thrown errors into responses knows all of them.
  const mayLook = new Set([
    "src/core/errors.ts",
    "src/http/reply.ts",
    "src/http/rest.ts",
    "src/http/server.ts",
    "src/http/mcp.ts",
    "src/mcp/refusal.ts",
  ]);
  const byShape = /"fields" in |instanceof Problem|\bproblem\)?\.fields\b/;
  const broken = files
    .filter((file) => !mayLook.has(file))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((line, i) => (byShape.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : []));
    });

  assert.deepEqual(broken, [], "take the reasons of a 400 with below, collect or reasonsOf of src/core/errors.ts");
});

test("what is refused is thrown, and neither returned nor put into what a caller hands over", () => {
  // These write a response, translate places, or check a whole plan, which may be a draft.
  const mayHand = new Set(["src/core/errors.ts", "src/http/reply.ts", "src/resources/conversations/post_message.ts"]);
  const handed = /\w+: FieldErrors[,)]|\): (Promise<)?FieldErrors|\w+: FieldErrors,$|FieldErrors \||\| FieldErrors/;
  const broken = files
    .filter((file) => !mayHand.has(file) && !file.startsWith("src/resources/automations/"))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((line, i) => (handed.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : []));
    });

  assert.deepEqual(broken, [], "throw invalid, and let the caller place it with below and gather it with collect");
});

test("names that are known are listed by one function, which says the nearest and no more than somebody reads", () => {
  const lists = /(one of|nown are|nearest are|did you mean|must be a list of|knows) \$\{/;
  const broken = files
    .filter((file) => file.startsWith("src/") && !["src/values/reasons.ts", "src/environment.ts"].includes(file))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((line, i) =>
        lists.test(line) && !/doc:|describe\(/.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [],
      );
    });

  assert.deepEqual(broken, [], "say it by notAmong or hint of src/values/reasons.ts");
});

test("what the service does by itself is nobody's: who did it is written by userOf, which is null then", () => {
  const byNobody = /\w+_by: ctx\.actor\.user_id|assigned_to\W.*\?\? \[?ctx\.actor\.user_id/;
  const broken = files
    .filter((file) => /^src\/(resources|records)\//.test(file))
    .flatMap((file) => {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      return lines.flatMap((line, i) => (byNobody.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : []));
    });

  assert.deepEqual(broken, [], "write userOf(ctx): an empty id is refused by PostgreSQL, or shown as a member");
});

/** Code that may leave the request's organization, and why. Statements across organizations are only in `auth/unscoped.ts`. */
const acrossOrganizations: Record<string, RegExp> = {
  // Keys, people and their other organizations.
  "src/auth/unscoped.ts": /./,
  // Finds background work.
  "src/auth/unscoped_files.ts": /./,
  "src/auth/unscoped_state.ts": /./,
  "src/auth/unscoped_work.ts": /./,
  "src/auth/unscoped_mailboxes.ts": /./,
  // Belongs to people, who are in several.
  "src/auth/unscoped_oauth.ts": /./,
  "src/auth/unscoped_sign_in.ts": /./,
  "src/auth/unscoped_passkeys.ts": /./,
  "src/auth/unscoped_expired.ts": /./,
  // Runs before there is an organization, for the operator.
  "src/cli/account_create.ts": /unscopedTransaction/,
  "src/cli/bootstrap.ts": /unscopedTransaction/,
  "src/cli/organization_create.ts": /unscopedTransaction/,
  "src/db/migrate.ts": /unscoped\(/,
  "src/db/epoch.ts": /unscoped\(/,
  // Passes on what the work of a transaction requests.
  "src/db/flights.ts": /of\(one\)\.actingFor\(organizationId\)/,
  // Enters a new organization, or another one where the caller's rights were looked up.
  "src/resources/organization/create_organization.ts": /actingFor\(organization_id\)/,
  "src/resources/organization/found.ts": /actingFor\(organization_id\)/,
  "src/resources/shared/elsewhere.ts": /actingFor\(organizationId\)/,
  // Passes on what another of these asks.
  "src/resources/bulk_actions/alone.ts": /outer\.actingFor\(organizationId\)/,
};

test("only a few named places reach beyond the organization they act for", () => {
  const reaching = files.flatMap((file) => {
    const lines = readFileSync(join(root, file), "utf8").split("\n");
    const calls = lines.filter((line) => /\.(unscoped|unscopedTransaction|actingFor)\(/.test(line));
    return calls.filter((line) => !acrossOrganizations[file]?.test(line)).map((line) => `${file}: ${line.trim()}`);
  });

  assert.deepEqual(reaching, [], "put the statement into src/auth/unscoped.ts");
});
