// A send-as: one member allows another to send in their name.
import { label, ref } from "../../core/field.ts";
import { resource } from "../../core/resource.ts";
import { name, sql } from "../../db/sql.ts";

const member = { onDelete: "keep", onMove: "keep" } as const;

export const sendAs = resource({
  name: "send_as",
  called: ["send-as permission", "send-as permissions"],
  prefix: "sdas",
  doc: "A send-as: one member allows another to send in their name. Members see those they are part of.",
  event: null,
  mcp: false,
  narrows: true,
  visible(ctx, alias) {
    const { user_id } = ctx.actor;
    return sql`(${name(alias)}.allowing_user_id = ${user_id} or ${name(alias)}.allowed_user_id = ${user_id})`;
  },
  fields: {
    allowing_user_id: ref("user", member, {
      filled: true,
      createOnly: true,
      doc: "The member in whose name mail is sent: the caller.",
    }),
    allowed_user_id: ref("user", member, { required: true, createOnly: true, doc: "The member who may send in that name." }),
    name: label("allowing_user_id", "user", "name", "The name that is sent under."),
    email: label("allowing_user_id", "user", "email", "The address that is sent under."),
  },
});
