// Checks what a model wrote before people read it. Text of records may have told it to pass on an address or another record: what neither
// the caller nor the facts name is not shown.
import { z } from "zod";
import { Useless } from "./ask_model.ts";

const link = /\b(?:https?|ftp|file|data|javascript|mailto|tel):[^\s)>\]"']+|\bwww\.[^\s)>\]"']+/giu;
/** Words with a dot and no space between them, in any script: endings of domains are too many, and grow. `e.g.` and `1.5m` are none. */
const bareHost = /(?<![\p{L}\p{M}\p{N}@.-])(?:[\p{L}\p{M}\p{N}-]+\.)+\p{L}[\p{L}\p{M}\p{N}-]+/giu;
const ip = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])|\[[\da-f]*:[\da-f:.]+\]/giu;
const mailAddress = /[\p{L}\p{N}.+_-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}/giu;
/** Of a telephone: with its country, or longer than any amount. */
const phone = /(?<![\p{L}\p{N}])(?:\+\d(?:[\s()./-]*\d){6,}|\d(?:[\s()./-]*\d){8,})/giu;
const day = /\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}/g;
const recordId = /\b[a-z]{2,12}_[0-9a-hjkmnp-tv-z]{26}\b/g;

export interface ProseRules {
  /** The words that the caller and the facts give: addresses and ids may come from there alone. */
  known: string;
  most: number;
}

/** As programs read it that make links of a text: other widths of letters are the same, and so are other dots. People read `[.]` as one. */
const seen = (text: string): string =>
  text.normalize("NFKC").replace(/。|%2e|\s*(?:\[\s*(?:\.|dot)\s*\]|\(\s*(?:\.|dot)\s*\)|\{\s*(?:\.|dot)\s*\})\s*/giu, ".");

/** Plain text. Throws where it names an address or a record that is not known. */
export function checkedProse(given: unknown, { known, most }: ProseRules): string {
  const answered = z.string().safeParse(given);
  // Marks that are not seen could hide words, or turn their order around.
  const text = answered.success ? answered.data.replace(/[\p{Cf}\p{Co}]|(?![\n\t])\p{Cc}/gu, "").trim() : "";
  if (text === "") throw new Useless("answered without a text");
  if (text.length > most) throw new Useless(`answered more than ${most} characters`);
  const read = seen(text);
  const digits = known.replace(/\D/g, "");
  for (const [named] of read.replace(day, "·").matchAll(phone))
    if (!digits.includes(named.replace(/\D/g, ""))) throw new Useless("named a telephone number that nobody asked for");
  checkNamed(read, seen(known), [link, mailAddress, bareHost, ip, recordId]);
  return text;
}

/** The same for the texts in a value, such as what a condition compares with. */
export function checkAddressesIn(value: unknown, known: string): void {
  if (typeof value === "string") checkNamed(seen(value), seen(known), [link, mailAddress, bareHost, ip]);
  else if (typeof value === "object" && value !== null) for (const one of Object.values(value)) checkAddressesIn(one, known);
}

function checkNamed(read: string, known: string, patterns: readonly RegExp[]): void {
  const allowed = known.toLowerCase();
  for (const pattern of patterns)
    for (const [named] of read.matchAll(pattern))
      if (!isNamed(allowed, named.toLowerCase().replace(/[.,;:!?]+$/, "")))
        throw new Useless("named an address or a record that nobody asked for");
}

/** `evil.example` is not named by `devil.example`. */
function isNamed(allowed: string, named: string): boolean {
  for (let at = allowed.indexOf(named); at >= 0; at = allowed.indexOf(named, at + 1))
    if (!inWord.test(allowed[at - 1] ?? "") && !inWord.test(allowed[at + named.length] ?? "")) return true;
  return false;
}

const inWord = /[\p{L}\p{N}-]/u;
