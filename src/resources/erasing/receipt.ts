// The receipt of an erasing: counts, and hashes by which who knows a value can tell that it was among those erased.
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Person } from "./person.ts";

export const receipt = z.object({
  deleted: z.record(z.string(), z.int()).describe("How many records were deleted, by kind."),
  rewritten: z.record(z.string(), z.int()).describe("In how many other rows a value was replaced by `[erased]`, by table."),
  files: z
    .record(z.string(), z.int())
    .describe(
      "How many stored files were `removed`, also exports and archives; `kept` on request; are `unread`, such as pictures and PDF of others; or are `begun_anew`, exports that were being written.",
    ),
  kept_file_ids: z.array(z.string()).describe("Files that name the person and were kept on request; at most a hundred."),
  n_shared: z
    .int()
    .describe(
      "Values that others have too, such as the number of a switchboard or the name of another lead. They stay with the others.",
    ),
  salt: z.string().describe("Put before each value before it was hashed."),
  values: z
    .array(z.object({ kind: z.enum(["name", "email", "phone", "url"]), sha256: z.string() }))
    .describe(
      "What was looked for: SHA-256 of the salt and the value, in hex. E-mail addresses in lower case, numbers as E.164.",
    ),
});

export type Receipt = z.output<typeof receipt>;

const kinds = { names: "name", emails: "email", phones: "phone", urls: "url" } as const;

export const hashesOf = (person: Person, salt: string): Receipt["values"] =>
  (["names", "emails", "phones", "urls"] as const).flatMap((list) =>
    person[list].map((value) => ({ kind: kinds[list], sha256: createHash("sha256").update(salt).update(value).digest("hex") })),
  );
