// Turns a description of an ideal customer into a rubric: countries, industries, sizes, roles and signs of interest, by their words.
import type { CustomField } from "../../records/custom_fields.ts";
import { countriesIn } from "../../values/countries_in.ts";
import { escapePattern } from "../../values/escape_pattern.ts";
import { writtenNumber } from "../../values/written_number.ts";
import { rubric } from "../organization/rubric.ts";
import type { Rubric } from "./scoring.ts";

interface Part {
  key: string;
  label: string;
  type: string;
  weight: number;
  field: string;
  operator: string;
  value?: unknown;
  points?: { when: object; score: number }[];
}

/** Words for an industry, and how leads write it. The first is what the criterion is called. */
const industries: readonly (readonly string[])[] = [
  ["software", "saas", "software as a service"],
  ["e-commerce", "ecommerce", "online shop", "online store", "webshop"],
  ["retail", "shops", "stores"],
  ["finance", "fintech", "banking", "banks", "financial services"],
  ["insurance", "insurtech", "insurers"],
  ["healthcare", "health care", "medical", "hospitals", "clinics", "medtech"],
  ["pharmaceuticals", "pharma", "biotech", "life sciences"],
  ["manufacturing", "manufacturers", "industrial", "machinery"],
  ["automotive", "car dealers", "car makers"],
  ["logistics", "transport", "shipping", "freight", "supply chain"],
  ["construction", "builders", "contractors"],
  ["real estate", "property", "proptech"],
  ["education", "edtech", "universities", "schools"],
  ["hospitality", "hotels", "restaurants", "travel", "tourism"],
  ["media", "publishing", "entertainment", "gaming"],
  ["marketing", "advertising", "agencies", "agency"],
  ["consulting", "consultancies", "professional services"],
  ["legal", "law firms"],
  ["telecommunications", "telecom", "telcos"],
  ["energy", "utilities", "solar", "oil and gas"],
  ["agriculture", "farming", "agtech"],
  ["government", "public sector", "municipalities"],
  ["nonprofit", "non-profit", "ngo", "charities"],
];

const roles: readonly (readonly string[])[] = [
  ["chief", "ceo", "cto", "cfo", "cmo", "coo", "cio", "c-level", "executive"],
  ["founder", "co-founder", "owner"],
  ["vp", "vice president"],
  ["head of", "director"],
  ["manager"],
  ["engineer", "developer", "engineering"],
  ["sales", "revenue"],
  ["marketing"],
  ["procurement", "purchasing", "buyer"],
  ["human resources", "hr", "people operations"],
  ["operations"],
];

const negation =
  /(?<!\p{L})(?:not|no|never|without|except|excluding|exclude|avoid|but not|isn't|aren't|don't|doesn't)(?!\p{L})/iu;

/** `fields` are the custom fields of leads by their wire names: a size is compared with the field that the description names. */
export function rubricOfWords(description: string, fields: ReadonlyMap<string, Pick<CustomField, "name" | "type">>): Rubric {
  const clauses = description.split(/[.;\n!?]+|,(?=\s*(?:but|except|not|no|without|excluding)\b)/i).map((one) => one.trim());
  const wanted = clauses.filter((one) => !negation.test(one)).join(". ");
  const unwanted = clauses.filter((one) => negation.test(one)).join(". ");

  const criteria = criteriaOf(wanted, fields);
  return rubric.parse({
    name: "Ideal customer",
    description,
    criteria: criteria.length > 0 ? criteria : [ofItsWords(wanted || description)],
    disqualifiers: criteriaOf(unwanted, fields)
      .filter(({ type }) => type === "firmographic")
      .map(({ field, operator, value, label }) => ({ field, operator, value, reason: `Not wanted: ${label.toLowerCase()}` })),
  });
}

const idle = new Set(
  `a about all also an and any are as at based be best big business businesses by can client clients companies company customer customers
  do find firm firms for from good great group has have ideal ideally in is it its kind like look looking mainly mostly much must of
  often on only or other our own perfect person prefer preferably quite sell sells should small some such target that the their them
  they this those to too type us very want we well which who whose will with work working would you`.split(/\s+/),
);
const charactersRead = 1000;
const wordsRead = 60;

