// `headwater account link`: prints a new link to accept an invitation, for services that send no mail or when the mail did not
// arrive.
import type { App } from "../app.ts";
import { type MembershipOfPerson, membershipsWithEmail } from "../auth/unscoped.ts";
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
  say(await withApp(config, async (app) => link(app, choose(await membershipsWithEmail(app.db, email), email, organization))));
}

const link = ({ core }: App, { organization_id, id, user_id }: MembershipOfPerson): Promise<string> =>
  asSystem(core, organization_id, { id: newId("req"), method: "", path: "headwater account link" }, async (ctx) =>
    invitationUrl(ctx, issueInvitation(ctx, { id, user_id })),
  );

function choose(found: readonly MembershipOfPerson[], email: string, organization: string | undefined): MembershipOfPerson {
  const here = organization === undefined ? found : found.filter((one) => one.organization_id === organization);
  const invited = here.filter((one) => one.status === "invited");
  if (invited.length === 1) return invited[0]!;
  if (invited.length > 1) {
    const list = invited.map((one) => `  ${one.organization_id}  ${one.organization_name}`).join("\n");
    throw new Mistake(`${email} is invited to several organizations: choose one with --organization.\n${list}`);
  }
  if (here.some((one) => one.status === "active"))
    throw new Mistake(`${email} is a member already: \`headwater key create --email ${email}\` makes a key for them.`);
  throw new Mistake(`${email} is not invited to ${organization ?? "any organization"}: invite them first.`);
}
