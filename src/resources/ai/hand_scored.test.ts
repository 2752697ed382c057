// Forty cases with what a careful person would have answered. The rules of the helpers are held to them.
import assert from "node:assert/strict";
import { before, beforeEach, describe, test } from "node:test";
import { organization, type Workspace } from "../../../test/support/given.ts";
import { service } from "../../../test/support/service.ts";

// A Wednesday.
const now = "2026-03-11T10:00:00Z";
const ago = (days: number) => new Date(Date.parse(now) - days * 86_400_000).toISOString();
const setClock = async () => {
  (await service()).clock.now = new Date(now);
};

describe("tasks and dates in text", () => {
  let acme: Workspace;
  before(async () => {
    acme = await organization();
  });
  beforeEach(setClock);

  const table: readonly (readonly [string, ...(readonly [string, string | null])[]])[] = [
    ["Ann will call us back on Monday, nothing for us to do."],
    ["Please don't send us any more mail. I should have called you yesterday."],
    ["We need to be careful with the budget."],
    ["Let's meet on 3 April at 10:00.", ["meeting", "2026-04-03"]],
    ["Thanks for the call yesterday, we will send the signed order by EOD Friday.", ["email", "2026-03-13"]],
    ["As agreed last week, please send the samples on Tuesday.", ["email", "2026-03-17"]],
    [
      "Can you review it by end of week? The invoice needs to be paid by 31/03/2026.",
      ["lead", "2026-03-13"],
      ["lead", "2026-03-31"],
    ],
    ["Remember to send Bob's invoice by the end of the month.", ["email", "2026-03-31"]],
    ["Bitte senden Sie uns das Muster bis zum 15.04. an Frau Berg.", ["email", "2026-04-15"]],
    ["Hi Bob,\nplease sign it by 20 March.\n- [ ] call Ann tomorrow\nBest,\nAnn", ["lead", "2026-03-20"], ["call", "2026-03-12"]],
  ];
  for (const [text, ...expected] of table)
    test(`"${text.replaceAll("\n", " ")}"`, async () => {
      const { tasks } = await acme.post("/ai/extract_tasks/", { text });

      assert.deepEqual(
        tasks.map(({ _type, date }: any) => [_type, date]),
        expected,
      );
    });
});

describe("a query from words", () => {
  let acme: Workspace;
  const names = new Map<string, string>();
  const kept = async (name: string, record: Promise<any>): Promise<any> => {
    const made = await record;
    names.set(made.id, name);
    return made;
  };
  before(async () => {
    await setClock();
    acme = await organization();
    const statuses = (await acme.get("/status/opportunity/")).data;
    const ofType = (type: string) => statuses.find((one: any) => one.type === type).id;
    const berlin = await kept("berlin", acme.lead({ name: "Berlin AG", addresses: [{ country: "DE", city: "Berlin" }] }));
    const hamburg = await kept("hamburg", acme.lead({ name: "Hafen KG", addresses: [{ country: "DE", city: "Hamburg" }] }));
    const lyon = await kept("lyon", acme.lead({ name: "Soie SA", addresses: [{ country: "FR", city: "Lyon" }] }));
    await kept("small", acme.opportunity({ lead_id: berlin.id, value: 900_000, expected_close_date: "2026-04-10" }));
    await kept("big", acme.opportunity({ lead_id: hamburg.id, value: 4_000_000, expected_close_date: "2026-03-20" }));
    const closed = { status_id: ofType("won"), value: 100, lead_id: lyon.id };
    await kept("won", acme.opportunity({ ...closed, date_won: "2026-03-02" }));
    await kept("won before", acme.opportunity({ ...closed, date_won: "2025-11-02" }));
    await kept("tomorrow", acme.task({ lead_id: berlin.id, text: "Ring", date: "2026-03-12" }));
    await kept("done", acme.task({ lead_id: hamburg.id, text: "Rang", date: "2026-03-12", is_complete: true }));
    const call = { direction: "outbound", status: "completed", lead_id: lyon.id };
    await kept("long", acme.post("/activity/call/", { ...call, duration: 900 }));
    await kept("short", acme.post("/activity/call/", { ...call, duration: 90 }));
    await acme.post("/ai/score_lead/", { lead_id: berlin.id });
  });
  beforeEach(setClock);

  const table: readonly (readonly [string, string, readonly string[]])[] = [
    ["leads in Berlin or Hamburg", "lead", ["berlin", "hamburg"]],
    ["leads not in Germany", "lead", ["lyon"]],
    ["companies outside of France", "lead", ["berlin", "hamburg"]],
    ["leads without open tasks", "lead", ["hamburg", "lyon"]],
    ["leads with a score over 10", "lead", ["berlin"]],
    ["deals between 5k and 10k", "opportunity", ["small"]],
    ["open deals closing next month", "opportunity", ["small"]],
    ["deals won this quarter", "opportunity", ["won"]],
    ["my open tasks due tomorrow", "task", ["tomorrow"]],
    ["calls longer than 10 minutes today", "activity.call", ["long"]],
  ];
  for (const [words, type, expected] of table)
    test(`"${words}" finds ${expected.join(" and ")}`, async () => {
      const found = await acme.post("/ai/search/", { query: words });

      assert.deepEqual(
        [found.object_type, found.data.map((one: any) => names.get(one.id) ?? one.id).toSorted()],
        [type, expected.toSorted()],
        `${found.explanation} ${JSON.stringify(found.query)}`,
      );
    });
});

