// Says of contacts which lists of a service they are on, where the last reading found others than they say.
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { store } from "../../records/store.ts";
import { same } from "../../values/same.ts";
import { contact } from "../contacts/contact.ts";
import type { Sync } from "./list_sync_state.ts";

/** On a contact: what a service knows of the person. */
type Profile = {
  source: string;
  external_id: string;
  list_names: string[];
  /** When its lists were found to be others than before. */
  synced_at: string;
};

/** The most contacts of one transaction. */
const most = 200;

/** Compares the next contacts that are on a list, or say so. Returns the last one, or null at the end. */
export async function applyNext(ctx: Ctx, { service, place }: Sync): Promise<string | null> {
  const { after } = place as { after: string };
  const rows = await query(
    ctx,
    statement(sql`select t.id, p.external_id, array_to_json(p.list_names) from contact t
      left join list_sync_profile p on p.organization_id = ${ctx.organization_id} and p.service = ${service} and p.contact_id = t.id
      where t.organization_id = ${ctx.organization_id} and t.id > ${after}
        and (p.contact_id is not null or t.external_profiles @> ${JSON.stringify([{ source: service }])}::jsonb)
      order by t.id limit ${most}`),
  );
  const found = new Map(
    rows.map(([id, external_id, names]) => [id!, { external_id, names: names && (JSON.parse(names) as string[]) }]),
  );
  for (const person of await lockToChange(ctx, contact, sql`t.id = any(${[...found.keys()]})`)) {
    const { external_id, names } = found.get(person.id)!;
    const profiles = person.external_profiles as unknown as Profile[];
    const present = profiles.find(({ source }) => source === service);
    const is = names ? { source: service, external_id: external_id!, list_names: names.toSorted() } : null;
    if (isSame(present, is)) continue;
    const others = profiles.filter(({ source }) => source !== service);
    const external_profiles = is === null ? others : [...others, { ...is, synced_at: ctx.now.toISOString() }];
    store.update(ctx, contact, person, { external_profiles });
  }
  return rows.length < most ? null : rows.at(-1)![0]!;
}

const isSame = (one: Profile | undefined, other: Omit<Profile, "synced_at"> | null): boolean =>
  one === undefined || other === null
    ? one === undefined && other === null
    : one.external_id === other.external_id && same(one.list_names.toSorted(), other.list_names);
