// What an archive says about itself. Its first entry says what it is, its last one how much is in it and with which hashes.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Secrets } from "../services/secrets.ts";

/** Raised when an older release could misread an archive. */
export const formatVersion = 1;

const count = z.number().int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const head = z.object({
  format: z.literal("headwater backup"),
  format_version: z.number().int(),
  id: z.string(),
  /** The release that took it. */
  release: z.string(),
  /** The moment of the snapshot. */
  taken_at: z.iso.datetime(),
  /** How many migrations the database had, and the last one. */
  migrations: z.object({ count, last: z.string() }),
  /** The only organization in it, or null for all of them. */
  organization_id: z.string().nullable(),
  /** The key that its manifest is signed with. The first archives do not say it. */
  signed_by: z.string().optional(),
  /** The key that seals its secrets, and whether they are in it, with the key or without. Null: they were left out. */
  secrets: z.object({ key_id: z.string(), has_key: z.boolean() }).nullable(),
});
export type Head = z.output<typeof head>;

const table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  /** The months that have a table of their own, such as `event_2026_11`. */
  partitions: z.array(z.string()),
  /** Where its counter of rows stands. */
  counter: z.object({ column: z.string(), value: z.string().regex(/^\d{1,19}$/) }).nullable(),
  rows: count,
  bytes: count,
  sha256,
});
export type TableEntry = z.output<typeof table>;

const manifest = head.extend({
  tables: z.array(table),
  files: z.object({
    count,
    bytes: count,
    /** Of one line for each file: its key, its size and its SHA-256, with spaces between. */
    sha256,
    /** Files whose records are in the archive, and whose bytes were not to be found; the first hundred. */
    missing: z.object({ count, keys: z.array(z.string()) }),
  }),
});
export type Manifest = z.output<typeof manifest>;

const signed = z.object({ manifest, signature: z.string() });

export const parseHead = (text: string): Head => parse(head, text);

/** The manifest, and whether one of the keys has signed it. Throws for one that was changed, where the key that signed it is among them. */
export function parseManifest(text: string, keys: readonly Secrets[]): { manifest: Manifest; isChecked: boolean } {
  const { manifest: found, signature } = parse(signed, text);
  const signer = signerOf(found);
  const by = keys.find(({ key_id }) => key_id === signer);
  // What seals the secrets of an archive has signed it, too.
  const isOthers = found.secrets !== null && signer !== found.secrets.key_id;
  if (isOthers || (by !== undefined && signatureOf(found, by) !== signature))
    throw new Error("The archive was changed after it was taken: its manifest is not the one that was signed.");
  return { manifest: found, isChecked: by !== undefined };
}

/** The id of the key that signed it. The first archives without secrets do not say it. */
export const signerOf = ({ signed_by, secrets }: Head): string | undefined => signed_by ?? secrets?.key_id;

export const signManifest = (one: Manifest, secrets: Secrets): string =>
  JSON.stringify({ manifest: one, signature: signatureOf(one, secrets) }, null, 2);

const signatureOf = (one: Manifest, secrets: Secrets): string => {
  const id = createHash("sha256")
    .update(JSON.stringify(manifest.parse(one)))
    .digest("hex");
  return secrets.derive({ table: "backup", column: "manifest", organization_id: "", id });
};

function parse<T>(shape: z.ZodType<T>, text: string): T {
  const known = versionOf(text);
  if (known !== null && known > formatVersion)
    throw new Error(
      `The archive is of a newer release (its format is ${known}, known here is ${formatVersion}): use that release.`,
    );
  try {
    return shape.parse(JSON.parse(text));
  } catch (error) {
    throw new Error("This is no whole archive of Headwater: what it says about itself cannot be read.", { cause: error });
  }
}

function versionOf(text: string): number | null {
  const [, version] = /"format_version":\s*(\d+)/.exec(text) ?? [];
  return version === undefined ? null : Number(version);
}
