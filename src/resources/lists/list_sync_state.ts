// The stored state of the reading of a service's lists, and what it has found so far.
import { type Ctx, transactionOf, write } from "../../core/context.ts";
import type { Member, RemoteList } from "../../services/mailing.ts";
import { emailKey } from "../../values/email.ts";

/** Where the reading is. */
export interface Place {
  /** The lists that are left, the first of which is being read. */
  lists: RemoteList[];
  /** Where the next page of lists begins; null when all are known. */
  listsFrom: number | null;
  /** Where the next page of the first list begins. */
  from: number;
}

export interface Sync {
  service: string;
  status: "waiting" | "reading" | "applying";
  /** While it applies, the last contact that was compared. */
  place: Place | { after: string } | null;
  n_members: number;
  n_unknown: number;
  tries: number;
  error: string | null;
  started_at: Date | string | null;
  completed_at: Date | string | null;
}

/** Locked until the transaction ends. */
export async function lockSync(ctx: Ctx, service: string): Promise<Sync> {
  const values = [ctx.organization_id, service];
  write(ctx, {
    name: "list_sync.make",
    text: "insert into list_sync (organization_id, service) values ($1, $2) on conflict do nothing",
    values,
  });
  const [row] = await transactionOf(ctx).read({
    name: "list_sync.lock",
    text: `select status, place, n_members, n_unknown, tries, error, started_at, completed_at from list_sync
           where organization_id = $1 and service = $2 for update`,
    values,
  });
  const [status, place, n_members, n_unknown, tries, error, started_at, completed_at] = row!;
  return {
    service,
    status: status as Sync["status"],
    place: place === null ? null : JSON.parse(place!),
    n_members: Number(n_members),
    n_unknown: Number(n_unknown),
    tries: Number(tries),
    error: error!,
    started_at: started_at!,
    completed_at: completed_at!,
  };
}

export function storeSync(ctx: Ctx, sync: Sync, changes: Partial<Sync>): Sync {
  const after = { ...sync, ...changes };
  const { service, status, place, n_members, n_unknown, tries, error, started_at, completed_at } = after;
  write(ctx, {
    name: "list_sync.store",
    text: `update list_sync set status = $3, place = $4, n_members = $5, n_unknown = $6, tries = $7, error = $8,
             started_at = $9, completed_at = $10 where organization_id = $1 and service = $2`,
    values: [
      ctx.organization_id,
      service,
      status,
      place && JSON.stringify(place),
      n_members,
      n_unknown,
      tries,
      error,
      started_at,
      completed_at,
    ],
  });
  return after;
}

/** Begins anew, with what is found from now on. */
export function beginReading(ctx: Ctx, sync: Sync): Sync {
  write(ctx, {
    name: "list_sync_profile.clear",
    text: "delete from list_sync_profile where organization_id = $1 and service = $2",
    values: [ctx.organization_id, sync.service],
  });
  const place: Place = { lists: [], listsFrom: 0, from: 0 };
  return storeSync(ctx, sync, { status: "reading", place, n_members: 0, n_unknown: 0, tries: 0, started_at: ctx.now });
}

export function endReading(ctx: Ctx, sync: Sync): void {
  storeSync(ctx, sync, { status: "waiting", place: null, completed_at: ctx.now, error: null });
  write(ctx, {
    name: "list_sync_profile.clear",
    text: "delete from list_sync_profile where organization_id = $1 and service = $2",
    values: [ctx.organization_id, sync.service],
  });
}

/** Notes the contacts with these addresses. Returns how many of the members are no contact. */
export async function noteMembers(ctx: Ctx, { service }: Sync, list: string, members: readonly Member[]): Promise<number> {
  const byKey = new Map(members.map(({ email, external_id }) => [emailKey(email), external_id]));
  const rows = await transactionOf(ctx).read({
    name: "list_sync_profile.note",
    text: `with member as (select * from json_to_recordset($3::json) m(key text, external_id text)),
             found as (select t.id, min(m.external_id) as external_id, array_agg(m.key) as keys
               from contact t join member m on m.key = any(t.email_keys)
               where t.organization_id = $1 and t.email_keys && (select array_agg(key) from member) group by t.id),
             noted as (insert into list_sync_profile (organization_id, service, contact_id, external_id, list_names)
               select $1, $2, id, external_id, array[$4] from found
               on conflict (organization_id, service, contact_id) do update set list_names =
                 case when $4 = any(list_sync_profile.list_names) then list_sync_profile.list_names
                   else list_sync_profile.list_names || $4 end)
           select count(*) from member where not exists (select from found where member.key = any(found.keys))`,
    values: [ctx.organization_id, service, JSON.stringify([...byKey].map(([key, external_id]) => ({ key, external_id }))), list],
  });
  return Number(rows[0]![0]);
}
