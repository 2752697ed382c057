// Who is shown the values in a run: what its steps, conditions and errors took from records. Whoever sees the record of a run sees that it
// runs, but its steps may have read others. So without the right to see all leads, its values are shown only to the member with whose
// eyes all of them were read.
import { z } from "zod";
import type { Actor } from "../../core/context.ts";
import { type LookedUp, lookedUp, type Moment } from "../../core/field.ts";

/** The column with that member's id; null where the service read them, or several members did. */
const eyes = "seen_as_user_id";

/** The fields of a run that hold them. */
export const valuesOfRun: ReadonlySet<string> = new Set(["input", "output", "vars", "error", "wait", "explanation"]);

export const mayReadValues = ({ permissions, user_id }: Actor, seenAs: string | null): boolean =>
  permissions.has("view_all_leads") || (seenAs !== null && seenAs === user_id);

/** A column with such a value, null for all others. */
export const forReaders = (column: string, schema: z.ZodType, doc = ""): LookedUp =>
  lookedUp(
    [column, eyes],
    schema.nullable(),
    (_directory, value: unknown, seenAs: string | null, { actor }: Moment) => (mayReadValues(actor, seenAs) ? value : null),
    doc,
  );

export const withheld = lookedUp(
  [eyes],
  z.literal("other_rights").nullable(),
  (_directory, seenAs: string | null, { actor }: Moment) => (mayReadValues(actor, seenAs) ? null : "other_rights"),
  "`other_rights`: it runs with rights that you lack, so its values are null: input, output, variables, errors, and those of its steps.",
);

/** What a wait says of itself without them. */
export const outlineOf = (wait: { kind?: string; until?: string } | null) => wait && { kind: wait.kind, until: wait.until };
