// The link that accepts an invitation. It is sent by mail. Where no mail can be sent, the inviting member sees it.
import { randomBytes } from "node:crypto";
import { hashOf } from "../../auth/unscoped.ts";
import { type Ctx, userOf, write } from "../../core/context.ts";
import { Problem } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { isolated } from "../../values/bidi.ts";
import { oneLine } from "../../values/one_line.ts";
import { hasWebAddress } from "../../values/web_address.ts";
import { hourMs, limitReached, mailsMost } from "../system_mail/limits.ts";
import { newMailId, queueMail, recipientOf } from "../system_mail/queue.ts";
import type { membership } from "./membership.ts";
import { user } from "./user.ts";

type Invited = Pick<Row<typeof membership>, "id" | "user_id">;

const validMs = 14 * 24 * 3600 * 1000;

export const invitationUrl = (ctx: Ctx, token: string): string => `${ctx.settings.base_url}/invite/${token}/`;

/** Sends a person their link. Returns it instead when no mail can be sent. */
export async function sendInvitation(ctx: Ctx, invited: Invited, email: string): Promise<{ invitation_url?: string }> {
  if (ctx.settings.mail === null) return { invitation_url: invitationUrl(ctx, issueInvitation(ctx, invited)) };
  const { id: membership_id, user_id } = invited;
  const recipient = recipientOf(email);
  await checkLimits(ctx, recipient);
  const token = issueInvitation(ctx, invited);
  queueMail(ctx, newMailId(ctx), { kind: "invitation", user_id, membership_id, recipient, token });
  return {};
}

/** A new link, which replaces the previous one. */
export function issueInvitation(ctx: Ctx, { id }: Invited): string {
  const token = randomBytes(32).toString("base64url");
  write(ctx, {
    name: "invitation.issue",
    text: `insert into invitation (organization_id, membership_id, hash, invited_by, expires_at, date_created) values ($1, $2, $3, $4, $5, $6)
           on conflict (organization_id, membership_id) do update set
             hash = excluded.hash, invited_by = excluded.invited_by, expires_at = excluded.expires_at, date_created = excluded.date_created`,
    values: [ctx.organization_id, id, hashOf(token), userOf(ctx), new Date(ctx.now.getTime() + validMs), ctx.now],
  });
  return token;
}

/** Tells a stranger who invites them: the name with the address, which cannot be faked. A name with a web address is left out. */
export function inviterOf(ctx: Ctx, userId: string | null): string | null {
  const found = ctx.directory.get(user, userId);
  if (found === undefined) return null;
  return found.name === found.email || hasWebAddress(found.name)
    ? found.email
    : `${isolated(oneLine(found.name, 80))} (${found.email})`;
}

/** The words for a person are the same whoever invited them, so that nobody learns of other organizations. */
const refusals = {
  "to one": "No more invitations can be mailed to this address for now: try again in an hour.",
  "in all": `${mailsMost} invitations were sent within an hour: try again in an hour.`,
};

async function checkLimits(ctx: Ctx, recipient: string): Promise<void> {
  const limit = await limitReached(ctx, "invitation", recipient);
  if (limit !== null) throw new Problem(429, refusals[limit], {}, { "retry-after": String(hourMs / 1000) });
}
