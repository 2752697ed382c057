/**
 * The words of a text query for fields and kinds of record, in addition to their names on the wire: `created`, `company`,
 * `calls`, `deal`. The tables contain the words of other services; the rest follows from the definitions.
 */
import type { Ctx } from "../core/context.ts";
import { from, type Resource, scope } from "../core/resource.ts";
import { and, name, sql } from "../db/sql.ts";
import { type Attribute, single } from "./attributes.ts";
import { linkBetween, objectTypeOf, relatedTypes } from "./relations.ts";
import type { Subject } from "./subject.ts";

/** Synonyms for fields: the first of these that a kind of record has. */
const synonyms: ReadonlyMap<string, readonly string[]> = new Map([
  ["created", ["date_created"]],
  ["updated", ["date_updated"]],
  ["date", ["activity_at"]],
  ["currency", ["value_currency"]],
  ["due", ["due_date"]],
  ["close_date", ["expected_close_date"]],
  ["email_address", ["email"]],
  ["phone_number", ["phone"]],
  ["website", ["url"]],
  ["tag", ["tags"]],
  ["zip", ["zipcode"]],
  ["zip_code", ["zipcode"]],
  ["postal_code", ["zipcode"]],
  ["company", ["lead", "name"]],
  ["owner", ["user", "assigned_to"]],
  ["user", ["owner", "assigned_to"]],
  ["assigned_to", ["user", "owner"]],
  ["assignee", ["assigned_to"]],
  ["type", ["_type"]],
  ["body", ["body_text"]],
  ["from", ["sender"]],
  ["last_contacted", ["last_communication_date"]],
]);

/** Synonyms for kinds of record. */
const kinds: ReadonlyMap<string, string> = new Map([
  ["company", "lead"],
  ["deal", "opportunity"],
  ["deals", "opportunity"],
  ["sms_message", "sms"],
  ["sms_messages", "sms"],
  ["whatsapp_message", "channel_message"],
  ["whatsapp_messages", "channel_message"],
]);

/** Synonyms for counts. */
const counts: ReadonlyMap<string, string> = new Map([
  ["deals", "opportunities"],
  ["sms_messages", "sms"],
  ["phones", "phone_numbers"],
]);

/**
 * The field that a word means: `status` is `status_id` where that is a reference, `last_call` is `last_call_date`, and a custom
 * field's name is that field.
 */
export function fieldNamed(subject: Subject, given: string): string {
  if (/^custom\./i.test(given)) return given.replace(/^custom/i, "custom");
  const wanted = given.toLowerCase();
  const prefix = `${subject.type.split(".").at(-1)}_`;
  const own = wanted.startsWith(prefix) ? [wanted.slice(prefix.length)] : [];
  for (const word of [wanted, ...(synonyms.get(wanted) ?? []), ...own]) {
    const id = `${word.replace(/_label$/, "")}_id`;
    if (subject.attribute(id)?.refersTo) return id;
    const found = [word, `${word}_date`].find((one) => subject.attribute(one) !== null);
    if (found !== undefined) return found;
  }
  return subject.attribute(`custom.${given}`) === null ? wanted : `custom.${given}`;
}

/** The names of counts of a kind of record: `calls` is its `num_calls`, `phones` its `phones_count`. */
export const countFields = (word: string): string[] => {
  const listed = word.replace(/^email_addresses$/, "emails").replace(/^phone_numbers$/, "phones");
  return [`num_${counts.get(word) ?? word}`, `${listed}_count`];
};

/** How many of these there are: a counter of the record, or the records that belong to it. */
export function countNamed(ctx: Ctx, subject: Subject, given: string): Attribute | null {
  const word = given.toLowerCase();
  const own = countFields(word).find((field) => subject.attribute(field) !== null);
  if (own !== undefined) return subject.attribute(own);
  const of = subject.resource;
  const type = of !== null && isPlural(word) ? kindNamed(ctx, of, word) : null;
  const related = type === null ? undefined : ctx.registry.resources.find((one) => objectTypeOf(one) === type);
  const link = related && linkBetween(of!, related);
  if (!link || link.outer !== "id") return null;
  return single(
    "number",
    sql`(select count(*) from ${from(related!, "n")} where ${and(scope(ctx, related!, "n"))}
      and n.${name(link.inner)} = ${name(subject.alias)}.id)`,
  );
}

/** The related kind of record that a word names, in the singular or the plural: `note` and `notes` are `activity.note`. */
export function kindNamed(ctx: Ctx, of: Resource, given: string): string | null {
  const word = given.toLowerCase();
  const wanted = kinds.get(word) ?? word;
  return relatedTypes(ctx, of).find((type) => type === wanted || namesOf(type).includes(wanted)) ?? null;
}

/** A field of a related kind of record: `opportunities.value`, `contact_title`. */
export function fieldAround(
  ctx: Ctx,
  of: Resource,
  given: string,
  has: (type: string, field: string) => boolean,
): { type: string; field: string } | null {
  const dot = /^([^.]+)\.(.+)$/s.exec(given);
  const dotted = dot && kindNamed(ctx, of, dot[1]!);
  if (dotted) return { type: dotted, field: dot[2]! };
  for (const { index } of given.matchAll(/_/g)) {
    const [type, field] = [kindNamed(ctx, of, given.slice(0, index)), given.slice(index + 1)];
    if (type !== null && has(type, field)) return { type, field };
  }
  return null;
}

/** All words for the fields of a kind of record, for its counts, and for related kinds. */
export function knownWords(ctx: Ctx, subject: Subject): string[] {
  const names = subject.names();
  // `status_id` is written as `status`.
  const labelled = names.flatMap((one) => (one.endsWith("_id") && subject.attribute(one)?.refersTo ? [one.slice(0, -3)] : []));
  const counted = names.flatMap((one) => (one.startsWith("num_") ? [one.slice("num_".length)] : []));
  const others = [...synonyms.keys()].filter((word) => subject.attribute(fieldNamed(subject, word)) !== null);
  return [...new Set([...names, ...labelled, ...counted, ...others, ...kindWords(ctx, subject)])];
}

/** The words for the kinds of record that are related to this one. */
export const kindWords = (ctx: Ctx, { resource: of }: Subject): string[] =>
  of === null ? [] : relatedTypes(ctx, of).flatMap(namesOf);

/** `activity.note` is written as `note` and `notes`. */
function namesOf(type: string): string[] {
  const word = type.split(".").at(-1)!;
  return [word, pluralOf(word)];
}

const pluralOf = (word: string): string =>
  word.endsWith("y") ? `${word.slice(0, -1)}ies` : word.endsWith("s") ? `${word}es` : `${word}s`;

const isPlural = (word: string): boolean => word.endsWith("s");
