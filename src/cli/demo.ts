// `headwater demo`: creates an organization with a quarter of work of a sales team, to look at and to try things on. Nothing of it leaves
// the machine: its addresses end in `.example`, and it has no mailbox, no number and no key of another service.
import type { Config } from "../config.ts";
import { withApp } from "./database.ts";
import { makeDemo } from "./demo_make.ts";
import { tell } from "./organization_create.ts";
import { complain, Mistake } from "./say.ts";

interface Options {
  size: string;
  seed: string;
}

export async function run(config: Config, { size, seed }: Options): Promise<void> {
  const count = wholeNumber("--size", size, 1, 200_000);
  const from = wholeNumber("--seed", seed, 0, 2 ** 31);

  const made = await withApp(config, async (app) => {
    const demo = await makeDemo(app, { email: config.bootstrap.email, size: count, seed: from, said: complain });
    complain(`Made ${demo.records} records in ${demo.seconds.toFixed(0)} seconds.`);
    return demo;
  });
  tell(made.founded);
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new Mistake(`${name} must be a whole number from ${least} to ${most}.`);
  return value;
}
