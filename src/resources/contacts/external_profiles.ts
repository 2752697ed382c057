// What mailing platforms know of a contact: one profile for each of them, with the lists that the person is on there.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { contact } from "./contact.ts";

/** What a platform says of somebody. */
export interface Found {
  external_id: string;
  list_names: readonly string[];
}

type Profile = {
  source: string;
  external_id: string;
  list_names: string[];
  /** When its lists were found to be others than before. */
  synced_at: string;
};

/** Sets or, with null, removes the profile of a source. A profile that is as before is not written. The contact is locked. */
export function setProfile(ctx: Ctx, person: Row<typeof contact>, source: string, found: Found | null): void {
  const profiles = person.external_profiles as unknown as Profile[];
  const present = profiles.find((one) => one.source === source);
  const list_names = found?.list_names.toSorted() ?? [];
  if (found === null && present === undefined) return;
  const isSame = found?.external_id === present?.external_id && same(present?.list_names.toSorted(), list_names);
  if (isSame) return;
  const others = profiles.filter((one) => one.source !== source);
  const own = found === null ? [] : [{ source, external_id: found.external_id, list_names, synced_at: ctx.now.toISOString() }];
  store.update(ctx, contact, person, { external_profiles: [...others, ...own] });
}
