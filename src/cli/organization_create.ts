// `headwater organization create`: creates an organization for a person, with a key.

import type { App } from "../app.ts";
import { accountsOwnedBy, createAccount, findOrCreateUser } from "../auth/unscoped.ts";
import { endUnprovenSignIn } from "../auth/unscoped_sign_in.ts";
import type { Config } from "../config.ts";
import { announcements } from "../core/directory.ts";
import { type Founded, foundOrganization } from "../resources/organization/found.ts";
import { parseEmail } from "../values/email.ts";
import { newId } from "../values/id.ts";
import { withApp } from "./database.ts";
import { columns, Mistake, say } from "./say.ts";

interface Options {
  name: string;
  email: string;
}

export async function run(config: Config, options: Options): Promise<void> {
  const founded = await withApp(config, (app) => createOrganization(app, options));
  tell(founded);
}

/** Creates an organization for the person with this address. */
export async function createOrganization({ db, core }: App, { name, ...given }: Options): Promise<Founded> {
  const email = parseEmail(given.email, { allowLocalhost: true });
  if (email === null) throw new Mistake(`${given.email} is not an e-mail address.`);
  const now = new Date();
  return db.unscopedTransaction(async (tx) => {
    const userId = await findOrCreateUser(tx, { email, now });
    await endUnprovenSignIn(tx, core, userId, null);
    const [account] = await accountsOwnedBy(tx, userId);
    const accountId = account?.id ?? createAccount(tx, { name, ownerId: userId, now });
    return foundOrganization(tx, { name, userId, accountId, keyName: "Command line", now });
  });
}

export interface NewMember {
  first_name: string;
  last_name: string;
  email: string;
}

/** Adds people who need no invitation, because nobody is behind their addresses. Returns their ids. */
export async function addMembers(
  { db, core }: App,
  organizationId: string,
  people: readonly NewMember[],
  now: Date,
): Promise<string[]> {
  const ids = await db.unscopedTransaction(async (tx) => {
    const made: string[] = [];
    for (const person of people) {
      const userId = await findOrCreateUser(tx, { ...person, now });
      tx.write({
        text: `insert into membership (organization_id, id, user_id, role_id, status, date_created, date_updated) values ($1, $2, $3, 'user', 'active', $4, $4)`,
        values: [organizationId, newId("memb", now.getTime()), userId, now],
      });
      made.push(userId);
    }
    tx.write({ text: "select pg_notify($1, $2)", values: [announcements, organizationId] });
    return made;
  });
  core.directories.forget(organizationId);
  return ids;
}

export function tell({ organization_id, api_key }: Founded): void {
  say(
    columns([
      ["organization", organization_id],
      ["API key", api_key],
    ]),
  );
}
