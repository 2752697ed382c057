// `headwater key create`: creates a key for a member. It prints only the key, so that a script can read it.
import type { App } from "../app.ts";
import { type MembershipOfPerson, membershipsWithEmail } from "../auth/unscoped.ts";
import { endUnprovenSignIn } from "../auth/unscoped_sign_in.ts";
import type { Config } from "../config.ts";
import type { Ctx } from "../core/context.ts";
import { contextFor } from "../core/perform.ts";
import { announceChange } from "../records/change.ts";
import { lockRecord } from "../records/records.ts";
import { writeKey } from "../resources/organization/found.ts";
import { membership } from "../resources/organization/membership.ts";
import { accept } from "../resources/organization/membership_verbs.ts";
import { newId } from "../values/id.ts";
import { withApp } from "./database.ts";
import { Mistake, say } from "./say.ts";

interface Options {
  email: string;
  organization?: string;
  name?: string;
}

export async function run(config: Config, { email, organization, name = "Command line" }: Options): Promise<void> {
  say(
    await withApp(config, async (app) =>
      createKey(app, choose(await membershipsWithEmail(app.db, email), email, organization), name),
    ),
  );
}

/** An invited member accepts by this: the operator vouches for them. */
async function createKey(app: App, member: MembershipOfPerson, name: string): Promise<string> {
  const { organization_id, user_id } = member;
  const directory = await app.core.directories.of(organization_id);
  return app.core.db.transaction(organization_id, async (tx) => {
    const ctx = contextFor(app.core, { actor: actorOf(member), request }, directory, tx);
    if (member.status === "invited") {
      await endUnprovenSignIn(tx, app.core, user_id, organization_id);
      await accept(ctx, await lockRecord(ctx, membership, member.id));
    }
    const { api_key } = writeKey(tx, { organizationId: organization_id, userId: user_id, name, now: ctx.now });
    announceChange(ctx);
    return api_key;
  });
}

function choose(found: readonly MembershipOfPerson[], email: string, organization: string | undefined): MembershipOfPerson {
  const here = organization === undefined ? found : found.filter((one) => one.organization_id === organization);
  const present = here.filter((one) => one.status !== "inactive");
  if (present.length === 1) return present[0]!;
  if (present.length > 1) {
    const list = present.map((one) => `  ${one.organization_id}  ${one.organization_name}`).join("\n");
    throw new Mistake(`${email} is a member of several organizations: choose one with --organization.\n${list}`);
  }
  const where = organization === undefined ? "any organization" : organization;
  throw new Mistake(`${email} is no member of ${where}${here.length > 0 ? " any more" : ""}: invite them first.`);
}

const actorOf = (member: MembershipOfPerson): Ctx["actor"] => ({
  organization_id: member.organization_id,
  user_id: member.user_id,
  membership_id: member.id,
  role_id: "",
  permissions: new Set(),
  scopes: new Set(),
  past_due: false,
  api_key_id: null,
});

const request = { id: newId("req"), method: "", path: "headwater key create", offsetMinutes: 0, ifMatch: null };
