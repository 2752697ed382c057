// Looks for traces in the bytes of a file, in every form in which they can be read.
import { setImmediate } from "node:timers/promises";
import type { Traces } from "../traces.ts";
import { type Budget, gunzipped, isGzip, isZip, membersOf } from "./archive.ts";
import { decoded, wordsIn } from "./decoded.ts";
import { isMail, mailIn } from "./mail.ts";
import { isMarkup, shownBy } from "./markup.ts";
import { isRtf, rtfText } from "./rtf.ts";
import { hasEscapes, unescaped } from "./unescaped.ts";

/** `unread` when it cannot be told: what holds no trace that could be read, and parts that could not. */
export type Found = "clean" | "named" | "unread";

/** So much is unpacked of one file at most, and archives within an archive once. */
const unpackedMax = 200 * 1024 ** 2;
const depthMax = 2;
const mailsDeepMax = 5;

interface Inside {
  mime: string;
  budget?: Budget;
  depth?: number;
}

export async function lookInto(
  bytes: Buffer,
  traces: Traces,
  { mime, budget = { left: unpackedMax }, depth = 0 }: Inside,
): Promise<Found> {
  const within = { mime: "", budget, depth: depth + 1 };
  if (isZip(bytes) || isGzip(bytes)) return depth < depthMax ? lookIntoArchive(bytes, traces, within) : "unread";
  const text = bytes.subarray(0, 5).toString("latin1") === "%PDF-" ? null : decoded(bytes);
  // What is no text may hold words all the same, such as the title of a PDF.
  if (text === null) return (await anyIn(wordsIn(bytes), traces)) ? "named" : "unread";
  if (isMail(mime, text.slice(0, 20_000))) return depth < mailsDeepMax ? lookIntoMail(bytes, text, traces, within) : "unread";
  return (await anyIn([text, ...(isRtf(text) ? [rtfText(text)] : [])], traces)) ? "named" : "clean";
}

/** Pictures of the first page, fonts and what printers want: they hold no words of their own. */
const decoration = /thumbnail|printersettings|\.(?:odttf|ttf)$/i;

async function lookIntoArchive(bytes: Buffer, traces: Traces, within: Required<Inside>): Promise<Found> {
  if (isGzip(bytes)) {
    const unpacked = await gunzipped(bytes, within.budget);
    return unpacked === null ? "unread" : lookInto(unpacked, traces, within);
  }
  let found: Found = "clean";
  for await (const member of membersOf(bytes, within.budget)) {
    if (traces.isIn(member.name)) return "named";
    const is = member.bytes === null ? "unread" : await lookInto(member.bytes, traces, within);
    if (is === "named") return is;
    if (is === "unread" && !decoration.test(member.name)) found = is;
  }
  return found;
}

async function lookIntoMail(bytes: Buffer, text: string, traces: Traces, within: Required<Inside>): Promise<Found> {
  const mail = await mailIn(bytes);
  if (await anyIn([text, ...(mail === null ? [] : [mail.words])], traces)) return "named";
  if (mail === null) return "unread";
  let found: Found = "clean";
  for (const { name, mime, bytes } of mail.attachments) {
    if (traces.isIn(name)) return "named";
    const is = await lookInto(bytes, traces, { ...within, mime });
    if (is === "named") return is;
    if (is === "unread") found = is;
  }
  return found;
}

/** In characters. Between pieces others get their turn. */
const piece = 256 * 1024;
/** Longer than any value. */
const overlap = 2000;

async function anyIn(texts: readonly string[], traces: Traces): Promise<boolean> {
  for (const text of texts)
    for (let at = 0; at < text.length; at += piece) {
      if (viewsOf(text.slice(Math.max(0, at - overlap), at + piece)).some(traces.isIn)) return true;
      await setImmediate();
    }
  return false;
}

/** A piece of text as it is, as it is shown, and without escapes. */
function viewsOf(text: string): string[] {
  const views = [text];
  if (isMarkup(text)) views.push(shownBy(text), shownBy(text, true));
  if (hasEscapes(text)) views.push(...views.map(unescaped));
  return views;
}
