// A membership: a person's place in this organization.
import { z } from "zod";
import { boolean, choice, formed, input, label, lookedUp, once, ref, text, timestamp } from "../../core/field.ts";
import { permissionsOf } from "../../core/permissions.ts";
import { resource } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { emailKey, parseEmail } from "../../values/email.ts";
import { parseUrl } from "../../values/url.ts";

const address = z.string().transform((raw, check) => {
  const email = parseEmail(raw, { allowLocalhost: true });
  if (email === null) check.addIssue({ code: "custom", message: "is not an e-mail address" });
  return email as string;
});

export const membership = resource({
  name: "membership",
  prefix: "memb",
  doc: "A person's membership in this organization, with their role and settings.",
  cached: true,
  mcp: false,
  narrows: true,
  filters: {
    email: {
      doc: "Only the member with this e-mail address.",
      sql: (ctx, value) =>
        sql`t.user_id in (select u.id from member u where u.organization_id = ${ctx.organization_id} and lower(u.email) = ${emailKey(value)})`,
    },
  },
  fields: {
    user_id: ref("user", { onDelete: "keep", onMove: "keep" }, { required: true, readOnly: true }),
    email: input(address, {
      createOnly: true,
      shown: label("user_id", "user", "email"),
      doc: "The invited address. Until the invitation is accepted, nothing else is shown of the person.",
    }),
    role_id: ref(
      "role",
      { onDelete: "refuse", onMove: "keep" },
      { default: "user", doc: "`admin`, `superuser`, `user`, `restricteduser`, or the id of a role." },
    ),
    status: choice(["invited", "active", "inactive"], {
      readOnly: true,
      default: "invited",
      doc: "`invited` until accepted, `inactive` once removed. Lists leave out `inactive` unless asked for them.",
    }),
    user_email: label("user_id", "user", "email"),
    user_first_name: label("user_id", "user", "first_name"),
    user_last_name: label("user_id", "user", "last_name"),
    user_full_name: label("user_id", "user", "name"),
    user_image: label("user_id", "user", "image"),
    permissions_granted: lookedUp(["role_id"], z.array(z.string()), (directory, roleId: string) => [
      ...permissionsOf(roleId, (directory.find("role", roleId)?.permissions as string[] | undefined) ?? []),
    ]),
    auto_record_calls: choice(["enabled", "disabled", "unset"], {
      default: "unset",
      doc: "`enabled` records the calls of this member; one that rings several, where all of them have it.",
    }),
    default_caller_id: ref("phone_number", { onDelete: "clear", onMove: "clear" }, { doc: "The number for outgoing calls." }),
    hangup_recording_url: formed((raw) => parseUrl(raw, { secure: true }), "is not a secure web address (https)"),
    may_workflows_impersonate: boolean({
      default: false,
      doc: "Whether other members may let their automations act in this person's name, by `run_as_user_id`.",
    }),
    track_email_opens: boolean({ default: true, doc: "Whether opens of this member's mail are tracked." }),
    invitation_url: once(
      "The link by which the invitation is accepted, shown by the invitation alone, and only where the service sends no mail: hand it over yourself.",
    ),
    invited_email: text({ readOnly: true, hidden: true }),
    accepted: boolean({ readOnly: true, hidden: true, default: false }),
    availability: choice(["online", "offline"], { readOnly: true, hidden: true, default: "offline" }),
    availability_updated_at: timestamp({ readOnly: true, hidden: true }),
  },
});
