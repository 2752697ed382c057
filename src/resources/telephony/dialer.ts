// A dialer: a list of leads that members call one after the other.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import { boolean, choice, computed, input, integer, json, naming, ref, related, text, texts } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";
import { dialerIsVisible } from "./visibility.ts";

const count = integer({ readOnly: true, default: 0 });
const shownUser = z.strictObject({ user_id: z.string(), is_active: z.boolean(), state: z.string() });

/** The leads were read when it was made: it goes on without the list. */
const ofList = { onDelete: "clear", onMove: "clear" } as const;

export const dialer = resource({
  name: "dialer",
  prefix: "dial",
  doc: "Leads to be called one after the other, each once.",
  visible: dialerIsVisible,
  sort: { name: true },
  narrows: true,
  fields: {
    name: text(),
    type: choice(["power", "predictive"], {
      createOnly: true,
      default: "power",
      doc: "`predictive` is kept, and works as `power` does: leads are handed out one at a time, and nobody is dialled ahead.",
    }),
    status: choice(["active", "paused", "done"], {
      default: "active",
      doc: "Only an active one hands out leads; `done` is the end.",
    }),
    action: input(z.enum(["pause", "resume", "done"]), { doc: "In place of a status: what is to be done." }),
    source_type: choice(["lead-list", "contact-list", "query", "leads"], {
      filled: true,
      createOnly: true,
      doc: "Where its leads come from; follows from what is given.",
    }),
    source_value: text({
      createOnly: true,
      max: 8192,
      doc: "The id of a list, or a text query; all leads where nothing is given.",
    }),
    query: json(z.record(z.string(), z.unknown()), {
      createOnly: true,
      doc: "In place of a text query: a node as `POST /data/search/` takes them, about leads.",
    }),
    lead_ids: input(z.array(z.string()).max(10_000), {
      createOnly: true,
      shown: related(z.array(z.string()).nullable(), leadIds, "", { unnamed: givenLeadIds }),
      doc: "The leads themselves, in the order they are to be called. Beside another `source_type` they mean nothing: reads show them when asked to.",
    }),
    lead_list_id: ref("lead_list", ofList, { createOnly: true, doc: "The list the leads are on." }),
    contact_list_id: ref("contact_list", ofList, {
      createOnly: true,
      doc: "The list of the people to be called, each lead once.",
    }),
    user_id: ref(
      "user",
      { onDelete: "keep", onMove: "clear" },
      { filled: true, createOnly: true, doc: "Who calls; the caller, unless an admin says otherwise." },
    ),
    user_ids: texts({ readOnly: true, hidden: true, default: [] as string[], names: naming("user") }),
    users: computed(["user_ids", "status"], z.array(shownUser), usersOf, "Everyone who has taken leads from it."),
    caller_id: ref(
      "phone_number",
      { onDelete: "clear", onMove: "clear" },
      { doc: "The phone number that calls are made from; by default the one that the member usually calls from." },
    ),
    phone_number_id: input(z.string().max(64).nullable(), {
      shown: computed(["caller_id"], z.string().nullable(), (id: string | null) => id),
      doc: "The same as `caller_id`.",
    }),
    is_user_dependent: boolean({ readOnly: true, default: false }),
    ring_mode: text({ readOnly: true }),
    music_preference: text({ readOnly: true }),
    position: { ...count, doc: "How many of its leads it has passed." },
    n_leads: { ...count, doc: "How many leads it had when it was made." },
    n_called: { ...count, doc: "How many it handed out to be called." },
    n_skipped: { ...count, doc: "How many nobody could call, or wanted to." },
    current_lead_id: text({ readOnly: true, doc: "The lead it handed out last." }),
    last_lead_id: text({ readOnly: true, doc: "The one before that." }),
  },
});

function usersOf(user_ids: string[], state: string): z.output<typeof shownUser>[] {
  return user_ids.map((user_id) => ({ user_id, is_active: state === "active", state }));
}

function leadIds(alias: string, ctx: Ctx) {
  const t = name(alias);
  return sql`(select coalesce(json_agg(e.lead_id order by e.position), '[]') from dialer_lead e
    where e.organization_id = ${ctx.organization_id} and e.dialer_id = ${t}.id)`;
}

/** Those that it was given one by one: whoever sends them again gets a dialer of the same leads. */
function givenLeadIds(alias: string, ctx: Ctx) {
  return sql`case when ${name(alias)}.source_type = 'leads' then ${leadIds(alias, ctx)} end`;
}
