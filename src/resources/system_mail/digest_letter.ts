// The digest: a mail with a member's unread notifications as they are when it is sent, by lead, the newest first.
import { actorOfMember } from "../../auth/unscoped_work.ts";
import { type Ctx, query, read } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { from, scope } from "../../core/resource.ts";
import { and, sql, statement } from "../../db/sql.ts";
import { actingAs } from "../../records/acting.ts";
import { findRecords } from "../../records/records.ts";
import { isolated } from "../../values/bidi.ts";
import { newId } from "../../values/id.ts";
import { oneLine } from "../../values/one_line.ts";
import { hasWebAddress } from "../../values/web_address.ts";
import { lead } from "../leads/lead.ts";
import { notification } from "../notifications/notification.ts";
import { isQuiet, type NotificationSettings, readSettings } from "../organization/notification_settings.ts";
import { organizationOf } from "../organization/organization.ts";
import { user } from "../organization/user.ts";
import { digestsOffUrl } from "./digests_off.ts";
import type { Composed, Item, Letter, Part, SystemMail } from "./letter.ts";

/** How many are listed one by one. */
const shownMost = 50;

/** Null when the member has left, has turned such mail off, or has nothing unread that they may see. */
export async function digestLetter(core: Core, mail: SystemMail): Promise<Composed> {
  const actor = await actorOfMember(core.db, mail.organization_id, mail.user_id);
  if (actor === null) return null;
  return actingAs(core, actor, { id: newId("req"), method: "", path: "" }, async (ctx) => {
    const reader = await readerOf(ctx);
    if (!reader.settings.email) return null;
    if (isQuiet(ctx.now, reader.timezone, reader.settings)) return "later";
    const unread = await unreadOf(ctx, mail.id);
    if (unread.rows.length === 0) return null;
    const off = digestsOffUrl(ctx.settings, mail.user_id);
    const headers = { "List-Unsubscribe": `<${off}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
    return { to: reader.email, letter: await letterOf(ctx, reader.first_name, unread, off), headers };
  });
}

// --- what is read ---

interface Reader {
  email: string;
  first_name: string;
  timezone: string;
  settings: NotificationSettings;
}

async function readerOf(ctx: Ctx): Promise<Reader> {
  const [row] = await read(ctx, {
    name: "system_mail.reader",
    text: `select email, first_name, timezone, notification_settings from "user" where id = $1`,
    values: [ctx.actor.user_id],
  });
  const { timezone } = organizationOf(ctx.directory);
  return { email: row![0]!, first_name: row![1]!, timezone: row![2] ?? timezone, settings: readSettings(row![3]!) };
}

interface Unread {
  title: string;
  body: string | null;
  url: string | null;
  lead_id: string | null;
  actor_id: string | null;
  count: number;
}

/** The list's own rule decides what the member sees. */
async function unreadOf(ctx: Ctx, mailId: string): Promise<{ rows: Unread[]; count: number }> {
  const rows = await query(
    ctx,
    statement(sql`select t.title, t.body, t.url, t.lead_id, t.actor_id, t.count, count(*) over () from ${from(notification, "t")}
      where ${and([...scope(ctx, notification), sql`t.system_mail_id = ${mailId}`, sql`not t.is_read`])}
      order by t.date_created desc, t.id desc limit ${shownMost}`),
  );
  return {
    rows: rows.map(([title, body, url, lead_id, actor_id, count]) => ({
      title: title!,
      body: body!,
      url: url!,
      lead_id: lead_id!,
      actor_id: actor_id!,
      count: Number(count),
    })),
    count: Number(rows[0]?.[6] ?? 0),
  };
}

// --- what is said ---

async function letterOf(
  ctx: Ctx,
  firstName: string,
  { rows, count }: { rows: readonly Unread[]; count: number },
  off: string,
): Promise<Letter> {
  const name = isolated(oneLine(organizationOf(ctx.directory).name, 80));
  const what = `${count} unread notification${count === 1 ? "" : "s"}`;
  const greeting = isolated(oneLine(firstName, 80));
  return {
    subject: `${what} in ${hasWebAddress(name) ? "your workspace" : name}`,
    parts: [
      { words: greeting === "" ? "Hello," : `Hello ${greeting},` },
      { words: `you have ${what} in ${name}.` },
      ...(await groupsOf(ctx, rows)),
      ...(count > rows.length ? [{ words: `… and ${count - rows.length} more.` }] : []),
      { aside: "You get this mail because some of them were unread for ten minutes.", link: "Turn this mail off", href: off },
    ],
  };
}

/** Notifications about one lead are together, at the place of its newest one. */
async function groupsOf(ctx: Ctx, rows: readonly Unread[]): Promise<Part[]> {
  const ids = [...new Set(rows.flatMap(({ lead_id }) => lead_id ?? []))];
  const leads = ids.length === 0 ? [] : await findRecords(ctx, lead, [sql`t.id = any(${ids})`]);
  const names = new Map(leads.map(({ id, display_name }) => [id, oneLine(display_name, 120)]));
  const groups = Map.groupBy(rows, ({ lead_id }) => names.get(lead_id ?? "") ?? "");
  const isOne = groups.size === 1;
  return [...groups].flatMap(([name, those]): Part[] => {
    const heading = name === "" && !isOne ? "Other" : name;
    return [...(heading === "" ? [] : [{ heading }]), { items: those.map((one) => itemOf(ctx, one)) }];
  });
}

const itemOf = ({ settings, directory }: Ctx, { title, body, url, actor_id, count }: Unread): Item => ({
  title: `${withNameIsolated(oneLine(title), directory.get(user, actor_id)?.name)}${count > 1 ? ` (${count} times)` : ""}`,
  note: body === null || body.trim() === "" ? null : oneLine(body, 200),
  href: url === null ? null : url.startsWith("/") ? `${settings.base_url}${url}` : url,
});

/** Most titles begin with the name of who caused it. */
function withNameIsolated(title: string, name: string | undefined): string {
  const first = oneLine(name ?? "");
  return first !== "" && title.startsWith(`${first} `) ? isolated(first) + title.slice(first.length) : title;
}
