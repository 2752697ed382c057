// Summaries of a lead and its people, shown when named in `_fields`.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { computed, lookedUp, type Moment, onDemand, related } from "../../core/field.ts";
import { name, type Sql, sql, wireTime } from "../../db/sql.ts";
import { timeIn } from "../../values/time.ts";
import type { Address } from "../shared/contact_points.ts";
import { integrationLinks, recent, recentCalls } from "./overview.ts";

const shownSummary = z.object({
  object_type: z.string(),
  object_id: z.string(),
  summary: z.string(),
  date: z.iso.datetime().nullable(),
});

export const leadOverview = () => ({
  primary_email: related(
    z.looseObject({ email: z.string(), type: z.string() }).nullable(),
    firstOf("emails"),
    "The lead's first e-mail address, or else that of the first contact who has one.",
  ),
  primary_phone: related(
    z.looseObject({ phone: z.string(), type: z.string() }).nullable(),
    firstOf("phones"),
    "The lead's first phone number, or else that of the first contact who has one.",
  ),
  primary_address_summary: onDemand(
    computed(["addresses"], z.string().nullable(), addressSummary, "City, state and country of the first address."),
  ),
  contacts_summary: related(
    z.string().nullable(),
    contactsSummary,
    "The names of its first contacts: `Ann, Bob, Cy and 2 more`.",
  ),
  localtime: onDemand(
    lookedUp(
      ["addresses"],
      z.iso.datetime({ offset: true }).nullable(),
      (_directory, addresses: Address[], { now }: Moment) => localTime(addresses, now),
      "The local time there, by the first address with a known time zone: `2026-01-02T04:04:05.678+01:00`.",
    ),
  ),
  integration_links: integrationLinks(),
  recent_calls: recentCalls("lead_id"),
  summaries: related(z.array(shownSummary), summaries, "The five newest summaries of its meetings and conversations."),
});

const firstOf =
  (list: "emails" | "phones") =>
  (alias: string, ctx: Ctx): Sql => {
    const t = name(alias);
    return sql`to_json(coalesce(${t}.${name(list)}->0, (select c.${name(list)}->0 from contact c
    where c.organization_id = ${ctx.organization_id} and c.lead_id = ${t}.id and c.${name(list)} <> '[]'
    order by c.date_created, c.id limit 1)))`;
  };

function addressSummary([first]: Address[]): string | null {
  return [first?.city, first?.state, first?.country].filter((part) => part).join(", ") || null;
}

function contactsSummary(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  return sql`(select to_json(string_agg(c.display_name, ', ' order by c.place) filter (where c.place <= 3)
      || case when count(*) > 3 then ' and ' || (count(*) - 3) || ' more' else '' end)
    from (select display_name, row_number() over (order by date_created, id) as place from contact
      where organization_id = ${ctx.organization_id} and lead_id = ${t}.id) c)`;
}

function localTime(addresses: Address[], now: Date): string | null {
  const zone = addresses.flatMap((one) => one.tz_ids)[0];
  return zone === undefined ? null : timeIn(now, zone);
}

function summaries(alias: string, ctx: Ctx): Sql {
  const t = name(alias);
  const ofLead = sql`organization_id = ${ctx.organization_id} and lead_id = ${t}.id and summary is not null`;
  return sql`(select coalesce(json_agg(json_build_object('object_type', s.object_type, 'object_id', s.id, 'summary', s.summary,
      'date', ${wireTime(sql`s.at`)}) order by s.at desc nulls last, s.id), '[]')
    from (select * from (
        select 'activity.meeting' as object_type, id, summary, activity_at as at from activity where ${ofLead} and _type = 'Meeting'
        union all
        select 'conversation', id, summary, last_message_at from conversation where ${ofLead} and deleted_at is null
      ) u order by at desc nulls last, id limit ${recent}) s)`;
}
