// What people type into `query=`, with the phrases of long-established clients. Each finds the records it means and no others. A
// phrase without a meaning is refused with the nearest known word.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { organization, type Workspace } from "../../test/support/given.ts";

let acme: Workspace;
let berta: Workspace;
const ids: Record<string, string> = {};

before(async () => {
  acme = await organization();
  berta = await acme.member();
  const size = await acme.customField("lead", { name: "Deal Size", type: "number" });
  const crm = await acme.customField("lead", { name: "Source CRM", type: "text" });
  const grade = await acme.customField("lead", { name: "Grade", type: "choices", choices: ["Gold", "Silver"] });
  const renewal = await acme.customField("lead", { name: "Renewal", type: "date" });
  const role = await acme.customField("contact", { name: "Buying Role", type: "text" });
  const group = await acme.post("/group/", { name: "Sales North", user_ids: [berta.userId] });

  const lead = async (name: string, body: object) => (ids[name] = (await acme.lead({ name, ...body })).id);
  const Acme = await lead("Acme", {
    url: "acme.example",
    industry: "Steel",
    description: "Makes anvils",
    status: "Qualified",
    mrr: 500,
    owner_id: acme.userId,
    tags: ["Hot"],
    emails: [{ email: "info@acme.example" }],
    phones: [{ phone: "+1 650 253 0000" }],
    addresses: [
      { address_1: "1 Main St", city: "San José", state: "CA", zipcode: "95112", country: "US" },
      { city: "Lyon", country: "FR" },
    ],
    date_created: "2020-05-05T12:00:00Z",
    contacts: [
      { name: "Anna Schmidt", title: "CEO", emails: [{ email: "anna@work.example" }], [`custom.${role.id}`]: "Champion" },
      { name: "Bob Brown", title: "CTO", phones: [{ phone: "+44 20 7946 0958" }] },
    ],
    [`custom.${size.id}`]: 20,
    [`custom.${crm.id}`]: "HubSpot",
    [`custom.${grade.id}`]: "Gold",
    [`custom.${renewal.id}`]: "2024-03-04",
  });
  const Zenith = await lead("Zenith", {
    industry: "Software",
    owner_id: berta.userId,
    contacts: [{ name: "Otto Meier" }],
    date_created: "2023-03-03T12:00:00Z",
    [`custom.${size.id}`]: 5,
    [`custom.${grade.id}`]: "Silver",
  });
  const Nimbus = await lead("Nimbus", { status: "Customer", tags: ["Cold"], description: "Sells clouds" });
  await lead("Void", {});

  await acme.post("/activity/call/", { lead_id: Acme, direction: "outbound", duration: 120, note: "Left word" });
  await acme.post("/activity/call/", { lead_id: Acme, direction: "inbound", duration: 30, activity_at: "2021-01-01T00:00:00Z" });
  await acme.note({ lead_id: Zenith, note: "Discussed pricing" });
  const mail = { sender: "me@sales.example", to: ["otto@zenith.example"], subject: "Proposal", body_text: "Our terms" };
  await acme.post("/activity/email/", { lead_id: Zenith, status: "sent", ...mail });
  await acme.post("/activity/sms/", {
    lead_id: Zenith,
    status: "sent",
    text: "Hello Otto",
    remote_phone: "+442079460000",
    source: "External",
  });
  const past = { starts_at: "2022-02-02T09:00:00Z", ends_at: "2022-02-02T10:00:00Z" };
  await acme.post("/activity/meeting/", { lead_id: Nimbus, title: "Kickoff", ...past });
  await acme.task({ lead_id: Zenith, text: "Call back", date: new Date().toISOString().slice(0, 10), assigned_to: berta.userId });
  await acme.task({ lead_id: Nimbus, text: "Send contract", date: "2022-01-01", is_complete: true });
  const soon = { expected_close_date: new Date().toISOString().slice(0, 10) };
  await acme.opportunity({ lead_id: Acme, note: "Big one", value: 100_000, confidence: 80, status: "Won", user_id: acme.userId });
  await acme.opportunity({
    lead_id: Zenith,
    note: "Small one",
    value: 5_000,
    confidence: 30,
    status: "Active",
    user_id: berta.userId,
    ...soon,
  });
  ids.group = group.id;
});

