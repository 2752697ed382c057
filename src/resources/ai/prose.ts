// Checks what a model wrote before people read it. Text of records may have told it to pass on an address or another record: what neither
// the caller nor the facts name is not shown.
import { z } from "zod";
import { Useless } from "./ask_model.ts";

const link = /\b(?:https?|ftp|file|data|javascript|mailto|tel):[^\s)>\]"']+|\bwww\.[^\s)>\]"']+/giu;
const bareHost =
  /(?<![\p{L}\p{N}@.-])(?:[\p{L}\p{N}-]+\.)+(?:(?:com|net|org|io|co|ai|app|dev|info|biz|xyz|top|click|link|site|online|shop|example|test|de|fr|es|it|nl|eu|ch|at|uk|us|ru|cn)(?![\p{L}\p{N}-])|[a-z]{2,}\/\S)/giu;
const mailAddress = /[\p{L}\p{N}.+_-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}/giu;
const recordId = /\b[a-z]{2,12}_[0-9a-hjkmnp-tv-z]{26}\b/g;

export interface ProseRules {
  /** The words that the caller and the facts give: addresses and ids may come from there alone. */
  known: string;
  most: number;
}

/** Plain text. Throws where it names an address or a record that is not known. */
export function checkedProse(given: unknown, { known, most }: ProseRules): string {
  const read = z.string().safeParse(given);
  // Marks that are not seen could hide words, or turn their order around.
  const text = read.success ? read.data.replace(/[\p{Cf}\p{Co}]|(?![\n\t])\p{Cc}/gu, "").trim() : "";
  if (text === "") throw new Useless("answered without a text");
  if (text.length > most) throw new Useless(`answered more than ${most} characters`);
  const allowed = known.toLowerCase();
  for (const pattern of [link, mailAddress, bareHost, recordId])
    for (const [named] of text.matchAll(pattern))
      if (!allowed.includes(named.toLowerCase().replace(/[.,;:!?]+$/, "")))
        throw new Useless("named an address or a record that nobody asked for");
  return text;
}
