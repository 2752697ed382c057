// `headwater account link`: prints a new link to accept an invitation, or for a member to set the password, for services that send no
// mail or when the mail did not arrive.
import { randomBytes } from "node:crypto";
import type { App } from "../app.ts";
import { type MembershipOfPerson, membershipsWithEmail } from "../auth/unscoped.ts";
import { insertPasswordLink } from "../auth/unscoped_sign_in.ts";
import type { Config } from "../config.ts";
import { asSystem } from "../records/acting.ts";
import { invitationUrl, issueInvitation } from "../resources/organization/invitation.ts";
import { newId } from "../values/id.ts";
import { withApp } from "./database.ts";
import { Mistake, say } from "./say.ts";

interface Options {
  email: string;
  organization?: string;
}

export async function run(config: Config, { email, organization }: Options): Promise<void> {
  say(
    await withApp(config, async (app) => {
      const found = await membershipsWithEmail(app.db, email);
      const invited = chooseInvited(found, email, organization);
      return invited === null ? passwordLink(app, found[0]!.user_id) : invitationLink(app, invited);
    }),
  );
}

const invitationLink = ({ core }: App, { organization_id, id, user_id }: MembershipOfPerson): Promise<string> =>
  asSystem(core, organization_id, { id: newId("req"), method: "", path: "headwater account link" }, async (ctx) =>
    invitationUrl(ctx, issueInvitation(ctx, { id, user_id })),
  );

const linkMs = 24 * 3600 * 1000;

/** For a member: a link to set the password, which works for a day. */
async function passwordLink({ core }: App, userId: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const now = core.clock();
  await insertPasswordLink(core.db, { token, userId, now, expires: new Date(now.getTime() + linkMs) });
  return `${core.settings.base_url}/password/${token}/`;
}

/** The invitation that is meant, or null for somebody who is a member already. */
function chooseInvited(
  found: readonly MembershipOfPerson[],
  email: string,
  organization: string | undefined,
): MembershipOfPerson | null {
  const here = organization === undefined ? found : found.filter((one) => one.organization_id === organization);
  const invited = here.filter((one) => one.status === "invited");
  if (invited.length === 1) return invited[0]!;
  if (invited.length > 1) {
    const list = invited.map((one) => `  ${one.organization_id}  ${one.organization_name}`).join("\n");
    throw new Mistake(`${email} is invited to several organizations: choose one with --organization.\n${list}`);
  }
  if (here.some((one) => one.status === "active")) return null;
  throw new Mistake(`${email} is not invited to ${organization ?? "any organization"}: invite them first.`);
}