const answer = (path: string, query: string) => acme.ask("GET", `${path}?_limit=200&query=${encodeURIComponent(query)}`);
const shownAs = (one: any): string => one.name ?? one.text ?? one.note ?? one.subject ?? one.title ?? one._type;

/** Each phrase with its results, in order where the phrase has one. */
function find(path: string, phrases: Record<string, string>) {
  for (const [query, expected] of Object.entries(phrases))
    test(`${query} finds ${expected || "nobody"}`, async () => {
      const { status, body } = await answer(
        path,
        query.replace(/\{(\w+)\}/g, (_, of) => ids[of] ?? ""),
      );

      assert.equal(status, 200, JSON.stringify(body));
      const found: string[] = body.data.map(shownAs);
      assert.deepEqual(query.includes("sort:") ? found : found.sort(), expected === "" ? [] : expected.split(", "));
    });
}

const all = "Acme, Nimbus, Void, Zenith";

describe("words", () => {
  find("/lead/", {
    "*": all,
    acme: "Acme",
    zeni: "Zenith",
    "anna schmidt": "Acme",
    '"anna schmidt"': "Acme",
    '"schmidt anna"': "",
    pricing: "Zenith",
    "anvils or clouds": "Acme, Nimbus",
    "anvils || clouds": "Acme, Nimbus",
    "not acme": "Nimbus, Void, Zenith",
    "-acme -void": "Nimbus, Zenith",
    "!acme !void": "Nimbus, Zenith",
    "(acme or zenith) and NOT otto": "Acme",
    "anna@work.example": "Acme",
    "+1 650 253 0000": "Acme",
  });
});

describe("fields", () => {
  find("/lead/", {
    "id:{Acme}": "Acme",
    "lead_id:{Acme}": "Acme",
    "id in ({Acme}, {Zenith})": "Acme, Zenith",
    "name:acme": "Acme",
    'name:"ACME"': "Acme",
    "name:acm*": "Acme",
    "name:*acme*": "Acme",
    'name="zenith"': "Zenith",
    'company:"Acme"': "Acme",
    'company:"Acme" sort:created': "Acme",
    "lead_name:zenith": "Zenith",
    "display_name:void": "Void",
    "status:Qualified": "Acme",
    'status:"Qualified"': "Acme",
    'lead_status:"Qualified"': "Acme",
    "status_label:qualified": "Acme",
    "status:Potential": "Void, Zenith",
    "status!=Potential": "Acme, Nimbus",
    "status<>Potential": "Acme, Nimbus",
    'not status:"Potential"': "Acme, Nimbus",
    "status in (Qualified, Customer)": "Acme, Nimbus",
    "status not in (Qualified, Customer)": "Void, Zenith",
    "status:(Qualified or Customer)": "Acme, Nimbus",
    '(lead_status:"Qualified" or lead_status:"Customer")': "Acme, Nimbus",
    "url:acme.example": "Acme",
    "website:acme.example": "Acme",
    "description:anvils": "Acme",
    "industry:steel": "Acme",
    'industry:""': "Nimbus, Void",
    "industry=steel": "Acme",
    "industry =steel": "Acme",
    "industry in (Steel, Software)": "Acme, Zenith",
    "email:info@acme.example": "Acme",
    'email_address:"anna@work.example" sort:created': "Acme",
    "email:*@acme.example": "Acme",
    'email:"@work.example"': "Acme",
    "email_address:*": "Acme",
    "not email_address:*": "Nimbus, Void, Zenith",
    'email:""': "Nimbus, Void, Zenith",
    "phone:6502530000": "Acme",
    'phone_number:"+44 20 7946 0958"': "Acme",
    "phone:*": "Acme",
    "contact:schmidt": "Acme",
    'contact:"Otto Meier"': "Zenith",
    "owner:me": "Acme",
    "user:me": "Acme",
    "owner:*": "Acme, Zenith",
    'owner:""': "Nimbus, Void",
    "owner:{group}": "Zenith",
    'owner:"Sales North"': "Zenith",
    "tag:hot": "Acme",
    "tags:(hot or cold)": "Acme, Nimbus",
    "city:lyon": "Acme",
    'city:"san jose"': "Acme",
    "state:CA": "Acme",
    "zip:95112": "Acme",
    "country:US": "Acme",
    'country:"United States"': "Acme",
    "mrr>=500": "Acme",
    "mrr > 499 and mrr < 501": "Acme",
    "mrr:100..500": "Acme",
    "mrr:501..": "",
    "mrr:[100 TO 500]": "Acme",
    "mrr:[* TO *]": "Acme",
    "created_by:me": all,
  });
});

