// Reads from words in which state records are: what they have or lack, deals, tasks, statuses, tags.
import { spanOf } from "../../search/moments.ts";
import { escapePattern } from "../../values/escape_pattern.ts";
import { leadStatus } from "../leads/lead_status.ts";
import { opportunityStatus } from "../opportunities/opportunity_status.ts";
import { fieldNode, oneOf, type Reading, related, take, understood } from "./reading.ts";

// --- what is there or not ---

/** What somebody has or lacks begins with one of these. */
const has = "(without|with no|with|having|that have|who have|lacking|missing|no)";
const things: readonly (readonly [string, RegExp])[] = [
  ["activity.call", /calls?\b/],
  ["activity.meeting", /meetings?\b/],
  ["activity.note", /notes?\b/],
  ["task", /tasks?\b/],
  ["contact", /(?:contacts?|people)\b/],
];

export function readMissing(reading: Reading): void {
  const { type } = reading;
  for (const [thing, word] of type === "lead" ? things : []) {
    const match = take(reading, new RegExp(`\\b${has} (?:any |an? )?(open )?${word.source}`, "i"));
    if (match === null) continue;
    const lacks = isLacking(match[1]!);
    const isOpen = thing === "task" && match[2] !== undefined;
    const which = isOpen ? [fieldNode("is_complete", { type: "boolean", value: false })] : [];
    understood(reading, related(thing, which, lacks), `${lacks ? "without" : "with"} any ${isOpen ? "open " : ""}${thing}`);
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
export function readSilence(reading: Reading): void {
  if (reading.type !== "lead") return;
  const never = take(reading, /\b(?:never (?:been )?contacted|not (?:yet )?contacted yet|not yet contacted|uncontacted)\b/i);
  if (never)
    return understood(reading, fieldNode("last_communication_date", { type: "exists" }, true), "that were never contacted");
  const match = take(
    reading,
    /\b(?:(?:that |who |which )?(?:were |have |has |was )?(?:not|n't|never)(?: been)? (?:contacted|touched|talked to|heard from)|haven't heard from|(?:no|without(?: any)?) (?:contact|activity|activities|communication)|untouched|silent|stale)(?: us)? (?:in|for|since|within)(?: the)?(?: last| past)? (\d+) (day|week|month)s?\b/i,
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

export function readDeals(reading: Reading): void {
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
    if (match === null) return;
    const state = match[1]!.toLowerCase();
    understood(reading, statuses(state), `that are ${state}`);
    if (state === "won" || state === "lost") reading.moment = `date_${state}`;
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

export function readTasks(reading: Reading): void {
  if (reading.type !== "task") return;
  const done = (value: boolean) => fieldNode("is_complete", { type: "boolean", value });
  if (take(reading, /\boverdue\b/i)) {
    const due = fieldNode("date", { type: "moment_range", before: spanOf("today")!.start });
    understood(reading, { type: "and", queries: [done(false), due] }, "that are not done and were due before today");
  } else if (take(reading, /\b(?:open|incomplete|unfinished|undone|not done|to do)\b/i))
    understood(reading, done(false), "that are not done");
  else if (take(reading, /\b(?:done|completed?|finished)\b/i)) understood(reading, done(true), "that are done");
}

export function readStatus(reading: Reading): void {
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

export function readTags(reading: Reading): void {
  const match = take(reading, /\b(?:tagged(?: with| as)?|with (?:the )?tag) (?:"([^"]+)"|(\S+))/i);
  const value = match?.[1] ?? match?.[2];
  if (value && (reading.type === "lead" || reading.type === "contact"))
    understood(reading, { type: "tag", value }, `with the tag ${value}`);
}
