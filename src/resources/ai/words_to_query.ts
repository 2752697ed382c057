// Turns words into a search, by the words that people use: "my open deals over 10k closing this month", "leads in Germany without calls".
import type { Ctx } from "../../core/context.ts";
import { customFieldsOf } from "../../records/custom_fields.ts";
import { spanOf } from "../../search/moments.ts";
import { countriesIn } from "../../values/countries_in.ts";
import { escapePattern } from "../../values/escape_pattern.ts";
import { currencyDigits } from "../../values/money.ts";
import { writtenNumber } from "../../values/written_number.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import { organizationOf, user } from "../organization/organization.ts";

type Node = Record<string, unknown>;

/** What is left to read, and what was understood so far. */
interface Reading {
  ctx: Ctx;
  type: string;
  rest: string;
  nodes: Node[];
  /** Each part in words. */
  said: string[];
}

export interface Understood {
  object_type: string;
  /** A query as `POST /data/search/` takes it. */
  query: Node;
  explanation: string;
}

export function queryOfWords(ctx: Ctx, words: string, object_type: string | undefined): Understood {
  const reading: Reading = {
    ctx,
    type: object_type ?? "lead",
    rest: ` ${words.replace(/(?:[\s;?!]|,(?!\d))+/g, " ")} `,
    nodes: [],
    said: [],
  };
  if (object_type === undefined) readType(reading);
  for (const read of [
    readOwner,
    readMissing,
    readSilence,
    readDeals,
    readTasks,
    readStatus,
    readTags,
    readAmount,
    readTime,
    readPlace,
  ])
    read(reading);
  readRest(reading);
  const { type, nodes, said } = reading;
  return {
    object_type: type,
    query: { type: "and", queries: [{ type: "object_type", object_type: type }, ...nodes] },
    explanation: `Finds records of the kind ${type}${said.length === 0 ? ", the newest first" : ` ${said.join(", and ")}`}.`,
  };
}

// --- small parts ---

const fieldNode = (field_name: string, condition: Node, negate = false): Node => ({
  type: "field_condition",
  field: { type: "regular_field", field_name },
  condition,
  negate,
});
const related = (related_object_type: string, queries: readonly Node[], negate = false): Node => ({
  type: "has_related",
  related_object_type,
  related_query: queries.length === 1 ? queries[0] : queries.length === 0 ? { type: "match_all" } : { type: "and", queries },
  negate,
});
const oneOf = (object_ids: readonly string[]): Node => ({ type: "reference", object_ids });

function understood(reading: Reading, node: Node, words: string): void {
  reading.nodes.push(node);
  reading.said.push(words);
}

/** The first match, which is taken out of what is left to read. */
function take(reading: Reading, pattern: RegExp): RegExpExecArray | null {
  const match = pattern.exec(reading.rest);
  if (match !== null) reading.rest = `${reading.rest.slice(0, match.index)} ${reading.rest.slice(match.index + match[0].length)}`;
  return match;
}

// --- what kind of record ---

const types: readonly (readonly [string, RegExp])[] = [
  ["opportunity", /\b(?:deals?|opportunit(?:y|ies))\b/i],
  ["task", /\b(?:tasks?|to-?dos?)\b/i],
  ["contact", /\b(?:contacts?|people|persons?)\b/i],
  ["lead", /\b(?:leads?|compan(?:y|ies)|accounts?|customers?|prospects?)\b/i],
  ["activity.call", /\bcalls\b/i],
  ["activity.email", /\b(?:e-?mails|mails)\b/i],
  ["activity.note", /\bnotes\b/i],
  ["activity.meeting", /\bmeetings\b/i],
  ["activity.sms", /\b(?:texts|sms)\b/i],
];

