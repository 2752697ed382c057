// A dialer: a list of leads that members call one after the other.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { boolean, choice, computed, input, integer, json, naming, number, ref, related, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { skipRules, usualRules } from "./skip_rules.ts";
import { dialerIsVisible } from "./visibility.ts";

const count = integer({ readOnly: true, default: 0 });
const shownUser = z.strictObject({ user_id: z.string(), is_active: z.boolean(), state: z.string() });

const shownStats = z.strictObject({ by_disposition: z.record(z.string(), z.int()) });

/** The leads were read when it was created, so it continues without the list. */
const ofList = { onDelete: "clear", onMove: "clear" } as const;

export const dialer = resource({
  name: "dialer",
  prefix: "dial",
  doc: "A dialer: leads to be called one after the other, each once.",
  visible: dialerIsVisible,
  sort: { name: true },
  narrows: "create",
  fields: {
    name: text(),
    type: choice(["power", "predictive"], {
      createOnly: true,
      default: "power",
      doc: "`power` returns leads one at a time. `predictive` has people called ahead, and connects those who answer to members who asked for the next lead and are online.",
    }),
    pacing: number({
      min: 1,
      max: 3,
      default: 1.5,
      doc: "How many people are called for each member who waits, in a predictive dialer.",
    }),
    effective_type: choice(["power", "predictive"], {
      readOnly: true,
      default: "power",
      doc: "How it works now: a predictive dialer may have to work like `power`.",
    }),
    status_details: text({ readOnly: true, doc: "Why a predictive dialer works like `power`, or soon may." }),
    status: choice(["active", "paused", "done"], {
      default: "active",
      doc: "Only an active dialer returns leads; `done` is final.",
    }),
    action: input(z.enum(["pause", "resume", "done"]), { doc: "Instead of a status: the action to take." }),
    source_type: choice(["lead-list", "contact-list", "query", "leads", "sequence-calls"], {
      filled: true,
      createOnly: true,
      doc: "The source of its leads; it follows from the other values. `sequence-calls` are the call steps of sequences that are due for its member, also those that become due while it runs.",
    }),
    source_value: text({
      createOnly: true,
      max: 8192,
      doc: "The id of a list, or a text query; all leads where nothing is given.",
    }),
    query: json(z.record(z.string(), z.unknown()), {
      createOnly: true,
      doc: "Instead of a text query: a node for leads, as `POST /data/search/` takes it.",
    }),
    lead_ids: input(z.array(z.string()).max(10_000), {
      createOnly: true,
      shown: related(z.array(z.string()).nullable(), leadIds, "", { unnamed: givenLeadIds }),
      doc: "The leads, in the order in which they are called. With another `source_type` they are ignored in bodies, and shown on request.",
    }),
    lead_list_id: ref("lead_list", ofList, { createOnly: true, doc: "The list of the leads." }),
    contact_list_id: ref("contact_list", ofList, {
      createOnly: true,
      doc: "The list of the contacts to be called, each lead once.",
    }),
    sequence_id: ref("sequence", ofList, {
      createOnly: true,
      doc: "For `sequence-calls`: only those of this sequence; by default of all.",
    }),
    user_id: ref(
      "user",
      { onDelete: "keep", onMove: "clear" },
      {
        filled: true,
        createOnly: true,
        doc: "The member who calls; by default the caller. Only an admin may set another member.",
      },
    ),
    user_ids: texts({ readOnly: true, hidden: true, default: [] as string[], names: naming("user") }),
    users: computed(["user_ids", "status"], z.array(shownUser), usersOf, "All members who have taken leads from it."),
    caller_id: ref(
      "phone_number",
      { onDelete: "clear", onMove: "clear" },
      { doc: "The number for its calls; by default the member's default number." },
    ),
    caller_id_mode: choice(["fixed", "local_presence"], {
      default: "fixed",
      doc: "`local_presence` calls from the number nearest to whoever is called, of those that the member may use: of the same area code, else of the same state, else of the same country. Without one it is `caller_id`.",
    }),
    phone_number_id: input(z.string().max(64).nullable(), {
      shown: computed(["caller_id"], z.string().nullable(), (id: string | null) => id),
      doc: "The same as `caller_id`.",
    }),
    voicemail_drop_file_id: ref(
      "file",
      { onDelete: "clear", onMove: "clear" },
      { doc: "A recording that is played where a mailbox answers. The call is over for the member at that moment." },
    ),
    is_user_dependent: boolean({ readOnly: true, default: false, doc: "Only for clients that expect it: always false here." }),
    ring_mode: text({ readOnly: true, doc: "Only for clients that expect it: always empty here." }),
    music_preference: text({ readOnly: true, doc: "Only for clients that expect it: always empty here." }),
    skip_rules: json(skipRules, {
      default: usualRules,
      doc: "Which leads are not called, and which not yet. What is left out has its default.",
    }),
    stats: related(shownStats, statsOf, "Its calls, counted by how they ended.", { always: true }),
    position: { ...count, doc: "The place of the last lead it returned." },
    n_leads: { ...count, doc: "The number of its leads." },
    n_called: { ...count, doc: "The number of leads that were called." },
    n_skipped: { ...count, doc: "The number of leads that were skipped." },
    current_lead_id: text({ readOnly: true, doc: "The lead it returned last." }),
    last_lead_id: text({ readOnly: true, doc: "The one before that." }),
  },
});

function usersOf(user_ids: string[], state: string): z.output<typeof shownUser>[] {
  return user_ids.map((user_id) => ({ user_id, is_active: state === "active", state }));
}

function statsOf(alias: string, ctx: Ctx) {
  return sql`(select json_build_object('by_disposition', coalesce(json_object_agg(s.disposition, s.n order by s.disposition), '{}'))
    from (select a.disposition, count(*) as n from activity a
      where a.organization_id = ${ctx.organization_id} and a.dialer_id = ${name(alias)}.id and a.disposition is not null group by 1) s)`;
}

function leadIds(alias: string, ctx: Ctx) {
  const t = name(alias);
  return sql`(select coalesce(json_agg(e.lead_id order by e.position), '[]') from dialer_lead e
    where e.organization_id = ${ctx.organization_id} and e.dialer_id = ${t}.id)`;
}

/** The leads that were given one by one, so that sending them back creates a dialer with the same leads. */
function givenLeadIds(alias: string, ctx: Ctx) {
  return sql`case when ${name(alias)}.source_type = 'leads' then ${leadIds(alias, ctx)} end`;
}