describe("how many there are", () => {
  find("/lead/", {
    "contacts > 1": "Acme",
    "sort:created contacts > 1": "Acme",
    "contacts:0": "Nimbus, Void",
    "contacts = 1": "Zenith",
    "contacts >=1": "Acme, Zenith",
    "num_contacts>1": "Acme",
    "calls > 0": "Acme",
    "calls:2": "Acme",
    "calls:0": "Nimbus, Void, Zenith",
    "outgoing_calls > 0": "Acme",
    "missed_calls > 0": "",
    "emails > 0": "Zenith",
    "sent_emails >= 1": "Zenith",
    "sms > 0": "Zenith",
    "sms_messages > 0": "Zenith",
    "notes >= 1": "Zenith",
    "meetings > 0": "Nimbus",
    "completed_meetings = 1": "Nimbus",
    "activities > 1": "Acme, Zenith",
    "activities:0": "Void",
    "tasks > 0": "Nimbus, Zenith",
    "incomplete_tasks > 0": "Zenith",
    "opportunities > 0": "Acme, Zenith",
    "deals > 0": "Acme, Zenith",
    "won_opportunities:1..5": "Acme",
    "addresses > 1 sort:activities": "Acme",
    "email_addresses > 1": "Acme",
    "phone_numbers > 1": "Acme",
    "phones > 1": "Acme",
    "urls:1": "Acme",
    "times_communicated > 1": "Acme, Zenith",
  });
});

describe("conditions of presence and absence", () => {
  find("/lead/", {
    "has:calls": "Acme",
    "has:call": "Acme",
    "has:emails": "Zenith",
    "has:email": "Acme",
    "not has:email": "Nimbus, Void, Zenith",
    "-has:phone": "Nimbus, Void, Zenith",
    "not:email not:call": "Nimbus, Void, Zenith",
    "has:opportunities": "Acme, Zenith",
    "has:opportunity": "Acme, Zenith",
    "has:notes": "Zenith",
    "has:sms": "Zenith",
    "has:meetings or has:calls": "Acme, Nimbus",
    "has:activities": "Acme, Nimbus, Zenith",
    "has:tasks": "Nimbus, Zenith",
    "has:addresses": "Acme",
    "has:owner": "Acme, Zenith",
    "has:tags": "Acme, Nimbus",
    'has:"custom.Source CRM"': "Acme",
    "has:url": "Acme",
  });
});

describe("what is around a lead", () => {
  find("/lead/", {
    'contact(name:"Anna")': "Acme",
    "contact(title:CEO)": "Acme",
    "contact(title:CEO has:phone)": "",
    "contact(title:CTO has:phone)": "Acme",
    "contacts(title:CEO)": "Acme",
    "contact(anna ceo)": "Acme",
    "not contact(*)": "Nimbus, Void",
    'contact(custom."Buying Role":champion)': "Acme",
    'contact("Buying Role":champion)': "Acme",
    "contact(calls > 0)": "",
    "contact(sequence_subscription(sequence:*))": "",
    "contact_title:CEO": "Acme",
    "contact.name:otto": "Zenith",
    "contact_email:anna@work.example": "Acme",
    "address(city:Lyon country:FR)": "Acme",
    "address(city:Lyon country:US)": "",
    "call(duration > 60)": "Acme",
    "call(direction:inbound duration > 60)": "",
    "call(direction:inbound)": "Acme",
    'call( date >= "2020-01-01" date < "2021-06-01")': "Acme",
    'call(date < "2020-01-01")': "",
    "call(user:me)": "Acme",
    "call(left word)": "Acme",
    "call:word": "Acme",
    "calls.duration>100": "Acme",
    "sms(status:sent)": "Zenith",
    "sms( status:sent  direction:outbound )": "Zenith",
    "sms(direction:inbound)": "",
    "sms(hello)": "Zenith",
    "email(subject:proposal)": "Zenith",
    'email(status:sent date >= "7 days ago")': "Zenith",
    "email(body:terms)": "Zenith",
    "email(terms)": "Zenith",
    "email(status:draft)": "",
    "note(pricing)": "Zenith",
    "note:pricing": "Zenith",
    "notes.note:pricing": "Zenith",
    "note(created:today user:me)": "Zenith",
    "meeting(kickoff)": "Nimbus",
    "meeting(status:completed)": "Nimbus",
    "meeting(status:canceled)": "",
    "task(is:complete)": "Nimbus",
    "task(is_complete:False due:today)": "Zenith",
    "task(not is_complete:true assigned_to:me)": "",
    'task:"call back"': "Zenith",
    "task(due_date<today)": "Nimbus",
    "opportunity(status:won)": "Acme",
    "opportunity(is:won)": "Acme",
    "opportunity(status_type:active value > 1000)": "Zenith",
    "opportunity(value:[1 TO 6000])": "Zenith",
    "opportunity_status:won": "Acme",
    "opportunities.value >= 50000 opportunities.status_type:won": "Acme",
    "opportunities.user:me": "Acme",
    "opportunity(confidence < 50)": "Zenith",
    'opportunity(close_date <= "end of this month" close_date >= "first day of this month")': "Zenith",
    "deal(note:big)": "Acme",
    "has:opportunities not opportunity(is:won)": "Zenith",
  });
});

