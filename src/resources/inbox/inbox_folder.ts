// A folder of the inbox.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { boolean, computed, input, integer, ref, related, text } from "../../core/field.ts";
import { type Row, resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { andVisible, visibleAsLead } from "../leads/visibility.ts";
import { atEnd, positionMax } from "../shared/positions.ts";

export const inboxFolder = resource({
  name: "inbox_folder",
  prefix: "folder",
  doc: "A folder that conversations and prospects are filed in. Inbox, Archive, Trash and Spam are always there.",
  event: null,
  cached: true,
  order: "position,name",
  sort: { position: true, name: true },
  elsewhere: {
    by: "name",
    which: (alike) => alike.find((folder) => folder.is_shared),
    instead: (_row, _here, there): string => systemFolder(there.directory, "inbox").id,
  },
  visible: (ctx, alias) => sql`(${name(alias)}.is_shared or ${name(alias)}.user_id = ${ctx.actor.user_id})`,
  fields: {
    name: text({ filled: true, doc: "Unique among the folders beside it." }),
    display_name: input(z.string().max(255), {
      doc: "Another name of `name`.",
      shown: computed(["name"], z.string(), (given: string) => given, "The same as `name`."),
    }),
    parent_folder_id: ref("inbox_folder", { onDelete: "clear", onMove: "clear" }, { doc: "The folder it lies in." }),
    color: text({ max: 50 }),
    position: integer({ min: 0, max: positionMax, default: atEnd("inbox_folder"), doc: "Its place in the list." }),
    is_system: boolean({ readOnly: true, default: false, doc: "One of the four that are always there." }),
    system_name: text({ readOnly: true, hidden: true }),
    is_shared: boolean({ default: true, doc: "False for a folder of one's own." }),
    user_id: ref("user", { onDelete: "keep", onMove: "clear" }, { readOnly: true, doc: "Of a private folder: whose it is." }),
    unread_count: counted(sql`and not c.is_read`, "Conversations in it that are not read, and new prospects."),
    total_count: counted(sql``, "Conversations in it, and new prospects."),
  },
});

function counted(condition: Sql, doc: string) {
  return related(
    z.int(),
    (alias, ctx) => sql`(select count(*) from conversation c where c.organization_id = ${ctx.organization_id}
        and c.folder_id = ${name(alias)}.id and c.deleted_at is null ${condition} ${andVisible(visibleAsLead(ctx, "c"))})
      + (select count(*) from inbox_prospect p where p.organization_id = ${ctx.organization_id}
        and p.folder_id = ${name(alias)}.id and p.status = 'new' ${andVisible(visibleAsLead(ctx, "p"))})`,
    doc,
  );
}

type SystemName = "inbox" | "archive" | "trash" | "spam";

export const systemFolder = (directory: Directory, system_name: SystemName): Row<typeof inboxFolder> =>
  directory.list(inboxFolder).find((folder) => folder.system_name === system_name)!;

/** The folder, or undefined where there is none that the caller may see. */
export function folderOf(ctx: Ctx, id: string): Row<typeof inboxFolder> | undefined {
  const folder = ctx.directory.get(inboxFolder, id);
  return folder && (folder.is_shared || folder.user_id === ctx.actor.user_id) ? folder : undefined;
}

/** `folder_id` of what is filed: the Inbox, where nothing else is said. */
export const folderId = (doc: string) =>
  ref(
    "inbox_folder",
    { onDelete: "refuse", onMove: "match" },
    {
      default: (ctx: Ctx) => systemFolder(ctx.directory, "inbox").id as string,
      doc,
    },
  );
