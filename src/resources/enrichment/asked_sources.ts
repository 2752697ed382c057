// Which sources an enrichment has asked, and what each knew.
import type { Asked } from "./ask_provider.ts";
import { type Asking, sources } from "./enrichment.ts";
import type { Found } from "./found.ts";
import type { Subject } from "./subject.ts";

export function askedSources({ kind, company }: Subject, free: Found, asked: Asked): Asking[] {
  const facts = [...free.facts, ...asked.found.facts];
  return sources.flatMap((name) => {
    const fields_found = [...new Set(facts.filter(({ source }) => source === name).map(({ field }) => field))];
    const isVisited = name === "website" && kind === "lead" && company.urls.length > 0;
    const silent = isVisited ? (free.away == null ? "no_match" : "unavailable") : null;
    const status = name === "peopledatalabs" ? asked.status : fields_found.length > 0 ? "match" : silent;
    const credits_used = name === "peopledatalabs" ? asked.credits : 0;
    return status === null ? [] : [{ name, status, fields_found, credits_used }];
  });
}
