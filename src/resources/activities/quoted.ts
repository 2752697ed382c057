// Splits the body of an e-mail into what was written and what is quoted from the e-mail it answers, so that a client can hide the
// quotes.
import { z } from "zod";
import { computed } from "../../core/field.ts";
import { fromText } from "../../values/rich_text.ts";

interface Piece {
  text: string;
  /** False for a quotation: it is shown when somebody asks for it. */
  expand: boolean;
}

export const quotedText = {
  ...computed(
    ["body_text"],
    z.array(z.object({ text: z.string(), expand: z.boolean() })),
    pieces,
    "`body_text` in pieces; quotations have `expand` false.",
  ),
  onDemand: true,
};

export const quotedHtml = {
  ...computed(
    ["body_text", "body_html"],
    z.array(z.object({ html: z.string(), expand: z.boolean() })),
    piecesOfHtml,
    "`body_html` in pieces; quotations have `expand` false.",
  ),
  onDemand: true,
};

const quotedLine = /^\s*>/;
/** Below such a line everything is quoted: `On Monday, Ann wrote:`, or Outlook's rule. */
const announcement =
  /^(?:On .{1,200} wrote:|Am .{1,200} schrieb .{0,200}:|Le .{1,200} a écrit ?:|-{2,}\s?(?:Original Message|Forwarded message)\s?-{2,})\s*$/i;

function pieces(body: string | null): Piece[] {
  const found: Piece[] = [];
  let isBelow = false;
  for (const line of (body ?? "").split("\n")) {
    isBelow ||= announcement.test(line);
    const expand = !isBelow && !quotedLine.test(line);
    const last = found.at(-1);
    if (last?.expand === expand) last.text += `\n${line}`;
    else found.push({ text: line, expand });
  }
  return body === null ? [] : found;
}

/** A body without quotations keeps its markup; else the pieces are those of the text. */
function piecesOfHtml(text: string | null, html: string | null): { html: string; expand: boolean }[] {
  const found = pieces(text);
  if (found.length < 2) return html === null ? [] : [{ html, expand: found[0]?.expand ?? true }];
  return found.map((piece) => ({ html: fromText(piece.text).html, expand: piece.expand }));
}
