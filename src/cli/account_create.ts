// `headwater account create`: creates a further billing account for a person.
import { createAccount, findOrCreateUser } from "../auth/unscoped.ts";
import type { Config } from "../config.ts";
import { parseEmail } from "../values/email.ts";
import { withApp } from "./database.ts";
import { Mistake, say } from "./say.ts";

export async function run(config: Config, given: { email: string }): Promise<void> {
  const email = parseEmail(given.email, { allowLocalhost: true });
  if (email === null) throw new Mistake(`${given.email} is not an e-mail address.`);
  const now = new Date();
  const create = ({ db }: Parameters<Parameters<typeof withApp>[1]>[0]) =>
    db.unscopedTransaction(async (tx) =>
      createAccount(tx, { name: email, ownerId: await findOrCreateUser(tx, { email, now }), now }),
    );
  say(await withApp(config, create));
}
