// Sets text in any script on the pages of a PDF. pdfkit sets one font and one direction at a time, and breaks lines in quadratic time
// where it finds no place for it. So the font and the direction of each piece are decided here, and where lines are broken.

import type { Font } from "fontkit";
import { hasRightToLeft, isRightToLeft, runsOf } from "../../values/bidi.ts";
import { documentFont } from "./document_font.ts";
import type { Face, Faces } from "./faces.ts";

type Pdf = PDFKit.PDFDocument;

export interface Look {
  size: number;
  bold?: boolean;
  color: string;
}

/** A part of a page between two edges. `start` and `end` change places for a paragraph that is read from right to left. */
export interface Column {
  x: number;
  width: number;
  align: "start" | "end" | "left" | "right";
}

/** A line of text that fits into a column. */
export interface Line {
  text: string;
  rightToLeft: boolean;
}

export interface Typesetter {
  width(text: string, look: Look): number;
  /** The text in lines of at most this width. A wider word is cut. */
  lines(text: string, look: Look, width: number): Generator<Line>;
  /** Draws a line that is known to fit. `y` is where its letters stand. */
  draw(line: Line, look: Look, column: Column, y: number): void;
}

/** Letters of one face in one direction. Letters from right to left are shaped together, whatever spaces are between them. */
interface Piece {
  face: Face;
  text: string;
  features?: [];
}

export function openTypesetter(pdf: Pdf, faces: Faces): Typesetter {
  for (const { name, regular, bold } of faces) {
    pdf.registerFont(name, forPdf(regular));
    if (bold !== null) pdf.registerFont(`${name} bold`, forPdf(bold));
  }
  const use = ({ face }: Piece, { bold, size }: Look) =>
    pdf.font(bold && face.bold !== null ? `${face.name} bold` : face.name).fontSize(size);
  const widthOfPiece = (piece: Piece, look: Look) =>
    use(piece, look).widthOfString(piece.text, piece.features && { features: piece.features });
  const width = (text: string, look: Look, rightToLeft = false) =>
    piecesOf(faces, text, rightToLeft).reduce((sum, piece) => sum + widthOfPiece(piece, look), 0);

  return {
    width,
    lines: (text, look, most) => linesOf(text, (word) => width(word, look), most),
    draw({ text, rightToLeft }, look, column, y) {
      const before = pdf.y;
      const toTheRight = column.align === "right" || (column.align !== "left" && (column.align === "end") !== rightToLeft);
      let x = toTheRight ? column.x + column.width - width(text, look, rightToLeft) : column.x;
      for (const piece of piecesOf(faces, text, rightToLeft)) {
        const wide = widthOfPiece(piece, look);
        // Where there is no bold face, the outlines are drawn too.
        const outlined = look.bold === true && piece.face.bold === null;
        if (outlined) pdf.lineWidth(look.size / 40).strokeColor(look.color);
        pdf.fillColor(look.color).text(piece.text, x, y, {
          lineBreak: false,
          baseline: "alphabetic",
          ...(piece.features && { features: piece.features }),
          ...(outlined && { fill: true, stroke: true }),
        });
        x += wide;
      }
      pdf.y = before;
    },
  };
}

/** pdfkit takes a font of fontkit, too, which its types do not say. */
const forPdf = (font: Font): Buffer => documentFont(font) as unknown as Buffer;

// --- pieces ---

/** Letters of the first face alone: most texts. */
const plain = /^[\u0020-\u007e\u00a0-\u024f\u0384-\u03ce\u0400-\u045f]*$/;

function piecesOf(faces: Faces, text: string, rightToLeft: boolean): Piece[] {
  if (text === "") return [];
  if (!rightToLeft && plain.test(text)) return [{ face: faces[0], text }];
  if (!rightToLeft && !hasRightToLeft(text)) return byFace(faces, text);
  return runsOf(text, rightToLeft).flatMap((run) => {
    const pieces = byFace(faces, run.text).map(({ face, text: part }) => ({
      face,
      text: shapedFrom(part, run.rightToLeft),
      features: [] as [],
    }));
    return run.rightToLeft ? pieces.reverse() : pieces;
  });
}

/** Marks belong to the letter before them, and spaces and joiners need no face of their own. */
const dependent = /[\p{M}\p{Zs}\u200c\u200d]/u;
/** What is not drawn: controls, and what only chooses between forms or colors of a letter. */
const unseen = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\ufe00-\ufe0f\p{Emoji_Modifier}]/gu;

