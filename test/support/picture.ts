// Pictures for tests, made without a program for pictures.
import { crc32, deflateSync } from "node:zlib";

interface Shape {
  width?: number;
  height?: number;
  /** As the format numbers them: 2 is red, green and blue, 6 the same with transparency. */
  color?: 2 | 6;
  /** The pixels that are not there, of those that the head promises. */
  missing?: number;
  /** The first byte of each row. */
  filter?: number;
}

/** A PNG of one color. */
export function png({ width = 120, height = 40, color = 6, missing = 0, filter = 0 }: Shape = {}): Buffer {
  const samples = color === 6 ? [29, 79, 140, 255] : [29, 79, 140];
  const row = Buffer.from([filter, ...Array.from({ length: width }, () => samples).flat()]);
  const pixels = Buffer.concat(Array.from({ length: height }, () => row)).subarray(missing);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, color, 0, 0, 0], 8);
  const chunks = [chunk("IHDR", head), chunk("IDAT", deflateSync(pixels)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
