// A note: a text about a lead.
import { z } from "zod";
import { boolean, computed, namingPast, text, texts, timestamp } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { searched } from "../../search/searched.ts";
import { act, kind, textMax, usersDoc } from "./act.ts";

export const note = resource({
  ...kind("Note", "note"),
  doc: "A note about a lead.",
  search: searched({
    words: (row: { title: string | null; note: string | null }) => [{ text: row.title }, { text: row.note }],
    covers: ["title", "note"],
  }),
  fields: {
    ...act("Note"),
    users: computed(["user_id", "mentions"], z.array(z.string()), involved, usersDoc),
    title: text(),
    note: text({ max: textMax, doc: "The plain text; it or `note_html` is needed." }),
    note_html: text({ max: textMax, doc: "The rich text, with mentions; wins over `note`." }),
    mentions: texts({
      readOnly: true,
      default: [] as string[],
      names: namingPast("user", "group"),
      doc: "Users and groups that the rich text mentions.",
    }),
    pinned: boolean({ default: false, doc: "Pinned to the top of the lead's history." }),
    pinned_at: timestamp({ readOnly: true }),
    pinned_by: text({ readOnly: true, doc: "The user who pinned it." }),
  },
});

function involved(user_id: string | null, mentions: string[]): string[] {
  return [...new Set([...(user_id === null ? [] : [user_id]), ...mentions.filter((id) => id.startsWith("user_"))])];
}
