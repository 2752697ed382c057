// Splits the body of an e-mail into new text, the signature and quoted text, so that a client can hide what it does not show.
import { z } from "zod";
import { computed } from "../../core/field.ts";
import { fromText } from "../../values/rich_text.ts";
import { lineKinds } from "../mail_class/written.ts";

interface Piece {
  text: string;
  /** False for a quotation or a signature, which are shown on request. */
  expand: boolean;
}

export const quotedText = {
  ...computed(
    ["body_text"],
    z.array(z.object({ text: z.string(), expand: z.boolean() })),
    pieces,
    "`body_text` in pieces; quotations and the signature have `expand` false.",
  ),
  onDemand: true,
};

export const quotedHtml = {
  ...computed(
    ["body_text", "body_html"],
    z.array(z.object({ html: z.string(), expand: z.boolean() })),
    piecesOfHtml,
    "`body_html` in pieces; quotations and the signature have `expand` false.",
  ),
  onDemand: true,
};

function pieces(body: string | null): Piece[] {
  if (body === null) return [];
  const kinds = lineKinds(body);
  const found: Piece[] = [];
  for (const [i, line] of body.split("\n").entries()) {
    if (i > 0 && kinds[i] === kinds[i - 1]) found.at(-1)!.text += `\n${line}`;
    else found.push({ text: line, expand: kinds[i] === "written" });
  }
  return found;
}

/** A body without quotations keeps its markup. Otherwise the pieces are those of the text. */
function piecesOfHtml(text: string | null, html: string | null): { html: string; expand: boolean }[] {
  const found = pieces(text);
  if (found.length < 2) return html === null ? [] : [{ html, expand: found[0]?.expand ?? true }];
  return found.map((piece) => ({ html: fromText(piece.text).html, expand: piece.expand }));
}