/** The kind that is named first; others are what it has or lacks. */
function readType(reading: Reading): void {
  const found = types
    .map(([type, pattern]) => ({ type, pattern, at: reading.rest.search(pattern) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  if (found === undefined) return;
  reading.type = found.type;
  take(reading, found.pattern);
}

const ownerFields: ReadonlyMap<string, string> = new Map([
  ["lead", "owner_id"],
  ["task", "assigned_to"],
]);
const ownerField = (type: string): string | null => ownerFields.get(type) ?? (type === "contact" ? null : "user_id");

function readOwner(reading: Reading): void {
  const field = ownerField(reading.type);
  if (field === null) return;
  if (take(reading, /\b(?:my|mine|(?:owned by|assigned to|of) me|i own)\b/i))
    understood(reading, fieldNode(field, { type: "current_user" }), "that are yours");
  else if (take(reading, /\b(?:unassigned|without an? owner|with no owner|nobody owns)\b/i))
    understood(reading, fieldNode(field, { type: "exists" }, true), "that nobody owns");
  else
    for (const member of reading.ctx.directory.list(user)) {
      const names = [member.name, member.first_name, member.email].filter((one): one is string => !!one).map(escapePattern);
      if (
        names.length > 0 &&
        take(reading, new RegExp(`\\b(?:owned by|assigned to|by|of) (?:${names.join("|")})(?![\\p{L}\\p{N}])`, "iu"))
      )
        return understood(reading, fieldNode(field, oneOf([member.id])), `of ${member.name}`);
    }
}

// --- what is there or not ---

const has = "(without|with no|with|having|that have|who have|lacking|missing|no)";
const things: readonly (readonly [string, RegExp])[] = [
  ["activity.call", /calls?\b/],
  ["activity.meeting", /meetings?\b/],
  ["activity.note", /notes?\b/],
  ["task", /tasks?\b/],
  ["contact", /(?:contacts?|people)\b/],
];

function readMissing(reading: Reading): void {
  const { type } = reading;
  for (const [thing, word] of type === "lead" ? things : []) {
    const match = take(reading, new RegExp(`\\b${has} (?:any |an? |open )?${word.source}`, "i"));
    if (match === null) continue;
    const lacks = isLacking(match[1]!);
    understood(reading, related(thing, [], lacks), `${lacks ? "without" : "with"} any ${thing}`);
  }
  for (const [word, list] of [
    ["e-?mail(?: address(?:es)?)?", "email"],
    ["phone(?: numbers?)?", "phone"],
  ] as const) {
    const match =
      type === "lead" || type === "contact" ? take(reading, new RegExp(`\\b${has} (?:any |an? )?${word}\\b`, "i")) : null;
    if (match === null) continue;
    const lacks = isLacking(match[1]!);
    const node =
      type === "contact"
        ? related(`contact_${list}`, [], lacks)
        : fieldNode(list === "email" ? "num_email_addresses" : "num_phone_numbers", { type: "number_range", gt: 0 }, lacks);
    understood(reading, node, `${lacks ? "without" : "with"} ${list === "email" ? "an e-mail address" : "a phone number"}`);
  }
}

const isLacking = (word: string): boolean => /without|no|lacking|missing/i.test(word);

/** Leads that nobody was in touch with for some time. */
function readSilence(reading: Reading): void {
  if (reading.type !== "lead") return;
  const never = take(reading, /\b(?:never (?:been )?contacted|not (?:yet )?contacted yet|not yet contacted|uncontacted)\b/i);
  if (never)
    return understood(reading, fieldNode("last_communication_date", { type: "exists" }, true), "that were never contacted");
  const match = take(
    reading,
    /\b(?:(?:that |who |which )?(?:were |have |has |was )?(?:not|n't|never)(?: been)? (?:contacted|touched|talked to|heard from)|haven't heard from|no (?:contact|activity|communication)|untouched|silent|stale)(?: us)? (?:in|for|since|within)(?: the)?(?: last| past)? (\d+) (day|week|month)s?\b/i,
  );
  if (match === null) return;
  const span = spanOf(`last ${match[1]} ${match[2]}s`);
  if (span === null) return;
  const condition = { type: "moment_range", on_or_after: span.start };
  understood(
    reading,
    fieldNode("last_communication_date", condition, true),
    `without any communication for ${match[1]} ${match[2]}s`,
  );
}

// --- states ---

const dealTypes = "(open|active|won|lost)";

function readDeals(reading: Reading): void {
  const { ctx, type } = reading;
  const statuses = (word: string) => {
    const wanted = word.toLowerCase() === "open" ? "active" : word.toLowerCase();
    return fieldNode(
      "status_id",
      oneOf(
        ctx.directory
          .list(opportunityStatus)
          .filter((one) => one.type === wanted)
          .map(({ id }) => id),
      ),
    );
  };
  if (type === "opportunity") {
    const match = take(reading, new RegExp(`\\b${dealTypes}\\b`, "i"));
    if (match) understood(reading, statuses(match[1]!), `that are ${match[1]!.toLowerCase()}`);
  } else if (type === "lead") {
    const match = take(reading, new RegExp(`\\b${has} (?:any |an? )?(?:${dealTypes} )?(?:deals?|opportunit(?:y|ies))\\b`, "i"));
    if (match === null) return;
    const lacks = isLacking(match[1]!);
    understood(
      reading,
      related("opportunity", match[2] ? [statuses(match[2])] : [], lacks),
      `${lacks ? "without" : "with"} ${match[2]?.toLowerCase() ?? "any"} deals`,
    );
  }
}

function readTasks(reading: Reading): void {
  if (reading.type !== "task") return;
  const done = (value: boolean) => fieldNode("is_complete", { type: "boolean", value });
  if (take(reading, /\boverdue\b/i)) {
    understood(reading, done(false), "that are not done");
    understood(
      reading,
      fieldNode("date", { type: "moment_range", before: spanOf("today")!.start }),
      "that were due before today",
    );
  } else if (take(reading, /\b(?:open|incomplete|unfinished|undone|not done|to do)\b/i))
    understood(reading, done(false), "that are not done");
  else if (take(reading, /\b(?:done|completed?|finished)\b/i)) understood(reading, done(true), "that are done");
}

function readStatus(reading: Reading): void {
  const { ctx, type } = reading;
  const of = type === "lead" ? leadStatus : type === "opportunity" ? opportunityStatus : null;
  if (of === null) return;
  const all = ctx.directory.list(of) as readonly { id: string; label: string }[];
  for (const { label } of all.toSorted((a, b) => b.label.length - a.label.length)) {
    const word = escapePattern(label);
    if (
      take(
        reading,
        new RegExp(`(?<![\\p{L}\\p{N}])(?:(?:in |with )?(?:the )?status )?"?${word}"?(?: status)?(?![\\p{L}\\p{N}])`, "iu"),
      ) === null
    )
      continue;
    const ids = all.filter((one) => one.label === label).map(({ id }) => id);
    return understood(reading, fieldNode("status_id", oneOf(ids)), `with the status ${label}`);
  }
}

function readTags(reading: Reading): void {
  const match = take(reading, /\b(?:tagged(?: with| as)?|with (?:the )?tag) (?:"([^"]+)"|(\S+))/i);
  const value = match?.[1] ?? match?.[2];
  if (value && (reading.type === "lead" || reading.type === "contact"))
    understood(reading, { type: "tag", value }, `with the tag ${value}`);
}

// --- amounts ---

const bounds: ReadonlyMap<string, string> = new Map([
  ["more than", "gt"],
  ["over", "gt"],
  ["above", "gt"],
  [">", "gt"],
  ["at least", "gte"],
  ["less than", "lt"],
  ["under", "lt"],
  ["below", "lt"],
  ["<", "lt"],
  ["at most", "lte"],
  ["up to", "lte"],
]);

/** A number before the name of a custom field is that field's. Others are the value of deals, or a lead's monthly revenue. */
function readAmount(reading: Reading): void {
  const match = take(
    reading,
    /(?:\bworth |\bvalued(?: at)? |\bwith )?(?:(mrr|value|revenue) )?(?:is )?(more than|over|above|at least|less than|under|below|at most|up to|[<>]) ?[$€£]? ?(\d[\d.,]*) ?(k|m|thousand|million)?\b ?[$€£]?/i,
  );
  if (match === null) return;
  const [, named, word, digits, unit] = match;
  const amount = writtenNumber(digits!, unit);
  const bound = bounds.get(word!.toLowerCase())!;
  const range = (value: number) => ({ type: "number_range", [bound]: value });
  const { ctx, type } = reading;
  const own = customFieldsOf(ctx.directory, type);
  const following = reading.rest.slice(match.index).trim().toLowerCase();
  const custom = [...own.values()].find((one) => one.type === "number" && following.startsWith(one.name.toLowerCase()));
  const says = `${word} ${digits}${unit ?? ""}`;
  if (custom !== undefined) {
    const at = reading.rest.toLowerCase().indexOf(custom.name.toLowerCase(), match.index);
    reading.rest = reading.rest.slice(0, at) + reading.rest.slice(at + custom.name.length);
    const field = { type: "custom_field", custom_field_id: custom.id };
    return understood(reading, { type: "field_condition", field, condition: range(amount) }, `with ${says} ${custom.name}`);
  }
  const minor = Math.round(amount * 10 ** currencyDigits(organizationOf(ctx.directory).currency));
  const isRevenue = type === "lead" && (/mrr|revenue/i.test(named ?? "") || take(reading, /\bmrr\b/i) !== null);
  if (isRevenue) understood(reading, fieldNode("mrr", range(minor)), `with a monthly revenue of ${says}`);
  else if (type === "opportunity") understood(reading, fieldNode("value", range(minor)), `with a value of ${says}`);
  else if (type === "lead")
    understood(reading, related("opportunity", [fieldNode("value", range(minor))]), `with a deal of ${says}`);
  else reading.rest += ` ${match[0]}`;
}

// --- times ---

const span =
  "(today|yesterday|tomorrow|(?:this|last|next) (?:week|month|quarter|year)|(?:the )?(?:last|past|next) \\d+ (?:hours?|days?|weeks?|months?|years?)|\\d{4}-\\d{2}-\\d{2}|\\d{4}-\\d{2})";
const verbs: readonly (readonly [RegExp, (type: string) => string | null])[] = [
  [/\b(?:created|added|new)\b/i, () => "date_created"],
  [/\b(?:updated|changed|modified)\b/i, () => "date_updated"],
  [/\b(?:contacted|touched)\b/i, (type) => (type === "lead" ? "last_communication_date" : null)],
  [/\bcalled\b/i, (type) => (type === "lead" ? "last_call_date" : null)],
  [/\be-?mailed\b/i, (type) => (type === "lead" ? "last_email_date" : null)],
  [/\b(?:closing|closes?|expected)\b/i, (type) => (type === "opportunity" ? "expected_close_date" : null)],
  [/\bdue\b/i, (type) => (type === "task" ? "date" : null)],
];
const usualField = (type: string): string =>
  type === "task" ? "date" : type.startsWith("activity.") ? "activity_at" : "date_created";

function readTime(reading: Reading): void {
  const match = take(
    reading,
    new RegExp(`\\b(?:(since|before|after|until) |in |on |within |during |from )?(?:the )?${span}\\b`, "i"),
  );
  if (match === null) return;
  const words = match[2]!.toLowerCase().replace(/^the /, "").replace("past", "last");
  const found = spanOf(words);
  if (found === null) return;
  const verb = verbs.find(([pattern]) => pattern.test(reading.rest));
  const field = verb?.[1](reading.type) ?? usualField(reading.type);
  if (verb !== undefined) take(reading, verb[0]);
  const how = match[1]?.toLowerCase();
  const condition = {
    type: "moment_range",
    ...(how === "before" || how === "until"
      ? { before: found.start }
      : how === "since"
        ? { on_or_after: found.start }
        : how === "after"
          ? { on_or_after: found.end }
          : { on_or_after: found.start, before: found.end }),
  };
  understood(reading, fieldNode(field, condition), `whose ${field} is ${how ?? "in"} ${words}`);
}

// --- places and the rest ---

function readPlace(reading: Reading): void {
  if (reading.type !== "lead" && reading.type !== "contact") return;
  const match =
    /\b(?:based in|located in|in|from) ((?:the )?\p{Lu}[\p{L}'’.-]*(?: (?:and |or |of )?(?:the )?\p{Lu}[\p{L}'’.-]*)*)/u.exec(
      reading.rest,
    );
  if (match === null) return;
  reading.rest = reading.rest.replace(match[0], " ");
  const codes = countriesIn(match[1]!);
  const member = codes.length > 0 ? "country" : "city";
  const condition = codes.length > 0 ? { type: "term", values: codes } : { type: "text", value: match[1], mode: "phrase" };
  const address = related("address", [fieldNode(member, condition)]);
  understood(
    reading,
    reading.type === "lead" ? address : related("lead", [address]),
    `with an address in ${codes.length > 0 ? codes.join(" or ") : match[1]}`,
  );
}

const idle = new Set(
  "a an all and any are at be by do find for from get give had has have i in is it its list me my of on or our please search show that the their them there these this to us was we were what where which who whose will with you".split(
    " ",
  ),
);

/** Words that mean nothing here are looked for in the records' text. */
function readRest(reading: Reading): void {
  const words = (reading.rest.match(/"[^"]+"|[\p{L}\p{N}][\p{L}\p{N}@.'’&+-]*/gu) ?? []).filter(
    (one) => !idle.has(one.toLowerCase()),
  );
  for (const word of words.slice(0, 20)) {
    const isPhrase = word.startsWith('"');
    const value = isPhrase ? word.slice(1, -1) : word.replace(/[.'’&+-]+$/, "");
    if (value !== "")
      understood(
        reading,
        { type: "text", value, mode: isPhrase ? "phrase" : "full_words" },
        `with the ${isPhrase ? "words" : "word"} “${value}”`,
      );
  }
}
