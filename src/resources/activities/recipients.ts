// The addresses of an e-mail: as text on the wire, and parsed to find people by them.
import { z } from "zod";
import type { Directory } from "../../core/directory.ts";
import { json } from "../../core/field.ts";
import { emailKey, parseAddress } from "../../values/email.ts";
import { user } from "../organization/organization.ts";

export interface Person {
  email: string;
  name: string | null;
}

const isAddress = (raw: string): string | null => (parseAddress(raw) === null ? null : raw.trim());

/** Members write from the address they have here. Before a workspace has a domain, that is `admin@localhost`. */
export const isSender = (raw: string): string | null => (asPerson(raw) === null ? null : raw.trim());

export const addressReason = 'must be an e-mail address, such as ann@example.com or "Ann Lee" <ann@example.com>';

const address = z.string().transform((raw, check) => {
  const value = isAddress(raw);
  if (value === null) check.addIssue({ code: "custom", message: addressReason });
  return value as string;
});

const recipientsMax = 500;

/** `["ann@example.com", "\"Bob\" <bob@example.com>"]`. */
export const recipients = (doc: string) =>
  json(z.array(address).max(recipientsMax), { default: [] as string[], doc, output: z.array(z.string()) });

/** Null when it is not an address but a channel's handle. */
export const asPerson = (raw: string): Person | null => parseAddress(raw, { allowLocalhost: true });

export const person = (raw: string): Person => asPerson(raw)!;

export const people = (list: readonly string[]): Person[] => list.map(person);

/** As written in a header: `"Ann Lee" <ann@example.com>`. */
export const addressLine = ({ email, name }: Person): string =>
  name === null || name === email ? email : `"${name.replace(/["\\]/g, "")}" <${email}>`;

/** Members by their e-mail address. */
const membersByEmail = (directory: Directory): ReadonlyMap<string, string> =>
  directory.memo("members by e-mail", () => new Map(directory.list(user).map((one) => [emailKey(one.email), one.id])));

export const memberWith = (directory: Directory, email: string): string | undefined =>
  membersByEmail(directory).get(emailKey(email));

interface Mail {
  sender: string | null;
  to: readonly string[];
  cc: readonly string[];
  bcc: readonly string[];
}

/** The members among all the people an e-mail names. */
export function membersOf(directory: Directory, mail: Mail): string[] {
  const named = [mail.sender ?? [], mail.to, mail.cc, mail.bcc].flat();
  return people(named).flatMap(({ email }) => memberWith(directory, email) ?? []);
}