function byFace(faces: Faces, text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const letter of text.replace(unseen, "")) {
    const last = pieces.at(-1);
    const stays = last !== undefined && dependent.test(letter) && has(last.face, letter);
    const [face, written] = stays ? [last.face, letter] : faceFor(faces, letter);
    if (last?.face === face) last.text += written;
    else pieces.push({ face, text: written });
  }
  return pieces;
}

const has = (face: Face, letter: string): boolean => face.has(letter.codePointAt(0)!);

/** A letter that no face has is written in a simpler way, such as `1` for a circled one, if there is one. */
function faceFor(faces: Faces, letter: string): [Face, string] {
  const face = faces.find((one) => has(one, letter));
  if (face !== undefined) return [face, letter];
  const simple = letter.normalize("NFKC");
  return [faces.find((one) => [...simple].every((part) => has(one, part))) ?? faces[0], simple];
}

/** fontkit turns a piece round if its first letter of a script is of one that is read from right to left, and only then. */
function shapedFrom(text: string, rightToLeft: boolean): string {
  return turned.test(text) === rightToLeft ? text : [...text].reverse().join("");
}

const turned =
  /^[\p{Script=Common}\p{Script=Inherited}]*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// --- lines ---

function* linesOf(text: string, widthOf: (text: string) => number, most: number): Generator<Line> {
  const space = widthOf(" ");
  for (const paragraph of cleaned(text).split("\n")) {
    const rightToLeft = isRightToLeft(paragraph);
    let line = "";
    let filled = 0;
    for (const { text: word, wide, spaced } of wordsOf(paragraph, widthOf, most)) {
      const gap = line !== "" && spaced ? space : 0;
      if (line !== "" && filled + gap + wide > most) {
        yield { text: line, rightToLeft };
        [line, filled] = [word, wide];
      } else [line, filled] = [line + (gap > 0 ? " " : "") + word, filled + gap + wide];
    }
    yield { text: line, rightToLeft };
  }
}

const cleaned = (text: string): string =>
  text
    .toWellFormed()
    .normalize("NFC")
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, "\n")
    .replace(/(?![\u00a0\u202f])[\t\p{Zs}]/gu, " ")
    // Nobody writes more marks on one letter, and setting thousands of them takes quadratic time.
    .replace(/(\p{M}{8})\p{M}+/gu, "$1");

/** What stays together, and whether a space is before it. */
interface Word {
  text: string;
  wide: number;
  spaced: boolean;
}

/** A longer word is cut without being measured first. */
const lettersMost = 200;

function* wordsOf(paragraph: string, widthOf: (text: string) => number, most: number): Generator<Word> {
  for (const given of paragraph.split(" ")) {
    let spaced = true;
    for (const part of unspaced.test(given) ? partsOf(given) : [given]) {
      const wide = part.length > lettersMost ? Number.POSITIVE_INFINITY : widthOf(part);
      for (const word of wide <= most ? [{ text: part, wide }] : cut(part, widthOf, most)) {
        yield { ...word, spaced };
        spaced = false;
      }
    }
  }
}

/** Scripts that are written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;

/** Chinese and Japanese may be broken at each letter, but no line begins with what closes and none ends with what opens. */
const letters =
  /[（「『【〔〈《“‘([{]*(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]|[^（「『【〔〈《“‘([{\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]+|[（「『【〔〈《“‘([{])[、。，．：；？！）」』】〕〉》”’)\]}.,!?:;…ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々〜％%\p{M}]*/gu;

function* partsOf(word: string): Generator<string> {
  for (const [part] of word.matchAll(letters)) {
    if (!/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(part)) yield part;
    else for (const { segment } of dictionary.segment(part)) yield segment;
  }
}

/** It finds the words of scripts without spaces in a dictionary. */
const dictionary = new Intl.Segmenter("th", { granularity: "word" });
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

function* cut(word: string, widthOf: (text: string) => number, most: number): Generator<{ text: string; wide: number }> {
  let text = "";
  let wide = 0;
  for (const { segment } of graphemes.segment(word)) {
    const one = widthOf(segment);
    if (text !== "" && wide + one > most) {
      yield { text, wide };
      [text, wide] = ["", 0];
    }
    text += segment;
    wide += one;
  }
  yield { text, wide };
}
