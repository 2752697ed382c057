// Telling members by mail.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chain, published, work } from "../../../../test/support/automations.ts";
import { organization } from "../../../../test/support/given.ts";
import { serviceWithMail } from "../../../../test/support/service_with_mail.ts";

const { mail, on } = await serviceWithMail({ daysApart: 21 });

test("a step tells a member by mail at once, and not again when it was unread for a while; who wants no mail gets none", async () => {
  const acme = await organization(on);
  const [bob, eve] = [await acme.member("user"), await acme.member("user")];
  const addresses = [(await bob.get("/me/")).email, (await eve.get("/me/")).email];
  await eve.put("/me/", { notification_settings: { email: false } });
  const text = { $template: "Look at {{ record.name }}" };
  await published(acme, chain(["notify.user", { to: [bob.userId, eve.userId], text, channels: ["email"] }]));
  await acme.lead({ name: "Initech" });

  await work(acme);
  const atOnce = mail.to(addresses[0]).length;
  await work(acme, 1);

  const [letters, none] = addresses.map((one) => mail.to(one));
  assert.deepEqual([atOnce, letters!.length, none!.length], [1, 1, 0]);
  assert.match(letters![0]!.text!, /Look at Initech/);
  assert.equal((await eve.get("/notification/?type=automation")).data[0].title, "Look at Initech");
});
