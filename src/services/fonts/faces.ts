// The fonts that documents are set in: open ones, from packages, which have the letters of most scripts between them. A font is
// read when the first text needs it, and kept.
import { readFile } from "node:fs/promises";
import { create, type Font } from "fontkit";
import { unpackFont } from "./woff.ts";

export interface Face {
  name: string;
  regular: Font;
  /** Null where the package has no bold one. */
  bold: Font | null;
  has(codePoint: number): boolean;
}

/** The first is there for any text. */
export type Faces = readonly [Face, ...Face[]];

interface Source {
  name: string;
  /** The letters that are worth reading it for. */
  letters: RegExp;
  regular: URL;
  bold?: URL;
}

const at = (folder: string, path: string): URL => new URL(path, folder);

const latin = import.meta.resolve("@embedpdf/fonts-latin");
const hebrew = import.meta.resolve("@embedpdf/fonts-hebrew");
const arabic = import.meta.resolve("@embedpdf/fonts-arabic");
const thai = import.meta.resolve("@expo-google-fonts/noto-sans-thai/package.json");
const han = import.meta.resolve("@librescore/fonts/package.json");
const symbols = import.meta.resolve("@fontsource/noto-sans-symbols-2/files/noto-sans-symbols-2-symbols-400-normal.woff");
const math = import.meta.resolve("@fontsource/noto-sans-math/files/noto-sans-math-latin-400-normal.woff");
const emoji = import.meta.resolve("@expo-google-fonts/noto-emoji/package.json");

/** Scripts with a package of their own that has no other letters. */
const byScript: Readonly<Record<string, string>> = {
  Bengali: import.meta.resolve("@fontsource/noto-sans-bengali/files/noto-sans-bengali-bengali-400-normal.woff"),
  Tamil: import.meta.resolve("@fontsource/noto-sans-tamil/files/noto-sans-tamil-tamil-400-normal.woff"),
  Telugu: import.meta.resolve("@fontsource/noto-sans-telugu/files/noto-sans-telugu-telugu-400-normal.woff"),
  Gujarati: import.meta.resolve("@fontsource/noto-sans-gujarati/files/noto-sans-gujarati-gujarati-400-normal.woff"),
  Kannada: import.meta.resolve("@fontsource/noto-sans-kannada/files/noto-sans-kannada-kannada-400-normal.woff"),
  Malayalam: import.meta.resolve("@fontsource/noto-sans-malayalam/files/noto-sans-malayalam-malayalam-400-normal.woff"),
  Gurmukhi: import.meta.resolve("@fontsource/noto-sans-gurmukhi/files/noto-sans-gurmukhi-gurmukhi-400-normal.woff"),
  Sinhala: import.meta.resolve("@fontsource/noto-sans-sinhala/files/noto-sans-sinhala-sinhala-400-normal.woff"),
  Ethiopic: import.meta.resolve("@fontsource/noto-sans-ethiopic/files/noto-sans-ethiopic-ethiopic-400-normal.woff"),
  Myanmar: import.meta.resolve("@fontsource/noto-sans-myanmar/files/noto-sans-myanmar-myanmar-400-normal.woff"),
  Khmer: import.meta.resolve("@fontsource/noto-sans-khmer/files/noto-sans-khmer-khmer-400-normal.woff"),
  Lao: import.meta.resolve("@fontsource/noto-sans-lao/files/noto-sans-lao-lao-400-normal.woff"),
  Georgian: import.meta.resolve("@fontsource/noto-sans-georgian/files/noto-sans-georgian-georgian-400-normal.woff"),
  Armenian: import.meta.resolve("@fontsource/noto-sans-armenian/files/noto-sans-armenian-armenian-400-normal.woff"),
};

const fontOf = ([script, font]: [string, string]): Source => ({
  name: script,
  letters: new RegExp(`\\p{Script=${script}}`, "u"),
  regular: at(font, ""),
  bold: at(font.replace("-400-", "-600-"), ""),
});

/** In the order in which they are asked for a letter. The first has Latin, Greek, Cyrillic and Devanagari. */
const sources: readonly Source[] = [
  {
    name: "latin",
    letters: /./u,
    regular: at(latin, "../fonts/NotoSans-Regular.ttf"),
    bold: at(latin, "../fonts/NotoSans-SemiBold.ttf"),
  },
  {
    name: "hebrew",
    letters: /\p{Script=Hebrew}/u,
    regular: at(hebrew, "../fonts/NotoSansHebrew-Regular.ttf"),
    bold: at(hebrew, "../fonts/NotoSansHebrew-Bold.ttf"),
  },
  {
    name: "arabic",
    letters: /\p{Script_Extensions=Arabic}/u,
    regular: at(arabic, "../fonts/NotoNaskhArabic-Regular.ttf"),
    bold: at(arabic, "../fonts/NotoNaskhArabic-Bold.ttf"),
  },
  {
    name: "thai",
    letters: /\p{Script=Thai}/u,
    regular: at(thai, "./400Regular/NotoSansThai_400Regular.ttf"),
    bold: at(thai, "./600SemiBold/NotoSansThai_600SemiBold.ttf"),
  },
  ...Object.entries(byScript).map(fontOf),
  { name: "math", letters: /[\p{Sm}\u2000-\u2bff]/u, regular: at(math, "") },
  { name: "symbols", letters: /[\p{So}\u2000-\u2bff]/u, regular: at(symbols, "") },
  {
    name: "han",
    letters: /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\u3000-\u33ff\uff00-\uffef]/u,
    regular: at(han, "./SourceHanSansCN.min.woff2"),
  },
  { name: "hangul", letters: /\p{Script=Hangul}/u, regular: at(han, "./SourceHanSansKR.min.woff2") },
  {
    name: "emoji",
    letters: /\p{Extended_Pictographic}|\p{Regional_Indicator}/u,
    regular: at(emoji, "./400Regular/NotoEmoji_400Regular.ttf"),
  },
];

const opened = new Map<Source, Promise<Face>>();

/** The faces that have the letters of a text, the most common first. */
export async function facesFor(text: string): Promise<Faces> {
  const [first, ...others] = sources;
  const faces: [Face, ...Face[]] = [await faceOf(first!)];
  const without = (face: Face, letters: Iterable<string>) => [...letters].filter((letter) => !face.has(letter.codePointAt(0)!));
  let missing = without(faces[0], new Set(text));
  for (const source of others) {
    if (!missing.some((letter) => source.letters.test(letter))) continue;
    const face = await faceOf(source);
    faces.push(face);
    missing = without(face, missing);
  }
  return faces;
}

function faceOf(source: Source): Promise<Face> {
  const open = opened.get(source) ?? openFace(source);
  opened.set(source, open);
  return open;
}

async function openFace({ name, regular, bold }: Source): Promise<Face> {
  const [plain, heavy] = await Promise.all([readFont(regular), bold === undefined ? null : readFont(bold)]);
  const letters = new Set(plain.characterSet);
  return { name, regular: plain, bold: heavy, has: (codePoint) => letters.has(codePoint) };
}

const readFont = async (font: URL): Promise<Font> => create(unpackFont(await readFile(font)));
