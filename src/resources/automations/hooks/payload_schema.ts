// The JSON Schema that the payload of a call, the input of a run, or the answer of a model must fit. Its patterns are its author's, and may take
// for ever: checking is bounded, and a schema that took too long a few times is not tried again for ten seconds.
import { type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { invalid } from "../../../core/errors.ts";
import { TookTooLong, withinTime } from "../../../services/within_time.ts";
import { checkKeywords } from "./schema_keywords.ts";

export const payloadSchema = z
  .record(z.string(), z.unknown())
  .superRefine((given, check) =>
    checkKeywords(given, (path, message) => check.addIssue({ code: "custom", message, path: [...path] })),
  );

/** So long that a machine which is busy with other things does not seem slow. */
const mostMs = 200;
/** How often each schema has taken too long. One bad value shall not keep the good ones out, and many shall not hold up everybody. */
const slow = new LRUCache<string, number>({ max: 1000, ttl: 10_000 });
const slowMost = 5;

/** What does not fit. */
function misfits(schema: unknown, value: unknown): OutputUnit[] {
  const key = JSON.stringify(schema);
  const slowTimes = slow.get(key) ?? 0;
  if (slowTimes >= slowMost) throw new TookTooLong();
  try {
    // A copy, because the validator notes in it where its parts are.
    return withinTime(mostMs, () => new Validator(JSON.parse(key) as Schema, "2020-12", false).validate(value).errors);
  } catch (error) {
    // A schema that names itself without end takes all of the stack.
    if (!(error instanceof TookTooLong || error instanceof RangeError)) throw error;
    slow.set(key, slowTimes + 1);
    throw new TookTooLong();
  }
}

export function fitsSchema(schema: unknown, payload: unknown): boolean {
  if (schema == null) return true;
  try {
    return misfits(schema, payload).length === 0;
  } catch (error) {
    if (error instanceof TookTooLong) return false;
    throw error;
  }
}

const tooSlow =
  "takes too long to check: a pattern of its schema tries too many ways, or the schema names itself without end. Write patterns without repetitions within repetitions, such as ^(a+)+$";

/** The same, with the reasons by their places below `at`. */
export function checkSchema(schema: unknown, input: unknown, at: string): void {
  if (schema == null) return;
  try {
    const found = reasonsOf(misfits(schema, input), at);
    if (Object.keys(found).length > 0) throw invalid(found);
  } catch (error) {
    if (error instanceof TookTooLong) throw invalid({ [at]: tooSlow });
    throw error;
  }
}

// --- in words ---

/** They only say that something within does not fit, which is said too. */
const outer =
  /^(properties|patternProperties|additionalProperties|unevaluatedProperties|items|prefixItems|unevaluatedItems|allOf|\$ref|if|dependentSchemas)$/;
/** They say it all: what is within need not fit by itself. */
const whole = /^(anyOf|oneOf|propertyNames|contains|minContains|maxContains)$/;
const most = 100;

function reasonsOf(found: readonly OutputUnit[], at: string): Record<string, string> {
  const reasons: Record<string, string> = {};
  let within = "\n";
  for (const unit of found) {
    if (unit.keywordLocation.startsWith(within) || outer.test(unit.keyword)) continue;
    if (whole.test(unit.keyword)) within = `${unit.keywordLocation}/`;
    const [place, reason] = inWords(unit);
    reasons[[at, ...place].join(".")] ??= reason;
    if (Object.keys(reasons).length === most) break;
  }
  return reasons;
}

function inWords({ keyword, instanceLocation, error }: OutputUnit): [place: string[], reason: string] {
  const place = instanceLocation
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (keyword === "required") return [[...place, /"(.*)"/s.exec(error)![1]!], "is required"];
  if (keyword === "false") return [place, "is not known here"];
  if (keyword === "type") return [place, `must be of the type ${/Expected (.*)\.$/.exec(error)![1]!.replaceAll('"', "")}`];
  return [place, error.charAt(0).toLowerCase() + error.slice(1).replace(/\.$/, "")];
}
