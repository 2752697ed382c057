// Creates another organization for the caller, who becomes its admin. The response contains an API key for it, because the
// caller's key does not work there.
import { accountsOwnedBy, createAccount, lockUser } from "../../auth/unscoped.ts";
import { type Ctx, transactionOf } from "../../core/context.ts";
import { invalid, paymentRequired } from "../../core/errors.ts";
import type { Operation } from "../../core/operation.ts";
import type { Create } from "../../core/resource.ts";
import { refreshDirectory } from "../../records/change.ts";
import { showRecord } from "../../records/records.ts";
import { withSecrets } from "../../records/single.ts";
import { standard } from "../../records/standard.ts";
import { refuseBudgeted } from "../agents/budget.ts";
import { notByConnection } from "../shared/not_by_connection.ts";
import { foundOrganization } from "./found.ts";
import { organization } from "./organization.ts";
import { mergeSettings } from "./settings.ts";

const [plainCreate] = standard(organization, { create: true, get: true }, "member");

/** Not one of the five verbs, because the new record is outside of the caller's organization. */
export const createOrganization: Operation = {
  ...plainCreate!,
  verb: null,
  doc: "Creates another organization with the caller as its admin, and returns a key for it, only once.",
  async run(ctx, { input, fields }: { input: Create<typeof organization>; fields: string[] | null }) {
    notByConnection(ctx);
    refuseBudgeted(ctx);
    if (input.lead_statuses) throw invalid({ lead_statuses: "can be ordered after the organization is created" });
    const { name, account_id, settings = {}, ...values } = input;
    const accountId = await accountFor(ctx, account_id);
    const { organization_id, api_key } = foundOrganization(transactionOf(ctx), {
      name: name!,
      values: { ...values, settings: JSON.stringify(mergeSettings({}, settings)) },
      accountId,
      userId: ctx.actor.user_id,
      keyName: "API key",
      scopes: [...ctx.actor.scopes],
      now: ctx.now,
    });
    ctx.reply.headers.location = `/api/v1/organization/${organization_id}/`;
    const there = await enter(ctx, organization_id);
    return withSecrets(organization, { api_key }, fields, await showRecord(there, organization, organization_id, fields));
  },
};

/** The account that pays: the given one, or the only one, or a new one. */
async function accountFor(ctx: Ctx, named: string | undefined): Promise<string> {
  const owner = ctx.actor.user_id;
  await lockUser(ctx, owner);
  const accounts = await accountsOwnedBy(transactionOf(ctx), owner);
  if (named === undefined && accounts.length === 0)
    return createAccount(transactionOf(ctx), { name: "Account", ownerId: owner, now: ctx.now });
  if (named === undefined && accounts.length > 1) throw invalid({ account_id: "is required: you own several accounts" });

  const account = named === undefined ? accounts[0] : accounts.find((one) => one.id === named);
  if (account === undefined) throw invalid({ account_id: "does not exist" });
  if (account.past_due) throw paymentRequired("The account is past due: settle it to create organizations.");
  return account.id;
}

async function enter(ctx: Ctx, organization_id: string): Promise<Ctx> {
  const there = { ...ctx, organization_id, tx: transactionOf(ctx).actingFor(organization_id) };
  await refreshDirectory(there);
  return there;
}
