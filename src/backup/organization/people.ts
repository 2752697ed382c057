// The members of an organization where it is put in: whoever has an account with the same e-mail address keeps it, with its password;
// others get one without a password, and choose one by the link for forgotten ones.
import type pg from "pg";
import { emailKey } from "../../values/email.ts";
import { newId, randomId } from "../../values/id.ts";
import { quoted } from "../catalog.ts";
import { ofPeople } from "./archived.ts";
import { staged } from "./staged.ts";

interface Person {
  id: string;
  email: string;
}

/** The ids that people have here, by those in the archive. */
export async function findPeople(client: pg.Client): Promise<Map<string, string>> {
  const { rows: theirs } = await client.query<Person>(`select id, email from ${staged("user")}`);
  const found = new Map<string, string>();
  for (const { id, email } of theirs) {
    const { rows } = await client.query<{ id: string; is_same: boolean }>(
      `select id, email_key = $1 as is_same from "user" where email_key = $1 or id = $2 order by is_same desc limit 1`,
      [emailKey(email), id],
    );
    const ours = rows[0];
    found.set(id, ours === undefined ? id : ours.is_same ? ours.id : randomId("user"));
    await client.query(`update ${staged("user")} set id = $2, email_key = $3 where id = $1`, [
      id,
      found.get(id),
      emailKey(email),
    ]);
  }
  return found;
}

/**
 * Nobody becomes a member of a stranger's organization by a row that the stranger wrote: whoever has an account here accepts an invitation
 * first. Whoever has none gets one that only the mailbox opens.
 */
export async function inviteKnown(client: pg.Client): Promise<void> {
  await client.query(
    `update ${staged("membership")} m set status = 'invited', accepted = false, invited_email = u.email
     from "user" u where u.id = m.user_id and m.status = 'active'`,
  );
}

/** An account that somebody made here meanwhile is theirs. */
export async function addPeople(client: pg.Client): Promise<void> {
  const columns = ofPeople.map(quoted).join(", ");
  await client.query(
    `insert into "user" (${columns}) select ${columns} from ${staged("user")} s
     where not exists (select from "user" u where u.id = s.id)`,
  );
}

/** The organization belongs to the account of its first admin, who gets one if they own none, or have not accepted yet. */
export async function ownAccount(client: pg.Client): Promise<void> {
  const { rows: admins } = await client.query(
    `select m.user_id, m.status, o.name from ${staged("membership")} m, ${staged("organization")} o
     where m.role_id = 'admin' and m.status <> 'inactive' order by m.status, m.date_created, m.id limit 1`,
  );
  if (admins.length === 0) throw new Error("The archive was changed: its organization has no admin.");
  const [{ user_id, status, name }] = admins;
  const { rows: owned } = await client.query(
    "select id from account where owner_id = $1 and $2 order by date_created, id limit 1",
    [user_id, status === "active"],
  );
  const id = owned[0]?.id ?? newId("acct");
  if (owned.length === 0) await client.query("insert into account (id, name, owner_id) values ($1, $2, $3)", [id, name, user_id]);
  await client.query(`update ${staged("organization")} set account_id = $1`, [id]);
}
