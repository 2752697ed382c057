// Checks what a model wrote before people read it. Text of records may have told it to pass on an address or another record: what neither
// the caller nor the facts name is not shown.
import { z } from "zod";
import { Useless } from "./ask_model.ts";

const link = /\b(?:https?|ftp|file|data|javascript|mailto|tel):[^\s)>\]"']+|\bwww\.[^\s)>\]"']+/giu;
const bareHost =
  /(?<![\p{L}\p{N}@.-])(?:[\p{L}\p{N}-]+\.)+(?:(?:com|net|org|io|co|ai|app|dev|info|biz|xyz|top|click|link|site|online|shop|example|test|de|fr|es|it|nl|eu|ch|at|uk|us|ru|cn)(?![\p{L}\p{N}-])|[a-z]{2,}\/\S)/giu;
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

/** As programs read it that make links of a text: other widths of letters are the same, and so are other dots. */
const seen = (text: string): string => text.normalize("NFKC").replaceAll("。", ".");

/** Plain text. Throws where it names an address or a record that is not known. */
export function checkedProse(given: unknown, { known, most }: ProseRules): string {
  const answered = z.string().safeParse(given);
  // Marks that are not seen could hide words, or turn their order around.
  const text = answered.success ? answered.data.replace(/[\p{Cf}\p{Co}]|(?![\n\t])\p{Cc}/gu, "").trim() : "";
  if (text === "") throw new Useless("answered without a text");
  if (text.length > most) throw new Useless(`answered more than ${most} characters`);
  const allowed = seen(known).toLowerCase();
  const read = seen(text);
  const digits = known.replace(/\D/g, "");
  for (const [named] of read.replace(day, "·").matchAll(phone))
    if (!digits.includes(named.replace(/\D/g, ""))) throw new Useless("named a telephone number that nobody asked for");
  for (const pattern of [link, mailAddress, bareHost, recordId])
    for (const [named] of read.matchAll(pattern))
      if (!allowed.includes(named.toLowerCase().replace(/[.,;:!?]+$/, "")))
        throw new Useless("named an address or a record that nobody asked for");
  return text;
}
