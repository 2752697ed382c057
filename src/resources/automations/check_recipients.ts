// People whom a step names as they are written: what is neither an id nor an address, or a number, reaches nobody in any run.
import { isId } from "../../values/id.ts";
import { canGetTexts } from "../activities/own_side.ts";
import { asPerson } from "../activities/recipients.ts";
import { isActiveMember, user } from "../organization/user.ts";
import type { FieldCheck } from "./known_fields.ts";

type Config = Record<string, unknown>;

export function checkMailed(check: FieldCheck, config: Config, at: string): void {
  for (const key of ["to", "cc", "bcc"] as const) checkEach(check, config[key], `${at}.${key}`, isAddress, mailWords);
}

export const checkTexted = (check: FieldCheck, { to }: Config, at: string): void =>
  checkEach(check, to, `${at}.to`, canGetTexts, `is no number: ${orSomebody}, or a number such as +12125550100`);

/** A contact, also by a record of theirs. */
export const checkContact =
  (key: "to" | "contact") =>
  (check: FieldCheck, config: Config, at: string): void =>
    checkEach(check, config[key], `${at}.${key}`, () => false, `is no contact: ${orSomebody}`);

const orSomebody = 'name a contact, a lead, or a record of theirs by its id, or by {"$ref": "record"}';
const mailWords = `is no address: ${orSomebody}, or an address such as ann@client.example`;

const isAddress = (written: string): boolean => asPerson(written) !== null;

function checkEach(check: FieldCheck, given: unknown, at: string, fits: (written: string) => boolean, words: string): void {
  if (Array.isArray(given)) return given.forEach((one, i) => checkEach(check, one, `${at}.${i}`, fits, words));
  if (typeof given !== "string" || fits(given)) return;
  if (isId(user.prefix, given) && !isActiveMember(check.ctx.directory, given))
    check.errors[at] = "is not a member: see GET /user/";
  else if (!/^[a-z]+_\w+$/.test(given)) check.errors[at] = words;
}
