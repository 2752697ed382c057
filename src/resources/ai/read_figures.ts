// Reads from words how much, when and where.
import { customFieldsOf } from "../../records/custom_fields.ts";
import { spanOf } from "../../search/moments.ts";
import { countriesIn } from "../../values/countries_in.ts";
import { currencyDigits } from "../../values/money.ts";
import { writtenNumber } from "../../values/written_number.ts";
import { organizationOf } from "../organization/organization.ts";
import { fieldNode, type Node, type Reading, related, take, understood } from "./reading.ts";

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

const figure = "[$€£]? ?(\\d[\\d.,]*) ?(k|m|thousand|million)?\\b ?[$€£]?";
const words = [...bounds.keys()].join("|");
const bounded = new RegExp(
  `(?:\\bworth |\\bvalued(?: at)? |\\bwith )?(?:(mrr|value|revenue) )?(?:is )?(${words}) ?${figure}`,
  "i",
);
const between = new RegExp(
  `(?:\\bworth |\\bwith )?(?:(mrr|value|revenue) )?(?:is )?(between) ${figure} ?(?:and|to|-) ?${figure}`,
  "i",
);

/** A number before the name of a custom field is that field's. Others are the value of deals, or a lead's monthly revenue. */
export function readAmount(reading: Reading): void {
  const match = take(reading, between) ?? take(reading, bounded);
  if (match === null) return;
  const [, named, word, digits, unit, highDigits, highUnit] = match;
  const low = writtenNumber(digits!, unit ?? highUnit);
  const range = (scale: number): Node => {
    const to = (amount: number) => Math.round(amount * scale);
    const high = highDigits === undefined ? null : writtenNumber(highDigits, highUnit);
    const limits = high === null ? { [bounds.get(word!.toLowerCase())!]: to(low) } : { gte: to(low), lte: to(high) };
    return { type: "number_range", ...limits };
  };
  const says = `${word} ${digits}${unit ?? ""}${highDigits === undefined ? "" : ` and ${highDigits}${highUnit ?? ""}`}`.trim();
  const { ctx, type } = reading;
  const following = reading.rest.slice(match.index).trim().toLowerCase();
  const own = [...customFieldsOf(ctx.directory, type).values()];
  const custom = own.find((one) => one.type === "number" && following.startsWith(one.name.toLowerCase()));
  if (custom !== undefined) {
    const at = reading.rest.toLowerCase().indexOf(custom.name.toLowerCase(), match.index);
    reading.rest = reading.rest.slice(0, at) + reading.rest.slice(at + custom.name.length);
    const field = { type: "custom_field", custom_field_id: custom.id };
    return understood(reading, { type: "field_condition", field, condition: range(1) }, `with ${says} ${custom.name}`);
  }
  const minor = range(10 ** currencyDigits(organizationOf(ctx.directory).currency));
  const isRevenue = type === "lead" && (/mrr|revenue/i.test(named ?? "") || take(reading, /\bmrr\b/i) !== null);
  if (isRevenue) understood(reading, fieldNode("mrr", minor), `with a monthly revenue of ${says}`);
  else if (type === "opportunity") understood(reading, fieldNode("value", minor), `with a value of ${says}`);
  else if (type === "lead") understood(reading, related("opportunity", [fieldNode("value", minor)]), `with a deal of ${says}`);
  else reading.rest += ` ${match[0]}`;
}

/** How well leads fit, as scoring wrote it. */
export function readScore(reading: Reading): void {
  if (reading.type !== "lead") return;
  const match = take(reading, new RegExp(`\\b(?:with )?(?:an? )?scored? (?:of )?(?:is )?(${words}) ?(\\d{1,3})\\b`, "i"));
  if (match === null) return;
  const condition = { type: "number_range", [bounds.get(match[1]!.toLowerCase())!]: Number(match[2]) };
  understood(reading, fieldNode("score", condition), `with a score ${match[1]} ${match[2]}`);
}

/** How long calls took. */
export function readDuration(reading: Reading): void {
  if (reading.type !== "activity.call") return;
  const match = take(reading, /\b(longer than|shorter than|over|under|at least|at most) (\d{1,4}) ?(minute|second|hour)s?\b/i);
  if (match === null) return;
  const bound = bounds.get(match[1]!.toLowerCase().replace("longer than", "over").replace("shorter than", "under"))!;
  const seconds = Number(match[2]) * { second: 1, minute: 60, hour: 3600 }[match[3]!.toLowerCase()]!;
  understood(reading, fieldNode("duration", { type: "number_range", [bound]: seconds }), `${match[1]} ${match[2]} ${match[3]}s`);
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

export function readTime(reading: Reading): void {
  const match = take(
    reading,
    new RegExp(`\\b(?:(since|before|after|until) |in |on |within |during |from )?(?:the )?${span}\\b`, "i"),
  );
  if (match === null) return;
  const words = match[2]!.toLowerCase().replace(/^the /, "").replace("past", "last");
  const found = spanOf(words);
  if (found === null) return;
  const verb = verbs.find(([pattern]) => pattern.test(reading.rest));
  const field = verb?.[1](reading.type) ?? reading.moment ?? usualField(reading.type);
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

// --- places ---

/** Countries by their names, and cities by theirs: "in Berlin or Hamburg", "not in Germany". */
export function readPlace(reading: Reading): void {
  if (reading.type !== "lead" && reading.type !== "contact") return;
  const found =
    /\b(?:(not )?(?:based |located )?(?:in|from)|(outside)(?: of)?) ((?:the )?\p{Lu}[\p{L}'’.-]*(?: (?:and |or |of )?(?:the )?\p{Lu}[\p{L}'’.-]*)*)/u.exec(
      reading.rest,
    );
  if (found === null) return;
  reading.rest = reading.rest.replace(found[0], " ");
  const codes = countriesIn(found[3]!);
  const cities = found[3]!.split(/ (?:and|or) /);
  const named =
    codes.length > 0
      ? [fieldNode("country", { type: "term", values: codes })]
      : cities.map((city) => fieldNode("city", { type: "text", value: city, mode: "phrase" }));
  const isNot = found[1] !== undefined || found[2] !== undefined;
  const address = related(
    "address",
    [named.length === 1 ? named[0]! : { type: "or", queries: named }],
    isNot && reading.type === "lead",
  );
  const node = reading.type === "lead" ? address : related("lead", [address], isNot);
  understood(reading, node, `with${isNot ? "out" : ""} an address in ${(codes.length > 0 ? codes : cities).join(" or ")}`);
}
