// `headwater organization limit`: leaves an organization a part of the usual limits, so that the others have the rest.
import { limitOrganization } from "../auth/unscoped.ts";
import type { Config } from "../config.ts";
import { withApp } from "./database.ts";
import { Mistake, say } from "./say.ts";

export async function run(config: Config, organization: string, given: string): Promise<void> {
  if (!/^(100|\d{1,2})$/.test(given)) throw new Mistake(`The percentage is a whole number from 0 to 100, not ${given}.`);
  const percent = Number(given);
  const name = await withApp(config, ({ db }) => limitOrganization(db, organization, percent === 100 ? null : percent));
  if (name === null) throw new Mistake(`There is no organization ${organization}.`);
  say(`${organization} (${name}) ${means(percent)}`);
}

function means(percent: number): string {
  if (percent === 0) return "is suspended: its requests are refused, and its background work waits.";
  if (percent === 100) return "has the usual limits.";
  return `has ${percent} % of the usual limits, and of each kind of background work one job at a time in each worker.`;
}
