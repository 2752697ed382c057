// Cells of JSON: the lists and objects that a record has where a table has texts.
import { contact } from "../contacts/contact.ts";
import type { Body } from "./bodies.ts";

/** The members of a list: those that are objects are JSON again. What is no JSON is the only member. */
export function membersIn(text: string | number, change: (one: string | number) => (string | number)[]): (string | number)[] {
  const whole = typeof text === "number" ? text : parsed(text);
  const all = Array.isArray(whole) ? whole : typeof whole === "object" && whole !== null ? [whole] : [text];
  return all
    .filter((one) => one !== null && one !== "")
    .flatMap((one) => (typeof one === "object" ? JSON.stringify(one) : change(typeof one === "number" ? one : String(one))));
}

/** The object that a member is; null for text. What the object does not say is left out. */
export function objectIn(text: string, { isNested }: { isNested: boolean }): Body | null {
  const one = isNested && text.startsWith("{") ? parsed(text) : null;
  return one === null ? null : withoutNulls(one as Body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** As with empty cells, null changes nothing. */
const withoutNulls = (body: Body): Body => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

/** The people of a row: the one of its own cells, and those of a cell of JSON. The latter are taken from the bodies. */
export function peopleIn(bodies: { contact: Body }): Body[] {
  const { contacts = [], ...own } = bodies.contact;
  bodies.contact = own;
  return [...(Object.keys(own).length > 0 ? [own] : []), ...contacts.map(writable)];
}

/** What a person may be given, and the id to find them by. The lead is that of the row. */
function writable(body: Body): Body {
  const isWritten = (key: string): boolean => {
    const field = contact.fields[key as keyof typeof contact.fields] as { source: string; mode?: string } | undefined;
    if (key === "id") return typeof body.id === "string";
    if (key.startsWith("custom.")) return true;
    return key !== "lead_id" && field !== undefined && ["column", "input"].includes(field.source) && field.mode === "write";
  };
  return Object.fromEntries(Object.entries(body).filter(([key]) => isWritten(key)));
}
