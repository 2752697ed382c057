// The target that each column of a table seems to be for, by its name or by what its values are.
import { madeAt } from "../../values/id.ts";
import { typedTargets } from "./mapping.ts";
import { type Target, takesList, takesObjects } from "./targets.ts";

/**
 * The best target for each column, or null. A target that takes one column is suggested only once, and a column of ids only where they
 * are ids of this service: other services have a column of that name too.
 */
export function suggested(
  targets: readonly Target[],
  columns: readonly { name: string; samples: readonly string[]; nested?: true }[],
): (string | null)[] {
  const byWord = wordsOf(targets);
  const taken = new Set<string>();
  const byName = columns.map(({ name, samples, nested }) => {
    const word = byWord.get(plain(name));
    const found = word?.type === "id" ? targets.find((one) => isIdOf(one, samples)) : word;
    if (found === undefined || (found.type !== "id" && isForeignId(name, samples))) return null;
    if (taken.has(found.target) && !found.multiple) return null;
    if (nested ? !takesList(found) : takesObjects(found)) return null;
    taken.add(found.target);
    return found.target;
  });
  const bySamples = byName.map((found, i) => {
    const { name, samples, nested } = columns[i]!;
    const shown = nested || byWord.has(plain(name)) ? undefined : targetShown(samples, targets);
    return found ?? (shown === undefined || (taken.has(shown.target) && !shown.multiple) ? null : shown.target);
  });
  const hasPeople = bySamples.some((one) => one !== null && /^contact\.(?!phone|url)/.test(one));
  const placed = bySamples.map((one) => (one === "contact.phone" && !hasPeople ? companyPhone(targets) : one));
  return placed.map((one, i) => (one === null || columns[i]!.nested ? one : withType(one, columns[i]!.name)));
}

/** A header such as `Mobile Phone` says the type of its numbers. */
function withType(target: string, name: string): string {
  if (!typedTargets.has(target)) return target;
  const [type] = typeWords.find(([, words]) => words.test(name)) ?? [];
  return type === undefined ? target : `${target}:${type}`;
}

const typeWords: readonly (readonly [string, RegExp])[] = [
  ["mobile", /mobile|cell|handy|portable|móvil/i],
  ["fax", /fax/i],
  ["home", /home|private?\b|privat/i],
  ["direct", /direct|durchwahl/i],
  ["work", /work|business/i],
];

/** In a table of companies alone, a phone number is theirs. */
const companyPhone = (targets: readonly Target[]): string =>
  targets[0]!.object_type === "lead" && targets.some(({ target }) => target === "phone") ? "phone" : "contact.phone";

/** A column that only has addresses, phone numbers or web addresses says by them what it is. */
function targetShown(samples: readonly string[], targets: readonly Target[]): Target | undefined {
  const isFor = (kind: RegExp) => samples.length > 0 && samples.every((one) => kind.test(one));
  const found = isFor(/^[^\s@,;]+@[^\s@,;]+\.[a-z]{2,}$/i)
    ? "contact.email"
    : isFor(/^\+\d[\d\s()./-]{6,}$/)
      ? "contact.phone"
      : isFor(/^(?:https?:\/\/|www\.)\S+$/i)
        ? "url"
        : null;
  return targets.find(({ target }) => target === found);
}

const prefixes: Readonly<Record<string, string>> = {
  id: "lead",
  "contact.id": "cont",
  "opportunity.id": "oppo",
  "opportunity.contact_id": "cont",
};

/** Such as a `status_id` of another service, beside which there is a label. */
const isForeignId = (name: string, samples: readonly string[]): boolean =>
  /[\s_]id$/i.test(name.replace(/([a-z])Id$/, "$1_id")) && !samples.some((one) => madeAt(one.split("_")[0]!, one) !== null);

const isIdOf = ({ target }: Target, samples: readonly string[]): boolean =>
  Object.hasOwn(prefixes, target) && samples.some((one) => madeAt(prefixes[target]!, one) !== null);

/**
 * Labels and aliases are tried before the targets' own names: `email` alone usually means a person's address, not a company's.
 */
function wordsOf(targets: readonly Target[]): Map<string, Target> {
  const words = [
    ...targets.flatMap((one) => [one.label, ...one.aliases].map((word) => [word, one] as const)),
    ...targets.flatMap((one) => ownNamesOf(one).map((word) => [word, one] as const)),
  ];
  const byWord = new Map<string, Target>();
  for (const [word, one] of words) if (!byWord.has(plain(word))) byWord.set(plain(word), one);
  return byWord;
}

/** What several kinds of record have, such as a value or a note, is the deal's only by a header that says so. */
const ownNamesOf = ({ target }: Target): string[] =>
  target.startsWith("opportunity.") || target.endsWith("date_created") ? [target] : [target, target.split(".").at(-1)!];

const plain = (word: string): string =>
  word
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
