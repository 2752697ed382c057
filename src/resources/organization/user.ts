// A user: a member of this organization as other members see them.
import { z } from "zod";
import type { Ctx } from "../../core/context.ts";
import type { Directory } from "../../core/directory.ts";
import { choice, computed, lookedUp, text, timestamp } from "../../core/field.ts";
import { type Resource, resource } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { showList } from "../../records/list.ts";
import { readList } from "../../records/list_input.ts";
import { emailKey } from "../../values/email.ts";

export const user = resource({
  name: "user",
  prefix: "user",
  table: "member",
  doc: "A person who is a member of this organization.",
  cached: true,
  mcp: false,
  event: null,
  order: "last_name,first_name",
  elsewhere: {
    by: "id",
    which: ([member], _row, _here, there) => (member && isActiveMember(there, member.id) ? member : undefined),
  },
  sort: { last_name: true, first_name: true, name: true, email: true },
  filters: {
    email: { doc: "Only the member with this e-mail address.", sql: (_ctx, value) => sql`lower(t.email) = ${emailKey(value)}` },
  },
  fields: {
    email: text({ required: true, readOnly: true }),
    first_name: text({ default: "", readOnly: true }),
    last_name: text({ default: "", readOnly: true }),
    name: text({ required: true, readOnly: true, doc: "First and last name, or else the e-mail address." }),
    full_name: computed(["name"], z.string(), (name) => name, "The same as `name`."),
    display_name: computed(["name"], z.string(), (name) => name, "The same as `name`."),
    image: text({ readOnly: true, doc: "The address of a picture of the person." }),
    timezone: text({ readOnly: true }),
    role_id: text({ required: true, readOnly: true, doc: "The role in this organization." }),
    status: choice(["invited", "active", "inactive"], {
      required: true,
      readOnly: true,
      doc: "Lists leave out `inactive` unless asked for them.",
    }),
    organizations: lookedUp([], z.array(z.object({ id: z.string(), name: z.string() })), organizationsOf, "This organization."),
    membership_id: text({ required: true, readOnly: true, hidden: true }),
    availability: choice(["online", "offline"], { required: true, readOnly: true, hidden: true }),
    availability_updated_at: timestamp({ readOnly: true, hidden: true }),
  },
});

// The person's other organizations are private.
function organizationsOf(directory: Directory): { id: string; name: string }[] {
  const { id, name } = directory.find("organization", directory.organization_id) as { id: string; name: string };
  return [{ id, name }];
}

/** The ids of the admins. */
export const adminsOf = (directory: Directory): string[] =>
  directory.list(user).flatMap(({ id, role_id }) => (role_id === "admin" && isActiveMember(directory, id) ? id : []));

/** True when records may be assigned to this user: a member who has not been removed. */
export const isActiveMember = (directory: Directory, userId: string): boolean => {
  const found = directory.get(user, userId);
  return found !== undefined && found.status !== "inactive";
};

/** The list is about members. It includes removed ones only when the request asks for a status. */
export const listPresent = (of: Resource) => async (ctx: Ctx, query: Record<string, string>) => {
  const asksForStatus = "status" in query || "status__in" in query;
  return showList(ctx, of, await readList(ctx, of, query, asksForStatus ? [] : [sql`t.status <> 'inactive'`]));
};
