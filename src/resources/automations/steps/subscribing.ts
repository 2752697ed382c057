// Takes contacts through sequences, holds them, and takes them out, by the sequences' own rules. Who is not taken leaves by `skipped`
// with the reason.
import { reasonsOf } from "../../../core/errors.ts";
import type { Create, Row } from "../../../core/resource.ts";
import { sql } from "../../../db/sql.ts";
import { findRecord } from "../../../records/records.ts";
import { lockToChange } from "../../../records/references.ts";
import { asPerson } from "../../activities/recipients.ts";
import { finish } from "../../sequences/endings.ts";
import { otherWay } from "../../sequences/live_once.ts";
import { replaceWay } from "../../sequences/replace.ts";
import { sequenceSubscription } from "../../sequences/sequence_subscription.ts";
import { subscribe } from "../../sequences/sequence_subscription_verbs.ts";
import { StepFailure } from "../step_failure.ts";
import { senderOf } from "./mailing.ts";
import type { Call, Outcome } from "./step.ts";
import { type Person, personNamed } from "./whom.ts";
import { mendable } from "./wording.ts";
import { changeRecord, checkMay, idOf } from "./writing.ts";

type Subscription = Row<typeof sequenceSubscription>;

const kind = sequenceSubscription;

const skipped = (reason: string, way?: Subscription): Outcome => ({ port: "skipped", output: { reason, id: way?.id ?? null } });

/** Why a contact is not taken, as a word that a branch can ask for, by what the sequence says of it. */
const reasons: readonly [said: RegExp, reason: string][] = [
  [/^was in this sequence until/, "subscribed_lately"],
  [/has no address/, "no_address"],
  [/^is in (this|another) sequence/, "already_subscribed"],
  [/^has unsubscribed/, "unsubscribed"],
  [/ bounced$/, "bounced"],
  [/ as spam$/, "complained"],
];

const refusedBy = (message: string): Outcome => ({
  port: "skipped",
  output: { reason: reasons.find(([said]) => said.test(message))?.[1] ?? "refused", message, id: null },
});

export async function subscribeContact(call: Call): Promise<Outcome> {
  const { ctx, config } = call;
  checkMay(call, kind, "create");
  const person = await contactOf(call);
  const { sequence_id } = config;
  const way = { sequence_id, contact_id: person.id, contact_email: person.emails[0]?.email ?? null };
  const other = await otherWay(ctx, way);
  // Another contact with the address may be one whom the run's member does not see: then its subscription is neither named nor replaced.
  const seen = other && (await findRecord(ctx, kind, other.id));
  if (other !== undefined && config.on_conflict === "fail")
    throw new StepFailure("already_subscribed", "conflict", "The contact is in a sequence already");
  if (other !== undefined && (config.on_conflict !== "replace" || !seen)) return skipped("already_subscribed", seen ?? undefined);
  if (other !== undefined) await replaceWay(ctx, other);
  return mendable(call, async () => {
    try {
      const given = { sequence_id, contact_id: person.id, ...senderFor(call) } as Create<typeof kind>;
      return { output: idOf({ kind, id: (await subscribe(ctx, given, { byHand: false })).id }) };
    } catch (error) {
      const { contact_id, contact_email } = reasonsOf(error);
      const reason = contact_id ?? contact_email;
      if (reason === undefined) throw error;
      return refusedBy(reason);
    }
  });
}

function senderFor(call: Call) {
  const { email_account_id, sender, send_as_id } = senderOf(call, call.config.sender) as Record<string, string>;
  if (send_as_id !== undefined)
    throw new StepFailure("connected_account_missing", "config", "sender must be an account, a member or an address");
  const address = sender === undefined ? undefined : asPerson(sender)?.email;
  return { ...(email_account_id && { sender_account_id: email_account_id }), ...(address && { sender_email: address }) };
}

const contactOf = (call: Call): Promise<Person> => personNamed(call, call.config.contact, ({ emails }) => emails.length > 0);

/** Their subscription that is not over. */
async function living(call: Call): Promise<Subscription | undefined> {
  checkMay(call, kind, "update");
  const { id } = await contactOf(call);
  const isTheirs = sql`t.contact_id = ${id} and t.sequence_id = ${call.config.sequence_id} and t.status in ('active', 'paused')`;
  return (await lockToChange(call.ctx, kind, isTheirs))[0];
}

const moves =
  (status: "active" | "paused") =>
  async (call: Call): Promise<Outcome> => {
    const way = await living(call);
    if (way === undefined) return skipped("not_subscribed");
    if (way.status === status) return skipped(`already_${status}`, way);
    await changeRecord(call, { kind, id: way.id }, { status });
    return { output: idOf({ kind, id: way.id }) };
  };

export const pauseContact = moves("paused");
export const resumeContact = moves("active");

export async function unsubscribeContact(call: Call): Promise<Outcome> {
  const way = await living(call);
  if (way === undefined) return skipped("not_subscribed");
  finish(call.ctx, way, { status_reason: "manual" });
  return { output: idOf({ kind, id: way.id }) };
}
