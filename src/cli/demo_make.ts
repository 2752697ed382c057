// Makes the demo: the team, the companies with their quarter, and what is made of them.
import type { App } from "../app.ts";
import type { Founded } from "../resources/organization/found.ts";
import { type Place, type Written, writeCompany } from "./demo_company.ts";
import { companyOf } from "./demo_data.ts";
import { writing } from "./demo_scribe.ts";
import { hireTeam, setUp } from "./demo_team.ts";
import { doTheirWork } from "./demo_work.ts";
import { createOrganization } from "./organization_create.ts";

export interface Wanted {
  email: string;
  /** How many companies. */
  size: number;
  seed: number;
  /** Told now and then how far it is. */
  said?: (line: string) => void;
}

export interface Demo {
  founded: Founded;
  records: number;
  seconds: number;
}

export async function makeDemo(app: App, { email, size, seed, said = () => {} }: Wanted): Promise<Demo> {
  const began = performance.now();
  const founded = await createOrganization(app, { name: "Harbor Furniture (demo)", email });
  const founder = await app.authenticator.authenticate(`Bearer ${founded.api_key}`);
  const now = app.core.clock();
  const team = await hireTeam(app, founder, now);
  const place = await setUp(app, team, now);

  const { written, records } = await writeCompanies(app, place, { size, seed, said });
  await doTheirWork(app, place, written);
  return { founded, records, seconds: (performance.now() - began) / 1000 };
}

/**
 * How many companies are written in one transaction, and how many transactions at a time. The companies of one are written side by
 * side: what one waits to read goes out together with what the others do.
 */
const batch = 20;
const atOnce = 4;
/** Those of which more is made afterwards. */
const knownMost = 60;

async function writeCompanies(
  app: App,
  place: Place,
  { size, seed, said }: Required<Pick<Wanted, "size" | "seed" | "said">>,
): Promise<{ written: Written[]; records: number }> {
  const written: Written[] = [];
  let records = 0;
  let next = 0;
  const [founder] = place.team;
  const work = async () => {
    while (next < size) {
      const from = next;
      next = Math.min(size, from + batch);
      const companies = Array.from({ length: next - from }, (_, i) => companyOf(from + i, seed, place.team.length));
      const made = await writing(
        app,
        founder!,
        () => records++,
        (scribe) => allOf(companies.map((company) => writeCompany(scribe, place, company))),
      );
      if (from < knownMost) for (const [i, one] of made.entries()) written[from + i] = one;
      if (Math.floor(next / 5000) > Math.floor(from / 5000)) said(`${next} of ${size} companies`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { written: written.filter(Boolean), records };
}

/** Like `Promise.all`, but when one fails it waits for the others, so that nothing is written after the transaction was undone. */
async function allOf<T>(given: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(given);
  return Promise.all(given);
}
