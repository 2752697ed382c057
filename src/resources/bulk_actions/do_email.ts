// Writes the e-mails of a bulk action. Each leaves like any other of its author, and no address gets two.
import { type Ctx, query } from "../../core/context.ts";
import type { Create, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { createRecord, findRecords } from "../../records/records.ts";
import { emailKey } from "../../values/email.ts";
import { email } from "../activities/email.ts";
import { addressLine } from "../activities/recipients.ts";
import { contact } from "../contacts/contact.ts";
import { suppressedAmong } from "../contacts/unsubscribed_email.ts";
import { checkEmail } from "./check_outreach.ts";
import { type BulkAction, type Doing, type Done, each, gone, type Item, whyRefused } from "./doing.ts";

type Contact = Row<typeof contact>;

export const emailing: Doing = {
  permission: "bulk_email",
  of: (ctx, { contact_preference }) => ctx.registry.resource(contact_preference === "contact" ? "contact" : "lead")!,
  coversContacts: ({ contact_preference }) => contact_preference === "all",
  async stopped(ctx, action) {
    if (action.template_id === null) return "Its template was deleted: start another with one that exists";
    return whyRefused(() => checkEmail(ctx, action));
  },
  async take(ctx, action, items) {
    const people = await peopleOf(ctx, items);
    const reached = await reachedOf(ctx, action.id, [...people.values()].flat());
    return each(ctx, items, async (own, { object_id }): Promise<Done> => {
      const them = people.get(object_id);
      if (them === undefined) return object_id.startsWith("lead_") ? { status: "skipped", error: "has no contact" } : gone;
      const whom = whomToWrite(them, reached);
      if ("error" in whom) return { status: "skipped", ...whom };
      await write(own, action, whom);
      reached.written.add(emailKey(whom.address));
      return { status: "succeeded", address: emailKey(whom.address) };
    });
  },
};

/** The contacts of each item, whose record is a contact or a lead: the first one first. */
export async function peopleOf(ctx: Ctx, items: readonly Item[]): Promise<Map<string, Contact[]>> {
  const ids = items.map(({ object_id }) => object_id);
  const isOne = sql`(t.id = any(${ids}) or t.lead_id = any(${ids}))`;
  const people = await findRecords(ctx, contact, [isOne], sql`order by t.date_created, t.id`);
  const wanted = new Set(ids);
  return Map.groupBy(people, ({ id, lead_id }) => (wanted.has(id) ? id : lead_id));
}

interface Reached {
  /** Addresses that this bulk action has written to. */
  written: Set<string>;
  suppressed: ReadonlySet<string>;
}

async function reachedOf(ctx: Ctx, bulkActionId: string, people: readonly Contact[]): Promise<Reached> {
  const addresses = people.flatMap(({ emails }) => emails.map((one) => emailKey(one.email)));
  const rows = await query(
    ctx,
    statement(sql`select address from bulk_action_item where organization_id = ${ctx.organization_id}
      and bulk_action_id = ${bulkActionId} and address = any(${addresses})`),
  );
  const suppressed = await suppressedAmong(ctx, addresses, { channel: "email", scope: "marketing" });
  return { written: new Set(rows.map(([address]) => address!)), suppressed: new Set(suppressed.keys()) };
}

interface Whom {
  person: Contact;
  address: string;
}

/** The first contact with an address that may be written to, and has not been. */
function whomToWrite(people: readonly Contact[], { written, suppressed }: Reached): Whom | { error: string } {
  const all = people.flatMap((person) => person.emails.map((one) => ({ person, address: one.email })));
  if (all.length === 0) return { error: "has no e-mail address" };
  const willing = all.filter(({ address }) => !suppressed.has(emailKey(address)));
  if (willing.length === 0) return { error: "has unsubscribed, or cannot be reached" };
  const first = willing[0]!;
  return written.has(emailKey(first.address)) ? { error: "has got it already at the same address" } : first;
}

async function write(ctx: Ctx, action: BulkAction, { person, address }: Whom): Promise<void> {
  const { template_id, sender, email_account_id, subject } = action;
  const mail = {
    lead_id: person.lead_id,
    contact_id: person.id,
    to: [addressLine({ email: address, name: person.name })],
    template_id,
    ...(sender && { sender }),
    ...(email_account_id && { email_account_id }),
    ...(subject && { subject }),
    bulk_email_action_id: action.id,
    status: "outbox",
  };
  await createRecord(ctx, email, mail as unknown as Create<typeof email>);
}
