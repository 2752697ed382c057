// Which messages have to be filed one after the other: those of one thread, and those between the same people. All others have
// nothing to do with each other.
import { emailKey } from "../../values/email.ts";
import type { ArrivedMail } from "./arrived.ts";
import type { Role } from "./visit.ts";

interface Family<T> {
  keys: Set<string>;
  members: T[];
}

/** Families of messages. The messages of a family keep their order, and so do the families by their first messages. */
export function inFamilies<T extends { mail: ArrivedMail }>(role: Role, messages: readonly T[]): T[][] {
  const place = new Map(messages.map((one, i) => [one, i]));
  let families: Family<T>[] = [];
  for (const one of messages) {
    const keys = keysOf(role, one.mail);
    const theirs = families.filter((family) => keys.some((key) => family.keys.has(key)));
    const united = {
      keys: new Set([...theirs.flatMap((family) => [...family.keys]), ...keys]),
      members: [...theirs.flatMap(({ members }) => members), one].sort((a, b) => place.get(a)! - place.get(b)!),
    };
    families = [...families.filter((family) => !theirs.includes(family)), united];
  }
  return families.map(({ members }) => members).sort(([a], [b]) => place.get(a!)! - place.get(b!)!);
}

/** The owner is in all messages of a mailbox, and says nothing about them: what counts is the other side. */
const keysOf = (role: Role, { identity, references, classification, from, to }: ArrivedMail): string[] => [
  identity,
  ...references,
  ...classification.about,
  ...(role === "sent" ? to : from === null ? [] : [from]).map(({ email }) => emailKey(email)),
];