describe("a score by a rubric from words", () => {
  let acme: Workspace;
  let size: string;
  before(async () => {
    acme = await organization();
    size = `custom.${(await acme.customField("lead", { name: "Employees", type: "number" })).id}`;
    const description = "Software companies in Germany with more than 50 employees, where we know a CTO. No agencies.";
    const { rubric } = await acme.post("/ai/generate_icp_rubric/", { description });
    await acme.put(`/organization/${acme.id}/`, { settings: { icp: { rubric } } });
  });

  // Weights: industry 31.58, country 21.05, size 26.32, role 21.05.
  type Case = readonly [
    string,
    { industry?: string; country?: string; employees?: number; titles?: string[] },
    number,
    string,
    string,
  ];
  const table: readonly Case[] = [
    ["who fits in all", { industry: "Software", country: "DE", employees: 51, titles: ["CTO"] }, 100, "A", "hot"],
    ["who lacks the person", { industry: "Software", country: "DE", employees: 51 }, 79, "B", "warm"],
    ["with an assistant only", { industry: "SaaS", employees: 500, titles: ["Assistant to the CTO"] }, 63, "B", "warm"],
    ["with an assistant beside the chief", { country: "DE", titles: ["Assistant to the CTO", "CTO"] }, 42, "C", "cool"],
    ["too small, elsewhere", { industry: "Software", country: "FR", employees: 50 }, 32, "D", "cold"],
    ["that is an agency", { industry: "Software agency", country: "DE", employees: 51, titles: ["CTO"] }, 0, "D", "cold"],
  ];
  for (const [who, { industry, country, employees, titles = [] }, ...expected] of table)
    test(`of a company ${who} is ${expected[0]}`, async () => {
      const lead = await acme.lead({
        industry,
        addresses: country ? [{ country }] : [],
        ...(employees && { [size]: employees }),
      });
      for (const title of titles) await acme.contact({ lead_id: lead.id, title });

      const { score, grade, tier, breakdown } = await acme.post("/ai/score_lead/", { lead_id: lead.id });

      assert.deepEqual([score, grade, tier], expected);
      for (const { points, matched, reason } of breakdown)
        assert.match(reason, points > 0 ? /^Holds: / : matched ? /^Not wanted: / : /^Does not hold: /);
    });
});

