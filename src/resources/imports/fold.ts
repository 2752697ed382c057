// What several rows say about one record, as if each were done after the other, whichever transactions they are done in.
import { same } from "../../values/same.ts";
import type { Body } from "./bodies.ts";
import { type Conflicts, onTopOf, valueOf } from "./settle.ts";

export interface Folded {
  /** What is written: the body of a create, or what an update changes. */
  body: Body;
  /** Whether each of the rows changes what was there before it. */
  changes: boolean[];
}

/** `before` is the record that exists, and `differs` says whether an update would change it. */
export function fold(
  before: Body | null,
  bodies: readonly Body[],
  conflicts: Conflicts,
  differs: (change: Body) => boolean,
): Folded {
  const folded: Folded = { body: {}, changes: [] };
  let state = before;
  for (const body of bodies) {
    const change = state === null ? body : news(state, folded.body, onTopOf(state, body, conflicts));
    const isNews = Object.keys(change).some((key) => key in folded.body);
    folded.changes.push(state === null || (Object.keys(change).length > 0 && (isNews || before === null || differs(change))));
    Object.assign(folded.body, change);
    state = withChange(state ?? {}, change);
  }
  return folded;
}

/** What rows before it have not said already. */
function news(state: Body, said: Body, change: Body): Body {
  const isNew = ([key, value]: [string, unknown]) => !same(key in said ? said[key] : valueOf(state, key), value);
  return Object.fromEntries(Object.entries(change).filter(isNew));
}

/** The record as a change leaves it. */
export function withChange(state: Body, change: Body): Body {
  const next: Body = { ...state, ...change };
  for (const [key, value] of Object.entries(change))
    if (key.startsWith("custom.")) next.custom = { ...next.custom, [key]: value };
  if (change.name === undefined && (change.first_name ?? change.last_name) !== undefined)
    next.name = [next.first_name, next.last_name].filter(Boolean).join(" ");
  return next;
}
