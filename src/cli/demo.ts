// `headwater demo`: creates an organization full of realistic records, to explore the service.
import type { Config } from "../config.ts";
import { withApp } from "./database.ts";
import { fillWithSample } from "./fill.ts";
import { createOrganization, tell } from "./organization_create.ts";
import { complain, Mistake } from "./say.ts";

interface Options {
  leads: string;
}

export async function run(config: Config, { leads }: Options): Promise<void> {
  const count = Number(leads);
  if (!Number.isInteger(count) || count < 1 || count > 100_000)
    throw new Mistake("--leads must be a whole number from 1 to 100000.");

  const founded = await withApp(config, async (app) => {
    const made = await createOrganization(app, { name: "Sample", email: config.bootstrap.email });
    const actor = await app.authenticator.authenticate(`Bearer ${made.api_key}`);
    const records = await fillWithSample(app, actor, count);
    complain(`Made ${records} records.`);
    return made;
  });
  tell(founded);
}
