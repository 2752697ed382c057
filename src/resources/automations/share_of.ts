import { hash } from "node:crypto";

/** Spreads texts evenly from 0 to 1, each always to the same place. */
export const shareOf = (text: string): number => Number.parseInt(hash("sha1", text, "hex").slice(0, 8), 16) / 2 ** 32;
