// Which addresses an account may have: its own, and as identities those that its member may send as already. Everything else is for
// an admin to set. What an account has from before stays, but is not sent under.
import { type Ctx, may } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row } from "../../core/resource.ts";
import { emailKey } from "../../values/email.ts";
import { memberWith } from "../activities/recipients.ts";
import type { connectedAccount } from "./connected_account.ts";
import { whoHasProven } from "./proof.ts";
import { hasProven, maySendAs, sendersOf } from "./senders.ts";

type Account = Row<typeof connectedAccount>;
type Identities = Account["identities"];

/** The identities that an admin set. A new one for which the member has no right is a 400. */
export async function allowedIdentities(
  ctx: Ctx,
  account: { user_id: string; email?: string | null; identities: Identities },
  given: Identities | undefined,
  before: Account | null,
): Promise<string[]> {
  const others = keysOf(account.identities).filter((key) => !sameAddress(key, account.email));
  const allowed = others.filter((key) => before?.allowed_identities.includes(key));
  if (given === undefined) return allowed;
  if (may(ctx, "manage_organization")) return [...new Set(others)];

  const known = new Set([emailKey(account.email ?? ""), ...keysOf(before?.identities ?? [])]);
  const asked = keysOf(given).flatMap((key, i) => (known.has(key) ? [] : [{ key, i }]));
  const senders = asked.length > 0 ? await sendersOf(ctx, account.user_id) : null;
  const refused = asked.find(({ key }) => !hasProven(ctx, senders!, key));
  if (refused !== undefined)
    throw invalid({
      [`identities.${refused.i}.email`]:
        "is not an address that this account may send as: connect its own account and let mail be read or sent by it, or ask an admin",
    });
  return allowed;
}

/**
 * Refuses the address by which another member logs in, unless they or an admin allow it, and one whose mailbox another member has
 * entered: that is shared.
 */
export async function checkAddressIsFree(ctx: Ctx, userId: string, address: string | null | undefined): Promise<void> {
  if (address && (await whoHasProven(ctx, [address])).some(({ user_id }) => user_id !== userId))
    throw invalid({ email: "is the mailbox of another member: they, or an admin, share it by `shared_with` of their account" });
  const owner = address ? memberWith(ctx.directory, address) : undefined;
  if (owner === undefined || owner === userId || may(ctx, "manage_organization")) return;
  if (!maySendAs(ctx, await sendersOf(ctx, userId), address!))
    throw invalid({ email: "is the address of another member: ask them to share their account, or an admin to connect it" });
}

export const sameAddress = (one: string | null | undefined, other: string | null | undefined): boolean =>
  emailKey(one ?? "") === emailKey(other ?? "");

const keysOf = (identities: Identities): string[] => identities.map((one) => emailKey(one.email));
