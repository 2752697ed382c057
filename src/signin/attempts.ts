// How often somebody may guess. An attempt is counted before it is tried, for the account and for the address that it came from, and
// whether or not the account exists.

import { hashOf } from "../auth/unscoped.ts";
import { countAttempt, forgetAttempts, takeAttemptBack } from "../auth/unscoped_sign_in.ts";
import type { Core } from "../core/core.ts";
import { emailKey } from "../values/email.ts";
import { networkOf } from "../values/network.ts";

const window = 15 * 60;
/** Somebody who mistypes is not held up; a program that guesses gets about a dozen tries in a quarter of an hour. */
const ofAccount = { free: 5, windowSeconds: window };
/** Many people may sit behind one address. */
const ofAddress = { free: 50, windowSeconds: window };

const accountHolder = (email: string): string => `account ${hashOf(emailKey(email.trim()))}`;

const addressHolder = (ip: string): string => `address ${networkOf(ip)}`;

/** The seconds to wait, 0 when it may be tried. */
export async function secondsToWait(core: Core, email: string, ip: string): Promise<number> {
  const now = core.clock();
  const forAddress = await countAttempt(core.db, addressHolder(ip), ofAddress, now);
  return forAddress > 0 ? forAddress : countAttempt(core.db, accountHolder(email), ofAccount, now);
}

/** The password was right, and the second factor follows. Codes that were wrong before still count. */
export const takeBack = (core: Core, email: string, ip: string): Promise<void> =>
  takeAttemptBack(core.db, [accountHolder(email), addressHolder(ip)], core.clock());

/** The sentence for who has to wait. */
export const waitFirst = (seconds: number): string =>
  `There were too many wrong tries for this account, or from where you are. Please wait ${seconds === 1 ? "a second" : seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`} and try again.`;

/** Somebody signed in: their mistakes before that do not count any more. Those of others at their address do. */
export const forgetMistakes = (core: Core, email: string, ip: string): Promise<void> =>
  forgetAttempts(core.db, { account: accountHolder(email), address: addressHolder(ip), now: core.clock() });