describe("when", () => {
  find("/lead/", {
    "created:today": "Nimbus, Void",
    "created:2020": "Acme",
    "created:2020-05": "Acme",
    'created:"May 2020"': "Acme",
    "created:2020-05-05": "Acme",
    "created < 2021-01-01": "Acme",
    'date_created > "2020-05-05T00:00:00" date_created < 2020-05-06': "Acme",
    "created:2020-01-01..2023-12-31": "Acme, Zenith",
    "created:[2020-01-01 TO 2023-12-31]": "Acme, Zenith",
    "created >= yesterday": "Nimbus, Void",
    'created >= "7 days ago"': "Nimbus, Void",
    'created:"last 30 days"': "Nimbus, Void",
    'created:"this year"': "Nimbus, Void",
    'created >= "first day of this month"': "Nimbus, Void",
    'created >= "beginning of this month"': "Nimbus, Void",
    "created:>=-7d": "Nimbus, Void",
    "updated:today": all,
    'date_updated>="2020-01-01T00:00" sort:date_updated': "Acme, Zenith, Nimbus, Void",
    'last_communication_date < "2 weeks ago"': "Nimbus",
    'last_communication < "2 weeks ago"': "Nimbus",
    'last_call_date > "2 weeks ago"': "Acme",
    "last_call:today": "Acme",
    "last_email:today": "Zenith",
    'last_communication:""': "Void",
    "next_task:today": "Zenith",
  });
});

describe("custom fields", () => {
  find("/lead/", {
    'custom."Deal Size":20': "Acme",
    'custom."Deal Size" > 10': "Acme",
    '"custom.Deal Size">=5': "Acme, Zenith",
    '"Deal Size" > 10': "Acme",
    'custom."Deal Size":[4 TO 6]': "Zenith",
    "custom.Grade:gold": "Acme",
    "custom.Grade in (Gold, Silver)": "Acme, Zenith",
    "Grade:silver": "Zenith",
    '"custom.Source CRM":* not "custom.Grade":silver sort:created': "Acme",
    'custom."Source CRM":"HubSpot"': "Acme",
    'not custom."Source CRM":*': "Nimbus, Void, Zenith",
    "custom.Renewal < today": "Acme",
    "custom.Renewal:2024-03": "Acme",
  });
});

describe("in what order", () => {
  find("/lead/", {
    "* sort:created": "Acme, Zenith, Nimbus, Void",
    "* sort:-created": "Void, Nimbus, Zenith, Acme",
    "sort:created desc": "Void, Nimbus, Zenith, Acme",
    "sort:name": all,
    "sort:-display_name": "Zenith, Void, Nimbus, Acme",
    "sort:company desc": "Zenith, Void, Nimbus, Acme",
    "sort:status,-name": "Nimbus, Zenith, Void, Acme",
    "sort:-activities,name": "Zenith, Acme, Nimbus, Void",
    "sort:calls, name": "Nimbus, Void, Zenith, Acme",
    "sort:-emails,name": "Zenith, Acme, Nimbus, Void",
    'sort:-custom."Deal Size",name': "Acme, Zenith, Nimbus, Void",
    "sort:last_call,-created": "Acme, Void, Nimbus, Zenith",
  });
});

