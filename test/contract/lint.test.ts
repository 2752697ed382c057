// The description of the interface is one that tools of others take: it keeps the recommended rules of a public checker.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = new URL("../..", import.meta.url).pathname;

test("the description keeps the recommended rules of redocly, but for those that redocly.yaml names", async () => {
  const problems = await new Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>(
    (resolve, reject) => {
      const command = [
        fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js")),
        "lint",
        "generated/openapi.json",
        "--format",
        "json",
        "--max-problems",
        "1000",
      ];
      const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
      execFile(process.execPath, command, { cwd: root, env, maxBuffer: 1e8 }, (_error, output, said) => {
        if (output === "") reject(new Error(said));
        else resolve(JSON.parse(output).problems);
      });
    },
  );

  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ""}`),
    [],
  );
});
