// The verbs of notes.
import { type Ctx, userOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { type BothForms, bothForms } from "./both_forms.ts";
import { note } from "./note.ts";
import { newOnes, tellMentioned } from "./notices.ts";
import { checkPlace, place } from "./placing.ts";

type Note = Row<typeof note>;

export async function createNote(ctx: Ctx, given: Create<typeof note>): Promise<Note> {
  const forms = await bothForms(ctx, { text: given.note, html: given.note_html });
  if (!forms?.html) throw invalid({ note: "is required" });
  const { placed } = await place(ctx, given);

  const row = store.insert(ctx, note, { ...given, ...placed, ...written(forms), ...pinning(ctx, given.pinned === true) });
  tellMentioned(ctx, "note", row, row.mentions, row.note);
  return row;
}

export async function updateNote(ctx: Ctx, before: Note, patch: Patch<typeof note>): Promise<Note> {
  const forms = await bothForms(ctx, { text: patch.note, html: patch.note_html }, { text: before.note, html: before.note_html });
  if (forms && !forms.html) throw invalid({ note: "must not be empty" });
  await checkPlace(ctx, before, patch);

  const isPinned = patch.pinned ?? before.pinned;
  const pins = isPinned === before.pinned ? {} : pinning(ctx, isPinned);
  const after = store.update(ctx, note, before, { ...patch, ...(forms && written(forms)), ...pins });
  tellMentioned(ctx, "note", after, newOnes(before.mentions, after.mentions), after.note);
  return after;
}

const written = (forms: BothForms) => ({ note: forms.text, note_html: forms.html, mentions: forms.mentions });

const pinning = (ctx: Ctx, isPinned: boolean) =>
  isPinned ? { pinned_at: ctx.now.toISOString(), pinned_by: userOf(ctx) } : { pinned_at: null, pinned_by: null };
