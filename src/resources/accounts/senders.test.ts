// Who may send as whom, wherever a sender, an account or a number is named.
import assert from "node:assert/strict";
import { test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { checkEmail, checkSequenceSubscription } from "../bulk_actions/check_outreach.ts";

const mailbox = (ws: Workspace, email: string) =>
  ws.post("/connected_account/", { email, smtp: { host: "93.184.216.34", password: "secret" } });
const addressOf = async (ws: Workspace): Promise<string> => (await ws.get("/me/")).email;

/** A sender, a member who allows them, and one who does not, each with an account. */
async function senders() {
  const acme = await organization();
  const [lender, stranger] = [await acme.member(), await acme.member()];
  await mailbox(acme, "own@acme.example");
  const [lent, foreign] = [await mailbox(lender, "lent@acme.example"), await mailbox(stranger, "foreign@acme.example")];
  const [own] = (await acme.get(`/connected_account/?user_id=${acme.userId}`)).data;
  const sendAs = await lender.post("/send_as/", { allowed_user_id: acme.userId });
  const theirs = await acme.post("/send_as/", { allowed_user_id: stranger.userId });
  const addresses = await Promise.all([acme, lender, stranger].map(addressOf));
  return {
    acme,
    accounts: { good: [own.id, lent.id], bad: [foreign.id, "emailacct_none"] },
    sendAs: { good: [sendAs.id], bad: [theirs.id, "sdas_none"] },
    addresses: {
      good: [addresses[0]!, addresses[1]!, "own@acme.example", '"Ada" <LENT@acme.example>'],
      bad: [addresses[2]!, "foreign@acme.example", "ceo@elsewhere.example"],
    },
    members: { good: [acme.userId, lender.userId], bad: [stranger.userId, "user_none"] },
  };
}

type Say = (value: string) => Promise<string[]>;

/** The places that are refused. */
async function refusedBy(ws: Workspace, method: string, path: string, body: object): Promise<string[]> {
  const answer = await ws.ask(method, path, { body });
  assert.ok([200, 201, 400].includes(answer.status), answer.text);
  return Object.keys(answer.body["field-errors"] ?? {});
}

async function holds(place: string, { good, bad }: { good: string[]; bad: string[] }, say: Say): Promise<void> {
  for (const value of good) assert.deepEqual(await say(value), [], `${place}: ${value}`);
  for (const value of bad) assert.deepEqual(await say(value), [place], `${place}: ${value}`);
}

test("mail that is to leave names accounts, send-as and addresses that are one's own or lent to one", async () => {
  const { acme, accounts, sendAs, addresses } = await senders();
  const lead_id = (await acme.lead()).id;
  const draft = await acme.post("/activity/email/", { lead_id, to: ["a@client.example"] });
  const talk = await acme.post("/conversation/", { lead_id });
  const mail = { lead_id, to: ["a@client.example"], subject: "Hi" };

  for (const [method, path, body] of [
    ["POST", "/activity/email/", mail],
    ["POST", "/activity/email/", { ...mail, status: "outbox" }],
    ["PUT", `/activity/email/${draft.id}/`, {}],
  ] as const) {
    const say = (field: string) => (value: string) => refusedBy(acme, method, path, { ...body, [field]: value });
    await holds("email_account_id", accounts, say("email_account_id"));
    await holds("send_as_id", sendAs, say("send_as_id"));
    await holds("sender", addresses, say("sender"));
  }
  await holds("sender", addresses, (sender) =>
    refusedBy(acme, "POST", `/conversation/${talk.id}/message/`, { type: "email", body: "Hi", to: ["a@client.example"], sender }),
  );
  const logged = await acme.post("/activity/email/", { ...mail, status: "sent", sender: "anybody@elsewhere.example" });
  assert.equal(logged.sender, "anybody@elsewhere.example");
});

test("a draft in one's own name is not sent off by somebody else in that name", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const sender = await addressOf(acme);
  const draft = await acme.post("/activity/email/", { lead_id: (await acme.lead()).id, to: ["a@client.example"], sender });
  const path = `/activity/email/${draft.id}/`;

  await bob.refused(400, "PUT", path, { status: "outbox" }, "sender");

  assert.equal((await bob.put(path, { subject: "Changed" })).subject, "Changed");
  assert.equal((await acme.put(path, { status: "outbox" })).status, "outbox");
});