/** The words that no criterion comes from: they make no difference, and mean nothing by themselves. */
export function unusedWords(all: string, fields: ReadonlyMap<string, Pick<CustomField, "name" | "type">>): string[] {
  const description = all.slice(0, charactersRead);
  const said = (text: string) => JSON.stringify(criteriaOf(text, fields));
  const [whole, nothing] = [said(description), said("")];
  if (whole === nothing) return [];
  const words = [...new Set(description.match(/[\p{L}\p{N}][\p{L}\p{N}'’&-]*/gu) ?? [])].slice(0, wordsRead);
  return words.filter((word) => {
    if (idle.has(word.toLowerCase()) || negation.test(word) || said(word) !== nothing) return false;
    return said(description.replaceAll(word, " ")) === whole;
  });
}

function criteriaOf(text: string, fields: ReadonlyMap<string, Pick<CustomField, "name" | "type">>): Part[] {
  return [...byIndustry(text), ...byCountry(text), ...bySize(text, fields), ...byRole(text), ...byInterest(text)];
}

const anyOf = (names: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${names.map(escapePattern).join("|")})(?![\\p{L}\\p{N}])`, "iu");
const sayingIndustry = industries.map(anyOf);
const sayingRole = roles.map((names) => anyOf(names.flatMap((name) => [name, `${name}s`])));

function byIndustry(text: string): Part[] {
  const value = industries.filter((_, i) => sayingIndustry[i]!.test(text)).flat();
  if (value.length === 0) return [];
  return [
    { key: "industry", label: "Industry", type: "firmographic", weight: 30, field: "industry", operator: "contains", value },
  ];
}

function byCountry(text: string): Part[] {
  const value = countriesIn(text);
  if (value.length === 0) return [];
  return [
    { key: "country", label: "Country", type: "firmographic", weight: 20, field: "addresses.country", operator: "in", value },
  ];
}

const number = "(\\d[\\d.,']*)\\s*(k|m|thousand|million)?";
const spans: readonly (readonly [string, RegExp])[] = [
  ["between", new RegExp(`(?:between\\s+)?${number}\\s*(?:-|–|to|and)\\s*${number}`, "i")],
  ["gt", new RegExp(`(?:more than|over|above|>)\\s*${number}`, "i")],
  ["gte", new RegExp(`(?:at least|minimum(?: of)?|>=)\\s*${number}`, "i")],
  ["gte", new RegExp(`${number}\\s*\\+`, "i")],
  ["lt", new RegExp(`(?:less than|under|below|fewer than|<)\\s*${number}`, "i")],
  ["lte", new RegExp(`(?:at most|up to|maximum(?: of)?|<=)\\s*${number}`, "i")],
];

/** A number is compared with the custom field whose name stands beside it. */
function bySize(text: string, fields: ReadonlyMap<string, Pick<CustomField, "name" | "type">>): Part[] {
  return [...fields].flatMap(([field, { name, type }]) => {
    if (type !== "number" || !anyOf([name]).test(text)) return [];
    const at = text.toLowerCase().indexOf(name.toLowerCase());
    const beside = text.slice(Math.max(0, at - 60), at + name.length + 60);
    const found = spans.map(([operator, span]) => [operator, span.exec(beside)] as const).find(([, match]) => match !== null);
    if (found === undefined) return [];
    const [operator, match] = found;
    const [, low, lowUnit, high, highUnit] = match!;
    const value =
      operator === "between"
        ? [writtenNumber(low!, lowUnit ?? highUnit), writtenNumber(high!, highUnit)]
        : writtenNumber(low!, lowUnit);
    return [{ key: `size_${field.slice(-8)}`, label: name, type: "firmographic", weight: 25, field, operator, value }];
  });
}

function byRole(text: string): Part[] {
  const value = roles.filter((_, i) => sayingRole[i]!.test(text)).flat();
  if (value.length === 0) return [];
  const points = [{ when: { operator: "contains", value: ["assistant", "intern"] }, score: 25 }];
  return [
    {
      key: "role",
      label: "Role of a person",
      type: "role",
      weight: 20,
      field: "contact.title",
      operator: "contains",
      value,
      points,
    },
  ];
}

function byInterest(text: string): Part[] {
  const asked: Part[] = [];
  const behavioral = { type: "behavioral", weight: 15 };
  if (/\b(?:repl(?:y|ies|ied)|respon\w*|wrote|engaged|active|interested)\b/i.test(text))
    asked.push({
      ...behavioral,
      key: "replied",
      label: "They wrote to us",
      field: "last_incoming_email_date",
      operator: "within_last",
      value: { amount: 60, unit: "days" },
    });
  if (/\b(?:meeting|demo|met|call(?:ed)?)\b/i.test(text))
    asked.push({
      ...behavioral,
      key: "met",
      label: "A meeting, planned or held",
      field: "num_meetings",
      operator: "gte",
      value: 1,
    });
  if (/\b(?:customer|bought|buyer|won|existing)\b/i.test(text))
    asked.push({
      ...behavioral,
      key: "bought",
      label: "They bought before",
      field: "num_won_opportunities",
      operator: "gte",
      value: 1,
    });
  if (/\b(?:website|web site|online presence)\b/i.test(text))
    asked.push({
      ...behavioral,
      type: "firmographic",
      weight: 5,
      key: "website",
      label: "A website",
      field: "url",
      operator: "exists",
    });
  return asked;
}

/** What nothing else was found in: its longer words are looked for in the lead's description. */
function ofItsWords(text: string): Part {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [text.slice(0, 100)])].slice(0, 20);
  return {
    key: "words",
    label: "Words of the description",
    type: "firmographic",
    weight: 100,
    field: "description",
    operator: "contains",
    value: words,
  };
}