describe("other lists", () => {
  find("/contact/", {
    anna: "Anna Schmidt",
    "title:CEO": "Anna Schmidt",
    "title:(CEO or CTO)": "Anna Schmidt, Bob Brown",
    "company:acme": "Anna Schmidt, Bob Brown",
    "lead_name:zenith": "Otto Meier",
    "lead(status:qualified)": "Anna Schmidt, Bob Brown",
    "lead_status:qualified": "Anna Schmidt, Bob Brown",
    "has:email": "Anna Schmidt",
    "phones:1": "Bob Brown",
    "emails > 0": "Anna Schmidt",
    "contact_name:bob": "Bob Brown",
    'custom."Buying Role":champion sort:name': "Anna Schmidt",
    "calls:0 sort:name": "Anna Schmidt, Bob Brown, Otto Meier",
  });
  find("/opportunity/", {
    "value > 6000": "Big one",
    "is:won": "Big one",
    "status:active": "Small one",
    "status_type:won": "Big one",
    "owner:me": "Big one",
    "company:zenith": "Small one",
    "date_won:today": "Big one",
    "close_date:today": "Small one",
    "lead(has:calls)": "Big one",
    "sort:-value": "Big one, Small one",
  });
  find("/task/", {
    "is:complete": "Send contract",
    "due:today": "Call back",
    'user:"Sales North"': "Call back",
    "type:lead sort:due": "Send contract, Call back",
  });
  find("/activity/", { "type:Call": "Call, Left word", "type:note": "Discussed pricing" });
  find("/activity/call/", { "duration:100..200": "Left word", "lead:acme direction:outbound": "Left word" });
});

test("slices are parts of all records, each in one of them", async () => {
  const slices = await Promise.all([1, 2, 3].map(async (i) => (await answer("/lead/", `sort:created slice:${i}/3`)).body.data));
  const narrowed = await Promise.all([1, 2].map(async (i) => (await answer("/lead/", `(has:calls) slice:${i}/2`)).body.data));

  assert.deepEqual(slices.flat().map(shownAs).sort(), all.split(", "));
  assert.deepEqual(narrowed.flat().map(shownAs), ["Acme"]);
  assert.equal((await answer("/contact/", "slice:1/1")).body.data.length, 3);
});

describe("what means nothing is refused, with what is nearest", () => {
  const refused: Record<string, RegExp> = {
    "indusrty:steel": /did you mean industry\?/,
    "contcts > 1": /did you mean contacts\?/,
    "has:cals": /did you mean calls\?/,
    "colour:red": /is not a field of lead/,
    "title:CEO": /write contact\(title:"x"\)/,
    "duration > 60": /write call\(duration:"x"\)/,
    "status:Qualifid": /^status must be one of Qualified, /,
    "status:won": /^status must be one of /,
    "owner:nobody": /^owner must be one of /,
    "cal(duration > 1)": /is not related to lead; did you mean call\?/,
    "call(direction:outbond)": /^direction must be one of outbound, inbound$/,
    "email(status:snet)": /^status must be one of sent, /,
    "is:blue": /^status must be one of /,
    "sort:activites": /the nearest are .*activit/,
    "slice:0/3": /write slice:1\/3/,
    "slice:4/3": /write slice:1\/3/,
    'in:"My smart view"': /saved searches are not kept here/,
    "created:soonish": /write created:2026-01-31/,
    "mrr:10k": /is a number/,
    "industry>5": /is text/,
    "industry:[a TO b]": /is text/,
    'custom."Deal Sise":5': /did you mean custom.Deal Size\?/,
    "call(": /./,
    "is_complete:true": /write task\(is_complete:"x"\)/,
    "statuss:won": /did you mean status\?/,
    "status:'Bad Fit'": /^double quotes are needed: status:"Bad Fit"/,
    "status_label:nope": /^status_label must be one of Qualified|^status_label must be one of /,
    "list:VIP": /^there is no list "VIP" of leads/,
  };

  for (const [query, reason] of Object.entries(refused))
    test(query, async () => {
      const { status, body } = await answer("/lead/", query);

      assert.equal(status, 400, JSON.stringify(body));
      assert.match(body["field-errors"].query, reason);
      assert.ok(body["field-errors"].query.length < 400);
    });
});
