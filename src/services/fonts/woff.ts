// Unpacks fonts from the formats WOFF and WOFF2, in the latter those whose tables are stored as they are, which is so for fonts with
// outlines in the table `CFF `. pdfkit could unpack them too, but in JavaScript, which takes a second, and again for each document.
import { brotliDecompressSync, inflateSync } from "node:zlib";

interface Table {
  tag: string;
  length: number;
}

/** The same font as TrueType or OpenType. */
export function unpackFont(packed: Buffer): Buffer {
  const format = packed.toString("latin1", 0, 4);
  return format === "wOFF" ? unpackWoff(packed) : format === "wOF2" ? unpackWoff2(packed) : packed;
}

function unpackWoff(packed: Buffer): Buffer {
  const tables: Table[] = [];
  const contents: Buffer[] = [];
  for (let i = 0; i < packed.readUInt16BE(12); i++) {
    const entry = 44 + 20 * i;
    const [from, stored, length] = [4, 8, 12].map((at) => packed.readUInt32BE(entry + at)) as [number, number, number];
    const bytes = packed.subarray(from, from + stored);
    tables.push({ tag: packed.toString("latin1", entry, entry + 4), length });
    contents.push(stored < length ? inflateSync(bytes) : bytes);
  }
  return assemble(packed.subarray(4, 8), tables, Buffer.concat(contents));
}

function unpackWoff2(packed: Buffer): Buffer {
  const { tables, end } = readDirectory(packed);
  const contents = brotliDecompressSync(packed.subarray(end, end + packed.readUInt32BE(20)));
  return assemble(packed.subarray(4, 8), tables, contents);
}

const headerBytes = 48;

function readDirectory(packed: Buffer): { tables: Table[]; end: number } {
  const tables: Table[] = [];
  let at = headerBytes;
  for (let left = packed.readUInt16BE(12); left > 0; left--) {
    const flags = packed[at++]!;
    const known = flags & 0x3f;
    const tag = known === 0x3f ? packed.toString("latin1", at, at + 4) : tags[known]!;
    if (known === 0x3f) at += 4;
    if (tag === "glyf" || tag === "loca" || flags >> 6 !== 0) throw new Error(`The table ${tag} of this font is transformed.`);
    let length = 0;
    let byte: number;
    do {
      byte = packed[at++]!;
      length = length * 128 + (byte & 0x7f);
    } while (byte >= 0x80);
    tables.push({ tag, length });
  }
  return { tables, end: at };
}

function assemble(flavor: Buffer, tables: readonly Table[], contents: Buffer): Buffer {
  const head = Buffer.alloc(12 + 16 * tables.length);
  flavor.copy(head);
  head.writeUInt16BE(tables.length, 4);
  const parts: Buffer[] = [head];
  let [from, to] = [0, head.length];
  for (const [i, { tag, length }] of tables.entries()) {
    const entry = 12 + 16 * i;
    head.write(tag, entry, "latin1");
    head.writeUInt32BE(to, entry + 8);
    head.writeUInt32BE(length, entry + 12);
    parts.push(contents.subarray(from, from + length), Buffer.alloc(-length & 3));
    from += length;
    to += length + (-length & 3);
  }
  return Buffer.concat(parts);
}

/** The tables that the format writes as a number, in their order. */
const tags = (
  "cmap head hhea hmtx maxp name OS/2 post cvt_ fpgm glyf loca prep CFF_ VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea vmtx BASE " +
  "GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG_ sbix acnt avar bdat bloc bsln cvar fdsc feat fmtx fvar gvar hsty just lcar " +
  "mort morx opbd prop trak Zapf Silf Glat Gloc Feat Sill"
)
  .split(" ")
  .map((tag) => tag.replace("_", " "));
