import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { liftBounces, liftSuppressionsBy, type Suppression, suppress } from "./suppress.ts";
import { type Sending, suppressedAmong } from "./unsubscribed_email.ts";

const given = (more: Partial<Suppression>): Suppression => ({
  address: "ann@example.com",
  reason: "unsubscribed",
  source: "link",
  source_id: null,
  ...more,
});
const say = (acme: Workspace, more: Partial<Suppression> = {}) => acme.inside((ctx) => suppress(ctx, given(more)));
const held = (acme: Workspace, sending: Sending, ...addresses: string[]) =>
  acme.inside(async (ctx) => Object.fromEntries(await suppressedAmong(ctx, addresses, sending)));
const eventsOf = async (acme: Workspace, name: string) => (await acme.get(`/event/?event=${name}`)).data;

describe("code that is about to send checks", () => {
  test("and hears of each reason: mailings stop for all, what one person writes to another only where it cannot or must not arrive", async () => {
    const acme = await organization();
    await say(acme, { address: "Left@Example.com" });
    await say(acme, { address: "bad@example.com", reason: "bounced", source: "bounce" });
    await say(acme, { address: "angry@example.com", reason: "complained", source: "feedback_report" });
    const all = ["LEFT@example.com", "bad@example.com", "angry@example.com", "fine@example.com"];

    assert.deepEqual(await held(acme, { channel: "email", scope: "marketing" }, ...all), {
      "left@example.com": "unsubscribed",
      "bad@example.com": "bounced",
      "angry@example.com": "complained",
    });
    assert.deepEqual(Object.keys(await held(acme, { channel: "email", scope: "single" }, ...all)).sort(), [
      "angry@example.com",
      "bad@example.com",
    ]);
  });

  test("for one sequence, for mailings, and for each channel by itself", async () => {
    const acme = await organization();
    const [one, other] = ["seq_1", "seq_2"];
    await say(acme, { address: "one@example.com", scope: one });
    await say(acme, { address: "mailings@example.com", scope: "marketing" });
    await say(acme, { address: "+4930123456", channel: "sms", source: "stop_word" });
    const addresses = ["one@example.com", "mailings@example.com", "+4930123456"];
    const of = async (sending: Sending) => Object.keys(await held(acme, sending, ...addresses)).sort();

    assert.deepEqual(await of({ channel: "email", scope: one }), ["mailings@example.com", "one@example.com"]);
    assert.deepEqual(await of({ channel: "email", scope: other }), ["mailings@example.com"]);
    assert.deepEqual(await of({ channel: "email", scope: "single" }), []);
    assert.deepEqual(await of({ channel: "sms", scope: "single" }), ["+4930123456"]);
  });

  test("and hears nothing of another organization", async () => {
    const [acme, other] = [await organization(), await organization()];
    await say(other);

    assert.deepEqual(await held(acme, { channel: "email", scope: "marketing" }, "ann@example.com"), {});
  });
});

describe("an address that is suppressed", () => {
  test("is written down once for each reason, and every contact that has it says so, with an event", async () => {
    const acme = await organization();
    const ann = await acme.contact({ emails: [{ email: "Ann@Example.com" }, { email: "other@example.com" }] });

    assert.deepEqual([await say(acme), await say(acme), await say(acme, { reason: "bounced" })], [true, false, true]);

    const { emails } = await acme.get(`/contact/${ann.id}/`);
    assert.deepEqual(
      emails.map(({ is_unsubscribed, is_invalid }: any) => [is_unsubscribed, is_invalid]),
      [
        [true, true],
        [false, false],
      ],
    );
    const [left, ...more] = await eventsOf(acme, "contact.unsubscribed");
    assert.deepEqual(more, []);
    assert.deepEqual([left.object_id, left.meta.address, left.meta.scope], [ann.id, "ann@example.com", "all"]);
    assert.equal((await eventsOf(acme, "unsubscribed_email.created")).length, 2);
  });

  test("is free again when what said it was read wrongly, as far as nothing else says it", async () => {
    const acme = await organization();
    const ann = await acme.contact({ emails: [{ email: "ann@example.com" }] });
    await say(acme, { source_id: "acti_1" });
    await say(acme, { reason: "complained", source_id: "acti_2" });
    const isUnsubscribed = async () => (await acme.get(`/contact/${ann.id}/`)).emails[0].is_unsubscribed;

    await acme.inside((ctx) => liftSuppressionsBy(ctx, "acti_1"));
    assert.equal(await isUnsubscribed(), true);
    await acme.inside((ctx) => liftSuppressionsBy(ctx, "acti_2"));
    assert.equal(await isUnsubscribed(), false);
    assert.equal((await eventsOf(acme, "unsubscribed_email.deleted")).length, 2);
  });

  test("is valid again when mail comes from it: only its bounces are cleared", async () => {
    const acme = await organization();
    await say(acme);
    await say(acme, { reason: "bounced" });

    await acme.inside((ctx) => liftBounces(ctx, "ANN@example.com"));

    assert.deepEqual(await held(acme, { channel: "email", scope: "marketing" }, "ann@example.com"), {
      "ann@example.com": "unsubscribed",
    });
  });

  test("is no caller's to claim: what a contact brings along is not taken", async () => {
    const acme = await organization();

    const { emails } = await acme.contact({ emails: [{ email: "ann@example.com", is_invalid: true }] });

    assert.equal(emails[0].is_invalid, false);
  });
});

test("suppressions of people whom a member does not see are not in that member's events, and still hold", async () => {
  const acme = await organization();
  const v = await acme.member("restricteduser");
  const own = await acme.lead({ owner_id: v.userId });
  await acme.contact({ lead_id: own.id, emails: [{ email: "own@example.com" }] });
  await acme.contact({ emails: [{ email: "hidden@example.com" }], phones: [{ phone: "+12125559876" }] });
  for (const address of ["own@example.com", "hidden@example.com", "nobody@example.com"]) await say(acme, { address });
  await say(acme, { channel: "sms", address: "+12125559876", source: "stop_word" });
  const heard = async (who: Workspace) =>
    (await eventsOf(who, "unsubscribed_email.created")).map((one: any) => one.data.address).sort();

  assert.equal((await heard(acme)).length, 4);
  assert.deepEqual(await heard(v), ["nobody@example.com", "own@example.com"]);
  assert.ok("hidden@example.com" in (await held(v, { channel: "email", scope: "marketing" }, "hidden@example.com")));
});
