// The senders of an automation's messages are those of the member in whose name it runs.
import { collect } from "../../core/errors.ts";
import { isId } from "../../values/id.ts";
import { connectedAccount } from "../accounts/connected_account.ts";
import { sendAs } from "../accounts/send_as.ts";
import { checkAddress, checkName, checkSendAs, mailboxOf } from "../accounts/senders.ts";
import { asPerson } from "../activities/recipients.ts";
import { user } from "../organization/user.ts";
import { checkCallerId, checkOwnNumber } from "../telephony/own_numbers.ts";
import { phoneNumber } from "../telephony/phone_number.ts";
import { isDynamic } from "./config.ts";
import type { FieldCheck } from "./known_fields.ts";

export interface SenderCheck extends FieldCheck {
  /** The member whose accounts and numbers it sends from. */
  userId: string;
}

/** An account, a send-as, a member or an address, by id or as written. */
export async function checkSender({ ctx, errors, userId }: SenderCheck, from: unknown, at: string): Promise<void> {
  if (from === undefined || from === null || isDynamic(from)) return;
  if (typeof from !== "string") return void (errors[at] = "must be the id of an account, a send-as or a member, or an address");
  const address = asPerson(from);
  await collect(errors, async () => {
    if (isId(connectedAccount.prefix, from)) await mailboxOf(ctx, userId, from, at);
    else if (isId(sendAs.prefix, from)) await checkSendAs(ctx, userId, from, at);
    else if (address === null || isId(user.prefix, from)) await checkName(ctx, userId, from, at);
    else await checkAddress(ctx, userId, address.email, at);
  });
}

export function checkNumber({ ctx, errors, userId }: SenderCheck, from: unknown, at: string): void {
  if (typeof from !== "string") return;
  collect(errors, () => {
    if (ctx.directory.get(phoneNumber, from) === undefined) checkOwnNumber(ctx, from, userId, at);
    else checkCallerId(ctx, from, userId, at);
  });
}