test("sequences and bulk work send as members who allow the caller", async () => {
  const { acme, accounts, addresses } = await senders();
  const plain = { good: addresses.good.filter((one) => !one.includes("<")), bad: addresses.bad };
  const template = await acme.post("/email_template/", { name: "Hello", subject: "Hello", body: "Hi", is_shared: true });
  const steps = [{ step_type: "email", email_template_id: template.id }];
  const sequence = await acme.post("/sequence/", { name: "Outreach", steps });
  let count = 0;
  const person = async () => (await acme.contact({ emails: [{ email: `p${++count}@client.example` }] })).id;
  const taken = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: await person() });

  const subscribed =
    (field: string): Say =>
    async (value) =>
      refusedBy(acme, "POST", "/sequence_subscription/", {
        sequence_id: sequence.id,
        contact_id: await person(),
        [field]: value,
      });
  const changed =
    (field: string): Say =>
    (value) =>
      refusedBy(acme, "PUT", `/sequence_subscription/${taken.id}/`, { [field]: value });
  const inBulk =
    (check: typeof checkEmail | typeof checkSequenceSubscription, body: object, field: string): Say =>
    (value) =>
      acme
        .inside((ctx) => check(ctx, { ...body, [field]: value }))
        .then(
          () => [],
          (problem) => Object.keys(problem.fields),
        );
  const bulk = { action_type: "subscribe", sequence_id: sequence.id };

  for (const say of [subscribed, changed]) {
    await holds("sender_account_id", accounts, say("sender_account_id"));
    await holds("sender_email", plain, say("sender_email"));
  }
  await holds("email_account_id", accounts, inBulk(checkEmail, { template_id: template.id }, "email_account_id"));
  await holds("sender", addresses, inBulk(checkEmail, { template_id: template.id }, "sender"));
  await holds("sender_account_id", accounts, inBulk(checkSequenceSubscription, bulk, "sender_account_id"));
  await holds("sender_email", plain, inBulk(checkSequenceSubscription, bulk, "sender_email"));
});

test("rules send as members who allow their author", async () => {
  const { acme, accounts, sendAs, addresses, members } = await senders();
  const template = await acme.post("/email_template/", { name: "Hello", is_shared: true });
  const sequence = await acme.post("/sequence/", { name: "Calls", steps: [{ step_type: "call" }] });
  const say =
    (type: string, config: object, field: string): Say =>
    (value) =>
      refusedBy(acme, "POST", "/automation/", {
        name: "Rule",
        trigger: "lead.created",
        actions: [{ type, config: { ...config, [field]: value } }],
      });

  for (const values of [accounts, sendAs, addresses, members]) {
    await holds("actions.0.config.from", values, say("send_email", { template_id: template.id }, "from"));
    await holds("actions.0.config.sender", values, say("subscribe_sequence", { sequence_id: sequence.id }, "sender"));
  }
});

test("text messages leave from the organization's numbers, and from those that one may use", async () => {
  const acme = await organization();
  const bob = await acme.member();
  const [own, group] = [
    await acme.post("/phone_number/", { number: "+12125550101" }),
    await acme.post("/phone_number/", { number: "+12125550102", is_group_number: true }),
  ];
  const theirs = await acme.post("/phone_number/", { number: "+12125550103", user_id: bob.userId });
  const numbers = { good: [own.number, group.number], bad: [theirs.number, "+12125550199"] };
  const ids = { good: [own.id, group.id], bad: [theirs.id] };
  const lead_id = (await acme.lead()).id;
  const sms = { lead_id, remote_phone: "+12125550150", text: "Hi" };
  const draft = await acme.post("/activity/sms/", sms);
  const talk = await acme.post("/conversation/", { lead_id });
  const sequence = await acme.post("/sequence/", { name: "Texts", steps: [{ step_type: "sms", text: "Hi" }] });
  const taken = await acme.post("/sequence_subscription/", { sequence_id: sequence.id, contact_id: (await acme.contact()).id });
  const [me] = (await acme.get(`/membership/?user_id=${acme.userId}`)).data;

  for (const status of ["draft", "outbox"])
    await holds("local_phone", numbers, (local_phone) =>
      refusedBy(acme, "POST", "/activity/sms/", { ...sms, status, local_phone }),
    );
  await holds("local_phone", numbers, (local_phone) => refusedBy(acme, "PUT", `/activity/sms/${draft.id}/`, { local_phone }));
  await holds("local_phone", numbers, (local_phone) =>
    refusedBy(acme, "POST", `/conversation/${talk.id}/message/`, { type: "sms", body: "Hi", to: "+12125550150", local_phone }),
  );
  await holds("from_phone_number_id", ids, (from_phone_number_id) =>
    refusedBy(acme, "PUT", `/sequence_subscription/${taken.id}/`, { from_phone_number_id }),
  );
  await holds("default_caller_id", ids, (default_caller_id) =>
    refusedBy(acme, "PUT", `/membership/${me.id}/`, { default_caller_id }),
  );
  const both = { good: [...numbers.good, ...ids.good], bad: [...numbers.bad, ...ids.bad] };
  await holds("actions.0.config.from_number", both, (from_number) =>
    refusedBy(acme, "POST", "/automation/", {
      name: "Rule",
      trigger: "lead.created",
      actions: [{ type: "send_sms", config: { text: "Hi", from_number } }],
    }),
  );
  const logged = await acme.post("/activity/sms/", { ...sms, status: "sent", local_phone: "+12125550199" });
  assert.equal(logged.local_phone, "+12125550199");
});
