// The recent activity of leads and contacts, shown when named in `_fields`.
import { z } from "zod";
import { computed, onDemand, related } from "../../core/field.ts";
import { and, name, raw, sql, wireTime } from "../../db/sql.ts";
import { visibleAsLead } from "./visibility.ts";

const shownCall = z.object({
  id: z.string(),
  direction: z.string(),
  status: z.string(),
  disposition: z.string().nullable(),
  duration: z.int(),
  phone: z.string().nullable(),
  contact_id: z.string().nullable(),
  user_id: z.string().nullable(),
  activity_at: z.iso.datetime(),
});

/** How many of the newest are shown. */
export const recent = raw("5");

/** The newest calls of the records in `via`, as far as the caller sees their leads. */
export const recentCalls = (via: "lead_id" | "contact_id") =>
  related(
    z.array(shownCall),
    (alias, ctx) => {
      const t = name(alias);
      const of = [sql`c.organization_id = ${ctx.organization_id}`, sql`c.${name(via)} = ${t}.id`, sql`c._type = 'Call'`];
      return sql`(select coalesce(json_agg(json_build_object('id', c.id, 'direction', c.direction, 'status', c.status,
          'disposition', c.disposition, 'duration', c.duration, 'phone', c.phone, 'contact_id', c.contact_id, 'user_id', c.user_id,
          'activity_at', ${wireTime(sql`c.activity_at`)}) order by c.activity_at desc, c.id desc), '[]')
        from (select c.id, c.direction, c.status, c.disposition, c.duration, c.phone, c.contact_id, c.user_id, c.activity_at
          from activity c where ${and([...of, visibleAsLead(ctx, "c") ?? raw("true")])}
          order by c.activity_at desc, c.id desc limit ${recent}) c)`;
    },
    "The five newest calls.",
  );

/** Nothing links records to other software yet. */
export const integrationLinks = () =>
  onDemand(
    computed(
      [],
      z.array(z.object({ name: z.string(), url: z.string() })),
      () => [],
      "Links to the same record in other software.",
    ),
  );
