// The participants of a meeting or a conversation, as lists of objects name them.
import type { Naming } from "../../core/field.ts";

export const takingPart: readonly Naming[] = [
  { to: ["contact"], key: "contact_id" },
  { to: ["user"], key: "user_id" },
];