describe("a summary from facts", () => {
  let acme: Workspace;
  before(async () => {
    acme = await organization();
  });
  beforeEach(setClock);
  const mail = (lead: any, status: string, days: number, subject: string) =>
    acme.post("/activity/email/", {
      lead_id: lead.id,
      status,
      subject,
      to: ["ann@kiel.example"],
      sender: "ann@kiel.example",
      activity_at: ago(days),
      date_sent: ago(days),
    });

  interface Case {
    of: string;
    given(lead: any): Promise<unknown>;
    says: RegExp;
    highlights?: readonly string[];
    next: string;
  }
  const table: readonly Case[] = [
    {
      of: "somebody who waits for an answer",
      given: async (lead) => [await mail(lead, "sent", 5, "Offer"), await mail(lead, "inbox", 3, "Re: Offer")],
      says: /The last contact was an e-mail on 2026-03-08: “Re: Offer”\./,
      highlights: ["They wrote on 2026-03-08 and wait for an answer"],
      next: "Answer their e-mail “Re: Offer”",
    },
    {
      of: "somebody who was answered",
      given: async (lead) => [await mail(lead, "inbox", 3, "Question"), await mail(lead, "sent", 1, "Re: Question")],
      says: /The last contact was an e-mail yesterday: “Re: Question”\./,
      highlights: [],
      next: "Find out whom to talk to, and add a contact",
    },
    {
      of: "a silent one",
      given: async (lead) => [
        await acme.contact({ lead_id: lead.id, emails: [{ email: "a@b.example" }] }),
        await mail(lead, "sent", 45, "Hi"),
      ],
      says: /The last contact was an e-mail on 2026-01-25/,
      highlights: ["No contact for 45 days"],
      next: "Get in touch again after 45 days",
    },
    {
      of: "a deal without a plan",
      given: async (lead) => [
        await acme.contact({ lead_id: lead.id, phones: [{ phone: "+4943112345" }] }),
        await acme.opportunity({ lead_id: lead.id, value: 50_000, value_period: "monthly" }),
      ],
      says: /There is one open deal worth \$500\.00 monthly/,
      highlights: ["Open deals: $500.00 monthly"],
      next: "Plan the next step of the deal as a task",
    },
    {
      of: "five people",
      given: async (lead) => {
        for (const name of ["Ann", "Bob", "Cy", "Di", "Ed"]) await acme.contact({ lead_id: lead.id, name });
      },
      says: /It has 5 contacts: Ann, Bob and 3 more\./,
      next: "Find an e-mail address or a phone number",
    },
    {
      of: "two tasks, one of them late",
      given: async (lead) => [
        await acme.task({ lead_id: lead.id, text: "Later", date: "2026-03-20" }),
        await acme.task({ lead_id: lead.id, text: "Late", date: "2026-03-10" }),
      ],
      says: /There are 2 tasks to do; next, 2026-03-10: “Late”\./,
      highlights: ["A task is overdue since 2026-03-10"],
      next: "Overdue: “Late”",
    },
  ];
  for (const { of, given, says, highlights, next } of table)
    test(`of ${of}`, async () => {
      const lead = await acme.lead();
      await given(lead);

      const told = await acme.post("/ai/summarize_lead/", { lead_id: lead.id });

      assert.match(told.summary, says);
      if (highlights !== undefined) assert.deepEqual(told.highlights, highlights);
      assert.equal(told.next_steps[0], next);
    });
});

describe("a draft", () => {
  let acme: Workspace;
  let ann: any;
  before(async () => {
    acme = await organization();
    const lead = await acme.lead({ name: "Kiel Boats" });
    ann = await acme.contact({ lead_id: lead.id, name: "Ann Berg", emails: [{ email: "ann@kiel.example" }] });
  });

  const table: readonly (readonly [object, string, RegExp])[] = [
    [{}, "Following up", /^Hi Ann,\n\nI wanted to follow up .* at Kiel Boats\.\n/],
    [{ prompt: "Thank them for the meeting" }, "Thank you", /\n\nThank you for your time .*\n/],
    [{ prompt: "Remind them of the invoice" }, "Our invoice to Kiel Boats", /This is a reminder of our invoice/],
    [{ prompt: "Tell them that the price goes up in May." }, "The price goes up in May", /\n\nThe price goes up in May\.\n/],
    [
      { prompt: "Let Ann know we accept the terms", tone: "formal" },
      "We accept the terms",
      /^Dear Ann Berg,\n\nWe accept the terms\.\n/,
    ],
    [{ prompt: "Angebot", language: "de" }, "Unser Angebot für Kiel Boats", /^Hallo Ann,\n\nwie besprochen .*\n\nViele Grüße\n/s],
    [
      { prompt: "our new warehouse", tone: "direct" },
      "our new warehouse",
      /^Ann,\n\n.*: our new warehouse\.\n\nDoes this week suit you\?/,
    ],
    [
      { prompt: "Pedir una reunión", language: "es" },
      "Una reunión con Kiel Boats",
      /^Hola, Ann:\n\nMe gustaría encontrar un momento/,
    ],
  ];
  for (const [asked, subject, text] of table)
    test(`for ${JSON.stringify(asked)}`, async () => {
      const draft = await acme.post("/ai/draft_email/", { contact_id: ann.id, ...asked });

      assert.equal(draft.subject, subject);
      assert.match(draft.body_text, text);
    });
});
