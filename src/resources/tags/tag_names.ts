// The names of tags: the field of a tag itself, and the field of a record with tags.
import type { z } from "zod";
import { formed, texts } from "../../core/field.ts";

const nameMax = 100;
const tagsMax = 100;

export const tagName = <const O extends { required?: boolean; doc?: string }>(options: O) =>
  formed(parseTagName, `must be 1 to ${nameMax} characters`, options);

/** The tags of a record. Unknown ones are created: see `with_tags.ts`. */
export const tagNames = (doc: string) =>
  texts({ default: [] as string[], max: tagsMax, each: tagName({ required: true }).schema as z.ZodType<string>, doc });

function parseTagName(raw: string): string | null {
  const trimmed = raw.trim();
  return trimmed === "" || trimmed.length > nameMax ? null : trimmed;
}
