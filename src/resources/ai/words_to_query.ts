// Turns words into a search, by the words that people use: "my open deals over 10k closing this month", "leads in Germany without calls".
import type { Ctx } from "../../core/context.ts";
import { escapePattern } from "../../values/escape_pattern.ts";
import { oneLine } from "../../values/one_line.ts";
import { user } from "../organization/organization.ts";
import { readAmount, readDuration, readPlace, readScore, readTime } from "./read_figures.ts";
import { readDeals, readMissing, readSilence, readStatus, readTags, readTasks } from "./read_states.ts";
import { fieldNode, type Node, negations, oneOf, type Reading, take, understood } from "./reading.ts";

export interface Understood {
  object_type: string;
  /** A query as `POST /data/search/` takes it. */
  query: Node;
  explanation: string;
  /** What was not understood, and what became of it. */
  remark: string | null;
}

export function queryOfWords(ctx: Ctx, words: string, object_type: string | undefined): Understood {
  const reading: Reading = {
    ctx,
    type: object_type ?? "lead",
    rest: ` ${words.replace(/(?:[\s;?!]|,(?!\d))+/g, " ")} `,
    nodes: [],
    said: [],
    isNegated: false,
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
    readScore,
    readDuration,
    readAmount,
    readTime,
    readPlace,
    readNamed,
  ])
    read(reading);
  const remark = readRest(reading);
  const { type, nodes, said } = reading;
  return {
    object_type: type,
    query: { type: "and", queries: [{ type: "object_type", object_type: type }, ...nodes] },
    explanation: `Finds records of the kind ${type}${said.length === 0 ? ", the newest first" : ` ${said.join(", and ")}`}.`,
    remark,
  };
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

const idle = new Set(
  "a an all and any are at be by do find for from get give had has have i in is it its list me my of on or our please search show that the their them there these this to us was we were what where which who whose will with you".split(
    " ",
  ),
);

const named = /\b(?:named|with the name) (?:"([^"]+)"|(\p{Lu}[\p{L}\p{N}&.'’-]*(?: \p{Lu}[\p{L}\p{N}&.'’-]*)*))/u;
const ofIndustry = /\b(?:in the )?(?:industry (?:is |of )?(?:"([^"]+)"|([\p{L}&-]+))|([\p{L}&-]+) industry)\b/iu;

/** A name, and the industry of a lead. */
function readNamed(reading: Reading): void {
  const industry = reading.type === "lead" ? take(reading, ofIndustry) : null;
  if (industry !== null) {
    const value = industry[1] ?? industry[2] ?? industry[3]!;
    understood(reading, fieldNode("industry", { type: "text", value, mode: "phrase" }), `of the industry ${value}`);
  }
  const match = take(reading, named);
  const value = match?.[1] ?? match?.[2];
  if (value !== undefined) understood(reading, { type: "text", value, mode: "phrase" }, `with the words “${value}”`);
}

/**
 * Words that mean nothing here are looked for in the records' text, and the answer says so. What is not to hold, or follows it, is never
 * looked for: it would find the opposite.
 */
function readRest(reading: Reading): string | null {
  const negation = new RegExp(`\\b(?:${negations}|no)\\b|n't\\b`, "i").exec(reading.rest);
  const left = negation === null ? "" : oneLine(reading.rest.slice(negation.index));
  const words = (reading.rest.slice(0, negation?.index).match(/"[^"]+"|[\p{L}\p{N}][\p{L}\p{N}@.'’&+-]*/gu) ?? []).filter(
    (one) => !idle.has(one.toLowerCase()),
  );
  const sought: string[] = [];
  for (const word of words.slice(0, 20)) {
    const isPhrase = word.startsWith('"');
    const value = isPhrase ? word.slice(1, -1) : word.replace(/[.'’&+-]+$/, "");
    if (value === "") continue;
    sought.push(`“${value}”`);
    understood(
      reading,
      { type: "text", value, mode: isPhrase ? "phrase" : "full_words" },
      `with the ${isPhrase ? "words" : "word"} “${value}”`,
    );
  }
  const said = [
    sought.length === 0 ? "" : `Looked for as words, as they were not understood otherwise: ${sought.join(", ")}.`,
    left === "" ? "" : `Not understood, and left out: “${left}”.`,
  ].filter((one) => one !== "");
  return said.length === 0 ? null : said.join(" ");
}
