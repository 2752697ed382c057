// A service that is started with another SECRET_KEY than the one that sealed its secrets.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createBlankDatabase } from "../../test/support/database.ts";
import { openHouse } from "../../test/support/house.ts";
import { command, dataDir } from "../../test/support/processes.ts";

const [first, second] = ["the first key of this service, and", "the second one, which nobody sealed with"];

test("another SECRET_KEY than the one that sealed is noticed by start, worker, doctor and backup, and each says what to do", async () => {
  const house = await openHouse({
    DATABASE_URL: await createBlankDatabase(),
    DATA_DIR: dataDir(),
    BOOTSTRAP_API_KEY: "the-key-of-a-service-with-secrets",
    SECRET_KEY: second,
  });
  const does = (args: string[], more: Record<string, string>) => command(args, { ...house.settings, ...more });
  await house.acts.start!();
  await house.acts.stop!();
  house.settings.SECRET_KEY = first;
  await house.acts.start!(); // nothing was sealed yet
  const hook = await house.ask("POST", "/webhook/", { url: "https://hook.example.com/h", events: ["lead.created"] });
  await house.acts.stop!();

  for (const SECRET_KEY of [second, ""]) {
    for (const args of [
      ["start"],
      ["worker"],
      ["key", "create", "--email", "admin@localhost"],
      ["backup", join(dataDir(), "a.tar")],
    ]) {
      const { code, err } = await does(args, { SECRET_KEY });
      assert.equal(code, 1, args.join(" "));
      assert.match(err, /sealed with another SECRET_KEY \(1 with the key \S{8}; .*set SECRET_KEY_OLD.*"lost key"/);
    }
    const { code, out } = await does(["doctor"], { SECRET_KEY });
    assert.deepEqual([code, /wrong +secrets and their key: .*set SECRET_KEY to it/.test(out)], [1, true], out);
  }
  const without = await does(["backup", join(dataDir(), "b.tar"), "--without-secrets"], { SECRET_KEY: second });
  assert.match(without.out, /without secrets/, without.err);
  assert.match((await does(["doctor"], {})).out, /ok +secrets and their key\n/);

  const changed = await does(["doctor", "--rotate-secret"], { SECRET_KEY: second, SECRET_KEY_OLD: first });
  assert.equal(changed.code, 0, changed.err);
  assert.equal((await does(["start"], {})).code, 1, "the former key");
  house.settings.SECRET_KEY = second;
  await house.acts.start!();
  assert.equal((await house.ask("GET", `/webhook/${hook.id}/`)).status, "active");
});
