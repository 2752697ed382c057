// What the steps that change a record do with it.
import { StepFailure } from "../step_failure.ts";
import { nextOwner, ownerField } from "./assigning.ts";
import type { Call, Outcome } from "./step.ts";
import { changeRecord, createOf, deleteTargeted, findAlike, idOf, presentOf, targetOf } from "./writing.ts";

export async function change(call: Call, fields: Record<string, unknown>): Promise<Outcome> {
  const found = await targetOf(call);
  await changeRecord(call, found, fields);
  return { output: idOf(found) };
}

export async function deleteTarget(call: Call): Promise<Outcome> {
  const found = await targetOf(call);
  await deleteTargeted(call, found);
  return { output: idOf(found) };
}

export async function updateTarget(call: Call): Promise<Outcome> {
  const found = await targetOf(call);
  const mode = call.config.mode ?? "overwrite";
  const present = mode === "overwrite" ? {} : await presentOf(call, found);
  const fields = Object.entries(call.config.fields).flatMap(([key, value]) => combined(mode, key, present[key] ?? null, value));
  await changeRecord(call, found, Object.fromEntries(fields));
  return { output: idOf(found) };
}

/** The new value of a field, in a list; an empty list leaves it as it is. */
function combined(mode: string, key: string, present: unknown, value: unknown): [string, unknown][] {
  const isEmpty = present === null || present === "" || (Array.isArray(present) && present.length === 0);
  if (mode === "if_empty") return isEmpty ? [[key, value]] : [];
  if (mode === "increment") return [[key, Number(present ?? 0) + Number(value)]];
  const [list, given] = [Array.isArray(present) ? present : [], [value].flat()];
  if (mode === "append") return [[key, [...list, ...given.filter((one) => !list.includes(one))]]];
  if (mode === "remove") return [[key, list.filter((one) => !given.includes(one))]];
  return [[key, value]];
}

export async function createAny(call: Call): Promise<Outcome> {
  const { object_type, fields, dedupe } = call.config;
  const alike = dedupe == null ? null : await findAlike(call, object_type, dedupe.by, fields);
  if (alike === null) return { output: idOf(await createOf(call, object_type, fields)) };
  if (dedupe.on_match === "update") await changeRecord(call, alike, fields);
  return { port: "matched", output: idOf(alike) };
}

export async function changeTag(call: Call): Promise<Outcome> {
  const found = await targetOf(call);
  const { tag, change: word } = call.config;
  const { tags = null } = (found.row ?? (await presentOf(call, found))) as { tags?: string[] | null };
  if (tags === null) throw new StepFailure("object_type_mismatch", "config", `A ${found.kind.name} has no tags`);
  const others = tags.filter((one) => one.toLowerCase() !== tag.toLowerCase());
  const has = others.length < tags.length;
  if (has !== (word === "add")) await changeRecord(call, found, { tags: word === "add" ? [...tags, tag] : others });
  return { output: idOf(found) };
}

export async function assignOwner(call: Call): Promise<Outcome> {
  const found = await targetOf(call);
  const user_id = await nextOwner(call, found.kind);
  await changeRecord(call, found, { [ownerField(found.kind)]: user_id });
  return { output: { ...idOf(found), user_id } };
}
