// Revokes a grant at its provider after its account was deleted, so that nothing of ours stays there. It is a job, because the
// provider may be down.
import { isGrantUsed } from "../../../auth/unscoped_work.ts";
import type { Core } from "../../../core/core.ts";
import { requestOf } from "../../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../../jobs/job.ts";
import { asSystem } from "../../../records/acting.ts";
import { revokeToken } from "../../../services/oauth_tokens.ts";
import { askingAs } from "./applications.ts";
import { forgetGrant, type Grant, readGivenBack } from "./grants.ts";

/** After this many failures (some hours) it is given up, because the tokens are worthless to anybody who does not have them. */
const triesMost = 50;

export const oauthRevocation: Work = {
  kind: "oauth_revocation",
  doc: "Revokes grants at Google and Microsoft of accounts that were deleted.",
  slots: 2,
  async run(core, job) {
    const grant = await readGivenBack(core, accountOf(job));
    if (grant !== null && job.failures < triesMost) await giveBack(core, job, grant);
    await asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
      forgetGrant(ctx, job.object_id);
      await holdClaim(ctx, job);
      release(ctx, job, null);
    });
  },
  async giveUp(ctx, job) {
    forgetGrant(ctx, job.object_id);
  },
};

const accountOf = ({ organization_id, object_id }: Job) => ({ organization_id, id: object_id });

/** A grant of the same person for another account, here or in another organization, is the same grant for the provider. */
async function giveBack(core: Core, { organization_id }: Job, grant: Grant): Promise<void> {
  if (await isGrantUsed(core.db, grant)) return;
  const asked = await askingAs(core, organization_id, core.settings.oauth[grant.provider], grant.client_id);
  if (asked !== null) await revokeToken(asked, grant.refresh_token);
}
