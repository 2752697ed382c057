// Says of contacts which lists of a service they are on, where the last reading found others than they say.
import { type Ctx, query } from "../../core/context.ts";
import { sql, statement } from "../../db/sql.ts";
import { lockToChange } from "../../records/references.ts";
import { contact } from "../contacts/contact.ts";
import { setProfile } from "../contacts/external_profiles.ts";
import type { Sync } from "./list_sync_state.ts";

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
    rows.map(([id, external_id, names]) => [
      id!,
      names ? { external_id: external_id!, list_names: JSON.parse(names) as string[] } : null,
    ]),
  );
  for (const person of await lockToChange(ctx, contact, sql`t.id = any(${[...found.keys()]})`))
    setProfile(ctx, person, service, found.get(person.id)!);
  return rows.length < most ? null : rows.at(-1)![0]!;
}
