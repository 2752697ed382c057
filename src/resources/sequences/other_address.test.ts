// The address that a subscription writes to: nobody is written to at one that was taken off them, and there may be another.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { address, anotherThursday, hour, openOutreach, outreach, run } from "../../../test/support/outreach.ts";
import type { MailServer } from "../../../test/support/smtp.ts";
import { byRule } from "../mail_class/classification.ts";
import { followClass } from "../mail_class/follow.ts";

let server: MailServer;

before(async () => {
  ({ server } = await openOutreach());
});
after(() => server?.close());
beforeEach(() => anotherThursday());

const tomorrow = { amount: 1, unit: "days" };
const emailsOf = (...emails: string[]) => ({ emails: emails.map((email) => ({ email })) });
const sentTo = (...emails: string[]) => emails.map((email) => server.to(email).length);

describe("a subscription whose address was taken off its contact", () => {
  test("writes nothing more, says so, and goes on with an address that a member names", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const way = await subscribe(await sequence([{ step_type: "call" }, mail(), mail({ delay: 2 * 3600 })]), {});
    const [next, other] = [address("new"), address("other")];
    const path = `/sequence_subscription/${way.id}/`;
    await acme.put(`/contact/${way.contact_id}/`, emailsOf(next));

    await run(hour);
    const stopped = await shown(way);
    await acme.refused(400, "PUT", path, { contact_email: other }, "contact_email");
    await acme.refused(400, "PUT", path, { contact_email: null }, "contact_email");
    const again = await acme.put(path, { contact_email: next, status: "active" });
    await run(hour);

    assert.deepEqual([stopped.status, stopped.status_reason], ["error", "no-address"]);
    assert.match(stopped.error_message, /is no address of the contact any more: give the subscription another contact_email/);
    assert.equal(again.contact_email, next);
    assert.deepEqual(sentTo(way.email, next), [0, 1]);
  });

  test("takes back a mail that waits to be sent", async () => {
    const { acme, mail, sequence, subscribe, shown, account } = await outreach();
    const way = await subscribe(await sequence([mail()]));
    await acme.put(`/connected_account/${account.id}/`, { smtp: { ...server.smtp, port: 9 } });
    await run();
    await acme.refused(400, "PUT", `/sequence_subscription/${way.id}/`, { contact_email: address() }, "contact_email");
    await acme.put(`/contact/${way.contact_id}/`, emailsOf(address()));
    await acme.put(`/connected_account/${account.id}/`, { smtp: server.smtp });

    await run(2 * hour);
    await run(hour);

    assert.deepEqual(sentTo(way.email), [0]);
    assert.equal((await shown(way)).status_reason, "no-address");
  });

  test("does not write to an address that the sequence writes to as another contact's", async () => {
    const { acme, mail, sequence, subscribe } = await outreach();
    const made = await sequence([mail({ delay: tomorrow })]);
    const [one, two] = [await subscribe(made), await subscribe(made)];
    await acme.put(`/contact/${two.contact_id}/`, emailsOf(two.email, one.email));

    await acme.refused(400, "PUT", `/sequence_subscription/${two.id}/`, { contact_email: one.email }, "contact_email");
  });
});

describe("a sequence that wants another address", () => {
  const bounce = (acme: any, email: string) => {
    const failed = [{ address: email, kind: "hard", status: "5.1.1", reason: "5.1.1 no such user" } as const];
    const about = [server.to(email).at(-1)!.messageId!];
    return acme.inside((ctx: any) =>
      followClass(ctx, null, byRule({ class: "bounce", confidence: 1, rule: "dsn", about, failed })),
    );
  };

  test("sends what came back to the contact's next address, and goes on there", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const steps = [mail(), mail({ delay: tomorrow })];
    const [wants, not] = [await sequence(steps, { other_address: true }), await sequence(steps)];
    const [way, plain] = [await subscribe(wants), await subscribe(not)];
    const next = address("next");
    for (const { contact_id, email } of [way, plain]) await acme.put(`/contact/${contact_id}/`, emailsOf(email, next));
    await run();

    await bounce(acme, way.email);
    await bounce(acme, plain.email);
    await run();
    const [resent, ended] = [await shown(way), await shown(plain)];
    await run(2 * 24 * hour);

    assert.deepEqual([ended.status, ended.status_reason], ["error", "email-bounced"]);
    assert.deepEqual([resent.status, resent.contact_email], ["active", next]);
    assert.deepEqual(sentTo(way.email, next), [1, 2]);
    assert.equal((await shown(way)).status, "finished");
  });

  test("goes on with another one when the present one is taken off the contact", async () => {
    const { acme, mail, sequence, subscribe, shown } = await outreach();
    const way = await subscribe(await sequence([mail({ delay: 3600 })], { other_address: true }));
    const next = address("next");
    await acme.put(`/contact/${way.contact_id}/`, emailsOf(next));

    await run(2 * hour);

    assert.deepEqual(sentTo(way.email, next), [0, 1]);
    assert.equal((await shown(way)).contact_email, next);
  });
});
