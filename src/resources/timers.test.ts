// Every timer is listed once in code and once for operators, and each has a test that moves the clock.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import pino from "pino";
import { ownTimers } from "../cli/worker.ts";
import type { PostgresDatabase } from "../db/pool.ts";
import { timers } from "./timers.ts";

const root = new URL("../..", import.meta.url).pathname;
// No timer runs here, so no real database is needed.
const all = [...timers, ...ownTimers({ backup: null }, "", {} as PostgresDatabase, pino({ level: "silent" }))];

/** Tests that name no timer, because they call what the timer runs. */
const testsOf: Readonly<Record<string, string>> = {
  // Bytes are announced and swept by the database's clock alone, so that no process can be ahead of those that store them.
  stored_bytes: "src/resources/files/file.test.ts",
  backups: "src/backup/scheduled.test.ts",
  partitions: "src/db/old_months.test.ts",
  // These need a mail server to do anything.
  digests: "src/resources/system_mail/digest.test.ts",
  system_mail: "src/resources/system_mail/send.test.ts",
  followups: "src/resources/mail_out/send.test.ts",
  mailbox_days: "src/resources/mail_out/send.test.ts",
  mailboxes: "src/resources/mail_in/mail_in.test.ts",
};

const every = (seconds: number): string => {
  const [count, unit] =
    seconds < 60
      ? [seconds, "second"]
      : seconds < 3600
        ? [seconds / 60, "minute"]
        : seconds < 86_400
          ? [seconds / 3600, "hour"]
          : [seconds / 86_400, "day"];
  return count === 1 ? unit! : `${count} ${unit}s`;
};

test("each timer has a name of its own, a sentence, and an interval that a person can say", () => {
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
  for (const { name, doc, everySeconds } of all) {
    assert.match(name, /^[a-z]+(_[a-z]+)*$/);
    assert.match(doc, /^[A-Z].*\.$/, name);
    assert.match(every(everySeconds), /^(\d+ )?[a-z]+$/, `${name} runs every ${everySeconds} seconds`);
  }
});

test("the page for operators lists every timer, with its interval and its sentence", () => {
  const lines = readFileSync(`${root}docs/background.md`, "utf8").split("\n");

  const wanted = all.map(({ name, doc, everySeconds }) => `| \`${name}\` | ${every(everySeconds)} | ${doc} |`);
  const start = lines.indexOf("| Timer | Every | What it does |");
  const listed = lines.slice(start + 2, lines.indexOf("", start));

  assert.deepEqual(listed.sort(), wanted.sort(), "write the missing line into the table of docs/background.md");
});

test("each timer has a test that moves the clock to its moment", () => {
  const texts = globSync("src/**/*.test.ts", { cwd: root }).map((file) => readFileSync(root + file, "utf8"));
  const named = new Set(
    texts.flatMap((text) => [...text.matchAll(/atMoment\([^;]*?"([a-z_]+)"\s*\)/g)].map(([, name]) => name!)),
  );

  const untested = timers.map(({ name }) => name).filter((name) => !named.has(name) && testsOf[name] === undefined);

  assert.deepEqual(untested, [], "write a test that calls atMoment of test/support/clock.ts with the timer's name");
});
