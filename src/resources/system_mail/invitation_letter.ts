// The mail that brings an invitation.
import { hashOf } from "../../auth/unscoped.ts";
import { type Ctx, read } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import { asSystem } from "../../records/acting.ts";
import { isolated } from "../../values/bidi.ts";
import { newId } from "../../values/id.ts";
import { oneLine } from "../../values/one_line.ts";
import { pgTimestamp } from "../../values/time.ts";
import { hasWebAddress } from "../../values/web_address.ts";
import { invitationUrl, inviterOf } from "../organization/invitation.ts";
import { organizationOf } from "../organization/organization.ts";
import type { Composed, Letter, SystemMail } from "./letter.ts";
import { tokenPlace } from "./queue.ts";

/** Null when the person has accepted or was removed, or a newer link replaced this one. */
export const invitationLetter = (core: Core, mail: SystemMail): Promise<Composed> =>
  asSystem(core, mail.organization_id, { id: newId("req"), method: "", path: "" }, async (ctx) => {
    const token = ctx.settings.secrets.open(mail.sealed_token!, tokenPlace(mail.organization_id, mail.id));
    const found = await findLink(ctx, mail.membership_id!, hashOf(token));
    if (found === null) return null;
    const names = { inviter: inviterOf(ctx, mail.created_by), organization: organizationOf(ctx.directory).name };
    const until = dayOf(found.expires_at, organizationOf(ctx.directory).timezone);
    return { to: found.email, letter: letterOf(names, invitationUrl(ctx, token), until) };
  });

/** Read from the database, because the directory may not have a member who was invited a moment ago. */
async function findLink(ctx: Ctx, membershipId: string, hash: string): Promise<{ email: string; expires_at: Date } | null> {
  const [row] = await read(ctx, {
    name: "invitation.link",
    text: `select m.invited_email, i.expires_at from invitation i
           join membership m on m.organization_id = $1 and m.id = i.membership_id
           where i.organization_id = $1 and i.membership_id = $2 and i.hash = $3 and i.expires_at > $4 and m.status = 'invited'`,
    values: [ctx.organization_id, membershipId, hash, ctx.now],
  });
  return row === undefined ? null : { email: row[0]!, expires_at: new Date(pgTimestamp(row[1]!)) };
}

const dayOf = (moment: Date, timeZone: string): string =>
  moment.toLocaleDateString("en-GB", { timeZone, day: "numeric", month: "long", year: "numeric" });

function letterOf(names: { inviter: string | null; organization: string }, href: string, until: string): Letter {
  const organization = isolated(oneLine(names.organization, 80));
  const named = hasWebAddress(organization) ? null : organization;
  const { inviter } = names;
  return {
    subject:
      inviter === null
        ? `You are invited to ${named ?? "a workspace"}`
        : `${inviter} invited you to ${named ?? "their workspace"}`,
    parts: [
      { words: "Hello," },
      {
        words:
          inviter === null
            ? `You are invited to work in ${organization}, a workspace of Headwater.`
            : `${inviter} invites you to work with them in ${organization}, a workspace of Headwater.`,
      },
      { button: "See the invitation", href },
      { words: `The link works until ${until}. If you did not expect this mail, you can ignore it.`, small: true },
    ],
  };
}
