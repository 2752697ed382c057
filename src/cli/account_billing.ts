// `headwater account billing`: sets whether an account is paid. While it is past due, its organizations refuse changes.
import { setBilling } from "../auth/unscoped.ts";
import type { Config } from "../config.ts";
import { withApp } from "./database.ts";
import { Mistake, say } from "./say.ts";

export async function run(config: Config, account: string, status: string): Promise<void> {
  if (status !== "past_due" && status !== "active") throw new Mistake(`The status is past_due or active, not ${status}.`);
  const organizations = await withApp(config, ({ db }) => setBilling(db, account, status));
  if (organizations === null) throw new Mistake(`There is no account ${account}.`);
  say(`${account} is ${status} (${organizations.length} organization${organizations.length === 1 ? "" : "s"}).`);
}
