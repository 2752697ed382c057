// Checks the wording of refusals: every reason in every test must have a form that people can read.
import assert from "node:assert/strict";

const listedMax = 12;

/** Words from the specification. */
const given: ReadonlySet<string> = new Set(["Expired cursor"]);

/** A reason continues the name of its field: lower case, one or two sentences, and no more names than a person reads. */
export function checkReason(place: string, reason: string): void {
  if (given.has(reason)) return;
  const says = (rule: string) => `the reason of ${place} ${rule}: ${reason}`;
  // Sent values are in quotation marks, or before the words about them.
  const own = reason.replace(/"(?:[^"\\]|\\.)*"/g, '"…"');
  assert.match(own, /^(?![A-Z][a-z]+ )\S/, says("begins with a capital"));
  assert.doesNotMatch(own, /\s{2}|\s$|\.$|[;,:]$/, says("ends in a mark or has spaces to spare"));
  assert.doesNotMatch(own, /\bundefined\b|\[object |\bNaN\b|\$\{/, says("shows what only code knows"));
  assert.doesNotMatch(own, /[a-z)] (Known|Did|The nearest) /, says("runs into another sentence"));
  assert.doesNotMatch(own, /^is no [a-z]|\b(the|a|is|of) \1\b|\bthat what\b/, says("is no English"));
  for (const [, names] of own.matchAll(/(?:one of(?: \d+, such as)?|nown are|nearest are) ([^;?]*)/g))
    assert.ok(names!.split(", ").length <= listedMax, says("lists more names than somebody reads"));
}
