// A font as one document uses it. fontkit's own types say nothing of what is named here; tests of text in each script would fail without it.
import type { Font } from "fontkit";

interface Inner {
  _layoutEngine: { engine?: { GPOSProcessor?: { applyAnchor: PlaceMark } | null } };
}

type PlaceMark = (mark: unknown, place: object | null, letter: number) => void;

/**
 * The font with the tables that earlier documents have decoded, which is most of the work, and with glyphs of its own: a glyph remembers
 * the letters it was first used for.
 */
export function documentFont(font: Font): Font {
  const own: Font & Inner = Object.create(font, { _glyphs: { value: {} } });
  const marks = own._layoutEngine.engine?.GPOSProcessor ?? null;
  if (marks === null) return own;
  const { applyAnchor } = marks;
  // A font may have no place for a mark at some letter. The mark is left where it stands, and fontkit would end with an error.
  marks.applyAnchor = (mark, place, letter) => {
    if (place !== null) applyAnchor.call(marks, mark, place, letter);
  };
  return own;
}
