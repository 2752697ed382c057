// The companies of the demo, and what became of each in the quarter: data only. The same seed gives the same ones.
import { type Chance, chanceFrom } from "./demo_random.ts";

export interface Company {
  name: string;
  url: string;
  industry: string;
  city: string;
  country: string;
  phone: string;
  people: Person[];
  /** Who of the team looks after it. */
  owner: number;
  /** Days since it was added. */
  age: number;
  source: string;
  fate: Fate;
  deal: Deal | null;
  /** Days after it was added, in their order. */
  story: Happening[];
}

/** How it ended until now. */
export type Fate = "new" | "unfit" | "talking" | "won" | "lost";

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
  /** After how many days it began, and reached each further stage. */
  begins: number;
  stages: number[];
  /** After how many days it was won or lost. */
  ends: number | null;
}

export interface Happening {
  kind: "note" | "call" | "mail" | "meeting" | "text" | "task";
  after: number;
  words: number;
  /** For a call its outcome, for mail whether and how it was answered, for a task whether it is done. */
  result: number;
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
/** Each with the beginning of its numbers and how many digits follow. In the first, numbers are set aside for such use. */
const places: [city: string, country: string, prefix: string, digits: number][] = [
  ["San Francisco", "US", "+1415555", 4],
  ["New York", "US", "+1212555", 4],
  ["Berlin", "DE", "+4930230", 4],
  ["Hamburg", "DE", "+4940669", 4],
  ["London", "GB", "+442079460", 3],
  ["Paris", "FR", "+33199001", 3],
  ["Madrid", "ES", "+34910000", 3],
  ["Amsterdam", "NL", "+31208000", 3],
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
const sources = ["Website", "Trade fair", "Referral", "Cold list", "Partner"];
const fates: Fate[] = ["new", "new", "unfit", "talking", "talking", "talking", "won", "won", "lost"];

export const quarterDays = 90;

/** The company with this number. */
export function companyOf(number: number, seed: number, team: number): Company {
  const chance = chanceFrom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const { whole, pick } = chance;
  const root = roots[number % roots.length]!;
  const name = [root, number >= roots.length ? pick(lasts) : "", pick(trades), pick(forms)].filter(Boolean).join(" ");
  const domain = `${name
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, "-")
    .replaceAll(/^-|-$/g, "")}-${number}.example`;
  const [city, country, prefix, digits] = pick(places);
  const fate = pick(fates);
  // Wins and losses are spread over the months, and have a history before them.
  const ended = (number % 3) * 28 + whole(1, 22);
  const isOver = fate === "won" || fate === "lost";
  const age = fate === "new" ? whole(1, 30) : isOver ? Math.min(quarterDays, ended + whole(12, 30)) : whole(20, quarterDays);
  const people = Array.from({ length: whole(1, 3) }, (_, i) => personOf(chance, domain, i));
  return {
    name,
    url: `https://${domain}`,
    industry: pick(industries),
    city,
    country,
    phone: `${prefix}${String(whole(0, 10 ** digits - 1)).padStart(digits, "0")}`,
    people,
    owner: whole(0, team - 1),
    age,
    source: pick(sources),
    fate,
    deal: fate === "new" || fate === "unfit" ? null : dealOf(chance, age, isOver ? age - ended : null),
    story: storyOf(chance, age, fate),
  };
}

function personOf({ pick }: Chance, domain: string, number: number): Person {
  const [first, last] = [pick(firsts), pick(lasts)];
  return {
    name: `${first} ${last}`,
    title: pick(titles),
    email: `${first}.${last}${number === 0 ? "" : number}@${domain}`.toLowerCase(),
  };
}

function dealOf({ whole, pick, happens }: Chance, age: number, ends: number | null): Deal {
  const begins = whole(1, 5);
  const last = ends ?? age;
  const reached = ends === null ? whole(0, 3) : whole(1, 3);
  const stages = Array.from(
    { length: reached },
    (_, i) => begins + Math.max(1, Math.floor(((last - begins) * (i + 1)) / (reached + 1))),
  );
  const value = whole(10, 900) * 10_000;
  return {
    note: pick(offers),
    value,
    period: happens(0.5) ? "one_time" : pick(["monthly", "annual"] as const),
    begins,
    stages,
    ends,
  };
}

function storyOf({ whole, pick }: Chance, age: number, fate: Fate): Happening[] {
  const many = fate === "new" ? whole(1, 3) : fate === "unfit" ? whole(2, 4) : whole(4, 9);
  const kinds = ["note", "call", "call", "mail", "mail", "mail", "meeting", "text", "task"] as const;
  const story = Array.from({ length: many }, (): Happening => {
    const kind = pick(kinds);
    return { kind, after: whole(0, age), words: whole(0, 99), result: whole(0, 99) };
  });
  return story.toSorted((a, b) => a.after - b.after);
}
