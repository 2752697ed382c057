// Where scheduled backups lie, and what they are called.
import type { Readable } from "node:stream";
import type { S3Place } from "../services/s3.ts";

export interface Place {
  /** How an operator calls it. */
  readonly said: string;
  /** All archives there, oldest first. */
  list(): Promise<string[]>;
  /** Has a new archive written to a path and puts it there as a whole. Returns its size in bytes. */
  add(name: string, write: (path: string) => Promise<void>): Promise<number>;
  read(name: string): Promise<Readable>;
  remove(name: string): Promise<void>;
}

/** A bucket and what its keys begin with; or a folder. */
export type PlaceName = { folder: string } | { s3: S3Place; prefix: string };

/** Names in the order of time. Whatever else lies in the folder is not ours. */
export const nameAt = (at: Date): string => `headwater-${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z.tar`;
/** Without those of a clock that was ahead: they are older than their names say. */
export const untilNow = (names: readonly string[], now: Date): string[] =>
  names.filter((name) => name <= nameAt(new Date(now.getTime() + 60_000)));
export const isName = (name: string): boolean => /^headwater-\d{8}T\d{6}Z\.tar$/.test(name);
