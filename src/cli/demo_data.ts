// Realistic sample data: what a sales team of four has after some months of work. The same seed gives the same sample.

export interface Company {
  name: string;
  url: string;
  industry: string;
  city: string;
  country: string;
  phone: string;
  mrr: number;
  /** How far the lead has come, from 0 (new) to 3 (customer), in the statuses that an organization starts with. */
  stage: number;
  /** Days since the lead was created. */
  age: number;
  people: Person[];
  deals: Deal[];
  history: Happening[];
  todo: Todo[];
}

export interface Person {
  name: string;
  title: string;
  email: string;
}

export interface Deal {
  note: string;
  /** Minor units. */
  value: number;
  period: "one_time" | "monthly" | "annual";
  confidence: number;
  state: "active" | "won" | "lost";
}

export interface Happening {
  kind: "note" | "call" | "email" | "meeting";
  /** Days ago. */
  ago: number;
  text: string;
}

export interface Todo {
  text: string;
  kind: "lead" | "call" | "email";
  /** Days from today. Negative values are overdue. */
  due: number;
  done: boolean;
}

const firsts =
  "Ada Ben Clara David Elif Farid Grace Hugo Ines Jonas Kira Leon Maya Noah Olga Pavel Quinn Rosa Samir Tess Uma Victor Wendy Yara Zoe".split(
    " ",
  );
const lasts =
  "Abel Brandt Costa Dubois Eriksen Fischer Gupta Haas Ivanova Jansen Kaya Lopez Meyer Novak Okafor Petit Rossi Silva Tanaka Vogel Weber Young".split(
    " ",
  );
const roots =
  "North Blue Silver Maple Harbor Summit Bright Iron Cedar Clear Stone River Golden Polar Lumen Vector Delta Orbit Pioneer Quartz".split(
    " ",
  );
const trades =
  "Logistics Foods Robotics Analytics Clinics Energy Textiles Software Media Partners Instruments Homes Mobility Security Printing Optics".split(
    " ",
  );
const forms = ["Inc", "GmbH", "Ltd", "SA", "Group", "& Sons", ""];
const industries = ["Software", "Manufacturing", "Healthcare", "Retail", "Logistics", "Finance", "Education", "Energy"];
const places: [string, string, string][] = [
  ["San Francisco", "US", "+1415555"],
  ["New York", "US", "+1212555"],
  ["Berlin", "DE", "+4930555"],
  ["Hamburg", "DE", "+4940555"],
  ["London", "GB", "+44207946"],
  ["Paris", "FR", "+33155555"],
  ["Madrid", "ES", "+34915555"],
  ["Amsterdam", "NL", "+31205555"],
];
const titles = ["CEO", "Head of Sales", "Operations Manager", "CTO", "Buyer", "Finance Director", "Founder", "Office Manager"];
const offers = [
  "Team plan, 20 seats",
  "Yearly licence",
  "Pilot in two branches",
  "Migration and training",
  "Support contract",
  "Extension to all sites",
];
const words: Record<Happening["kind"], string[]> = {
  note: [
    "Met at the trade fair, interested in a pilot.",
    "Budget is decided in the next quarter.",
    "Uses a spreadsheet today and wants out.",
    "Asked for two references in the industry.",
  ],
  call: [
    "Went through the open questions.",
    "Not the right time, call again next month.",
    "Agreed to send an offer.",
    "Left a message with the assistant.",
  ],
  email: ["Our offer", "Next steps", "Your questions about data protection", "Dates for the workshop"],
  meeting: ["Demo with the whole team", "Kick-off", "Price negotiation", "Quarterly review"],
};
const todos = ["Send the offer", "Call back", "Prepare the demo", "Ask for a reference", "Check in before renewal"];

/** `count` companies with their people, deals and history. */
export function sampleCompanies(count: number, seed = 7): Company[] {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const whole = (min: number, max: number) => min + Math.floor(random() * (max - min + 1));
  const some = <T>(max: number, make: () => T): T[] => Array.from({ length: whole(0, max) }, make);

  return Array.from({ length: count }, (_, i) => {
    const trade = pick(trades);
    const name = [`${roots[i % roots.length]}${i >= roots.length ? ` ${pick(lasts)}` : ""}`, trade, pick(forms)]
      .filter(Boolean)
      .join(" ");
    const domain = `${name
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, "-")
      .replaceAll(/^-|-$/g, "")}.example`;
    const [city, country, prefix] = pick(places);
    const stage = pick([0, 0, 0, 1, 2, 2, 3]);
    const age = whole(1, 240);
    return {
      name,
      url: `https://${domain}`,
      industry: pick(industries),
      city,
      country,
      phone: `${prefix}${String(whole(1000, 9999))}`,
      mrr: stage === 3 ? whole(5, 400) * 1000 : 0,
      stage,
      age,
      people: Array.from({ length: whole(1, 3) }, () => {
        const [first, last] = [pick(firsts), pick(lasts)];
        return { name: `${first} ${last}`, title: pick(titles), email: `${first}.${last}@${domain}`.toLowerCase() };
      }),
      deals: stage === 0 ? some(1, deal) : [deal(), ...some(1, deal)],
      history: Array.from({ length: whole(1, 5) }, () => happening(age)).toSorted((a, b) => b.ago - a.ago),
      todo: some(2, () => ({
        text: pick(todos),
        kind: pick(["lead", "call", "email"] as const),
        due: whole(-5, 20),
        done: random() < 0.3,
      })),
    };
  });

  function deal(): Deal {
    return {
      note: pick(offers),
      value: whole(10, 900) * 10_000,
      period: pick(["one_time", "monthly", "annual"] as const),
      confidence: pick([10, 25, 50, 75, 90]),
      state: pick(["active", "active", "won", "lost"] as const),
    };
  }

  // Two months of activity, or less for a younger lead.
  function happening(age: number): Happening {
    const kind = pick(["note", "call", "call", "email", "meeting"] as const);
    return { kind, ago: whole(0, Math.min(60, age)), text: pick(words[kind]) };
  }
}

/** A small generator of numbers from 0 to 1 (mulberry32). A sample must be repeatable, not secret. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
