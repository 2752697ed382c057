// The team of the demo and what it has set up: six people, statuses, outcomes, products, templates, goals.
import type { App } from "../app.ts";
import { actorOfMember } from "../auth/unscoped_work.ts";
import type { Actor } from "../core/context.ts";
import { leadStatus } from "../resources/leads/lead_status.ts";
import { opportunityStatus } from "../resources/opportunities/opportunity_status.ts";
import type { Place } from "./demo_company.ts";
import { quarterDays } from "./demo_data.ts";
import { type Moment, operate } from "./demo_scribe.ts";
import { callOutcomes, mails, meetingOutcomes } from "./demo_words.ts";
import { addMembers } from "./organization_create.ts";

const people = ["Mia Berg", "Tom Okafor", "Lena Costa", "Raj Gupta", "Eva Novak"];
const domain = "harbor-furniture.example";
const dayMs = 86_400_000;

/** The founder and five more, who came before the quarter began. They cannot sign in: their addresses are made up. */
export async function hireTeam(app: App, founder: Actor, now: Date): Promise<Actor[]> {
  const { organization_id } = founder;
  const came = new Date(now.getTime() - (quarterDays + 30) * dayMs);
  const hired = people.map((person) => {
    const [first_name, last_name] = person.split(" ") as [string, string];
    return { first_name, last_name, email: `${first_name.toLowerCase()}.${organization_id.slice(-8)}@${domain}` };
  });
  const ids = await addMembers(app, organization_id, hired, came);
  const team = await Promise.all(ids.map((id) => actorOfMember(app.db, organization_id, id)));
  return [founder, ...team.filter((one) => one !== null)];
}

/** What an admin sets up, and what the team keeps at hand. */
export async function setUp(app: App, team: readonly Actor[], now: Date): Promise<Place> {
  const [founder] = team;
  const when: Moment = { by: founder!, at: new Date(now.getTime() - (quarterDays + 20) * dayMs) };
  const make = (name: string, body: object, params?: Record<string, string>) => operate(app, when, name, body, params);
  const { organization_id } = founder!;

  const organization = await make("organization.update", settings, { id: organization_id });
  const stages = [];
  for (const [i, label] of ["Demo", "Proposal", "Negotiation"].entries())
    stages.push((await make("opportunity_status.create", { label, type: "active", position: i + 1 })).id);
  const goals = [now, new Date(now.getTime() - 31 * dayMs), new Date(now.getTime() - 62 * dayMs)].map((day) =>
    day.toISOString().slice(0, 7),
  );
  for (const period of new Set(goals)) {
    await make("goal.create", { period, target: 90_000_000 });
    for (const { user_id } of team) await make("goal.create", { period, user_id, target: 15_000_000 });
  }
  for (const [name, price, period] of products)
    await make("product.create", {
      name,
      unit_price: price,
      billing_period: period,
      code: name.slice(0, 3).toUpperCase(),
      tax_percent: 19,
    });
  for (const [subject, body] of mails)
    await make("email_template.create", {
      name: subject,
      subject,
      body: `Hello {{ contact.first_name }},\n\n${body}`,
      is_shared: true,
    });
  await make("sms_template.create", {
    name: "Running late",
    text: "Hello {{ contact.first_name }}, I am five minutes late.",
    is_shared: true,
  });
  await make("group.create", { name: "Sales team", user_ids: team.map(({ user_id }) => user_id) });
  await make("custom_field.create", { name: "Number of desks", type: "number" }, { object_type: "lead" });

  const directory = await app.core.directories.of(organization_id);
  const status = (label: string) => directory.list(leadStatus).find((one) => one.label === label)!.id;
  const end = (type: string) => directory.list(opportunityStatus).find((one) => one.type === type)!.id;
  const qualified = status("Qualified");
  return {
    team,
    now,
    leadStatuses: {
      new: status("Potential"),
      unfit: status("Bad Fit"),
      talking: qualified,
      won: status("Customer"),
      lost: qualified,
    },
    stages: [end("active"), ...stages],
    won: end("won"),
    lost: end("lost"),
    outcomes: { calls: idsOf(organization.settings.call_outcomes), meetings: idsOf(organization.settings.meeting_outcomes) },
  };
}

const idsOf = (outcomes: { id: string }[]): string[] => outcomes.map(({ id }) => id);

const settings = {
  settings: {
    call_outcomes: callOutcomes.map((name) => ({ name })),
    meeting_outcomes: meetingOutcomes.map((name) => ({ name })),
    branding: { name: "Harbor Furniture GmbH", address: "Lange Straße 12\n20457 Hamburg, Germany" },
  },
};

const products: [name: string, price: number, period: string][] = [
  ["Office chair Nordic", 24_900, "one_time"],
  ["Standing desk 180", 89_900, "one_time"],
  ["Acoustic panel", 12_900, "one_time"],
  ["Care plan", 2_900, "monthly"],
  ["Yearly inspection", 49_900, "annual"],
];
