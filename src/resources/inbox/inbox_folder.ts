// A folder of the inbox.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { boolean, computed, input, integer, ref, related, text } from "../../core/field.ts";
import { type Row, resource } from "../../core/resource.ts";
import { name, type Sql, sql } from "../../db/sql.ts";
import { andVisible, visibleAsLead } from "../leads/visibility.ts";
import { atEnd, positionMax } from "../shared/positions.ts";
import { prospectIsVisible } from "./prospect_visibility.ts";

export const inboxFolder = resource({
  name: "inbox_folder",
  prefix: "folder",
  doc: "A folder for conversations and prospects. Inbox, Archive, Trash and Spam always exist.",
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
    name: text({ filled: true, doc: "Unique among the folders at the same place." }),
    display_name: input(z.string().max(255), {
      doc: "Another name of `name`.",
      shown: computed(["name"], z.string(), (given: string) => given, "The same as `name`."),
    }),
    parent_folder_id: ref("inbox_folder", { onDelete: "clear", onMove: "clear" }, { doc: "The folder that contains it." }),
    color: text({ max: 50 }),
    position: integer({ min: 0, max: positionMax, default: atEnd("inbox_folder"), doc: "Its position in the list." }),
    is_system: boolean({ readOnly: true, default: false, doc: "True for the four that always exist." }),
    system_name: text({ readOnly: true, hidden: true }),
    is_shared: boolean({ default: true, doc: "False for a private folder." }),
    user_id: ref("user", { onDelete: "keep", onMove: "clear" }, { readOnly: true, doc: "For a private folder: its owner." }),
    unread_count: counted(sql`and not c.is_read`, "The number of its unread conversations and new prospects."),
    total_count: counted(sql``, "The number of its conversations and new prospects."),
  },
});

function counted(condition: Sql, doc: string) {
  return related(
    z.int(),
    (alias, ctx) => sql`(select count(*) from conversation c where c.organization_id = ${ctx.organization_id}
        and c.folder_id = ${name(alias)}.id and c.deleted_at is null ${condition} ${andVisible(visibleAsLead(ctx, "c"))})
      + (select count(*) from inbox_prospect p where p.organization_id = ${ctx.organization_id}
        and p.folder_id = ${name(alias)}.id and p.status = 'new' and ${prospectIsVisible(ctx, "p")})`,
    doc,
  );
}

type SystemName = "inbox" | "archive" | "trash" | "spam";

export const systemFolder = (directory: Directory, system_name: SystemName): Row<typeof inboxFolder> =>
  directory.list(inboxFolder).find((folder) => folder.system_name === system_name)!;

/** The folder. Undefined when there is none that the caller may see. */
export function folderOf(ctx: Ctx, id: string): Row<typeof inboxFolder> | undefined {
  const folder = ctx.directory.get(inboxFolder, id);
  return folder && (folder.is_shared || folder.user_id === ctx.actor.user_id) ? folder : undefined;
}

/** The `folder_id` of what is filed. The Inbox by default. */
export const folderId = (doc: string) =>
  ref(
    "inbox_folder",
    { onDelete: "refuse", onMove: "match" },
    {
      default: (ctx: Ctx) => systemFolder(ctx.directory, "inbox").id as string,
      doc,
    },
  );
