// The states of a quote: the allowed steps between them, and what each step does.
import { randomBytes } from "node:crypto";
import { hashOf } from "../../auth/unscoped.ts";
import type { Ctx } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import type { Row, Values } from "../../core/resource.ts";
import { wake } from "../../jobs/job.ts";
import { changedFields, emit } from "../../records/event.ts";
import { createRecord, findRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { note } from "../activities/note.ts";
import { notify } from "../notifications/notify.ts";
import { opportunity } from "../opportunities/opportunity.ts";
import { replaceLineItems } from "../opportunities/replace_line_items.ts";
import { fixParties } from "./fix_parties.ts";
import { type QuoteState, quote, stateNow, todayOf, tokenPlace } from "./quote.ts";
import { sharedTotals } from "./quote_totals.ts";

type Quote = Row<typeof quote>;

/** The job that makes the signed PDF. */
export const signedQuoteKind = "signed_quote";

const next: Readonly<Record<QuoteState, readonly QuoteState[]>> = {
  draft: ["open", "canceled"],
  open: ["accepted", "declined", "expired", "canceled", "draft"],
  accepted: [],
  declined: [],
  expired: [],
  canceled: [],
};

/** The events for entering a state. A quote that becomes a draft again has only its `updated` event. */
const actions: Partial<Record<QuoteState, string>> = {
  open: "sent",
  accepted: "accepted",
  declined: "declined",
  expired: "expired",
  canceled: "canceled",
};

/** The person who answered on the public page. Null when a member records an answer given elsewhere. */
export interface Signer {
  name: string;
  email: string | null;
}

/** Refuses a step that is not allowed, and sending a quote that is empty or has expired. */
export function checkStep(ctx: Ctx, before: Quote, to: QuoteState, values: Values<typeof quote> = {}): void {
  if (before.status === to) return;
  if (!next[before.status].includes(to)) throw invalid({ status: cannot(before.status, to) });
  if (to !== "open") return;
  const { line_items, expires_at } = { ...before, ...values };
  if (line_items.length === 0) throw invalid({ line_items: "must not be empty when the quote is sent" });
  if (expires_at !== null && expires_at < todayOf(ctx.directory, ctx.now))
    throw invalid({ expires_at: "is in the past: set a later day to send the quote" });
}

function cannot(from: QuoteState, to: QuoteState): string {
  const steps = next[from];
  return `cannot go from ${from} to ${to}: ${steps.length === 0 ? `${from} is final` : `it can become ${steps.join(", ")}`}`;
}

/** Writes a change, including a step to another state and what follows from it. */
export async function changeQuote(
  ctx: Ctx,
  before: Quote,
  values: Values<typeof quote>,
  signer: Signer | null = null,
): Promise<Quote> {
  const to = values.status ?? before.status;
  const stamps =
    to === before.status
      ? {}
      : { ...(await fixParties(ctx, { ...before, ...values } as Quote)), ...stampsOf(ctx, before, to, signer) };
  const after = store.update(ctx, quote, before, { ...values, ...stamps });
  if (after.status === before.status) return after;

  const action = actions[to];
  if (action !== undefined) emit(ctx, quote, { action, before, after, changed: changedFields(quote, before, after) });
  if (to === "accepted" && after.opportunity_id !== null) await agree(ctx, after, after.opportunity_id);
  if (to === "accepted") wake(ctx, { kind: signedQuoteKind }, [after.id]);
  if (to === "accepted" || to === "declined") await tell(ctx, after, signer);
  if (signer !== null) await writeDown(ctx, after, signer);
  return after;
}

/** Stores that the quote has expired, if its last day is over. Reads show it anyway. */
export async function settled(ctx: Ctx, before: Quote): Promise<Quote> {
  const status = stateNow(ctx.directory, before.status, before.expires_at, ctx);
  return status === before.status ? before : changeQuote(ctx, before, { status });
}

function stampsOf(ctx: Ctx, before: Quote, to: QuoteState, signer: Signer | null): Values<typeof quote> {
  const now = ctx.now.toISOString();
  switch (to) {
    case "open":
      return { date_sent: now, ...linkOf(ctx, before) };
    case "draft":
      return { date_sent: null, file_id: null, signed_file_id: null, parties: null, logo_file_id: null };
    case "accepted":
      return {
        date_accepted: now,
        accepted_by_name: signer?.name ?? null,
        accepted_by_email: signer?.email ?? null,
        signed_file_id: null,
      };
    case "declined":
      return { date_declined: now };
    case "canceled":
      return { date_canceled: now };
    default:
      return {};
  }
}

/** The link stays the same: a quote that is corrected and sent again is found at the same address. */
function linkOf(ctx: Ctx, { id, organization_id, public_token }: Quote): Values<typeof quote> {
  if (public_token !== null) return {};
  const token = randomBytes(32).toString("base64url");
  return {
    public_token: ctx.settings.secrets.seal(token, tokenPlace(organization_id, id)),
    public_hash: hashOf(token),
  };
}

/**
 * The deal gets the agreed value. A discount on the whole quote is then distributed to its lines, so that they add up to the
 * same.
 */
async function agree(ctx: Ctx, accepted: Quote, opportunityId: string): Promise<void> {
  const shared = sharedTotals(accepted.line_items, accepted);
  const lines = accepted.line_items.map(({ id, ...line }, i) =>
    shared[i]!.discount_total === line.discount_total
      ? line
      : { ...line, discount: shared[i]!.discount_total, discount_type: "amount" as const },
  );
  await replaceLineItems(ctx, opportunityId, accepted.currency, lines);
}

/** What the customer did is a line in the lead's history, which no member wrote. */
async function writeDown(
  ctx: Ctx,
  { lead_id, contact_id, opportunity_id, number, title, status }: Quote,
  by: Signer,
): Promise<void> {
  if (lead_id === null) return;
  const who = by.email === null ? by.name : `${by.name} (${by.email})`;
  const what = title === null || title.endsWith(number) ? number : `${number}, ${title},`;
  await createRecord(ctx, note, { lead_id, contact_id, opportunity_id, note: `${who} ${status} ${what} on its page.` });
}

/** Who is told about the quote: the deal's owner, or who made it where there is no deal. */
export async function ownerOf(ctx: Ctx, { opportunity_id, created_by }: Quote): Promise<string | null> {
  const deal = opportunity_id === null ? null : await findRecord(ctx, opportunity, opportunity_id);
  return deal?.user_id ?? created_by;
}

async function tell(ctx: Ctx, answered: Quote, signer: Signer | null): Promise<void> {
  const who = signer?.name ?? answered.accepted_by_name;
  notify(ctx, [await ownerOf(ctx, answered)], {
    type: "quote_accepted",
    title: `${answered.number} was ${answered.status}${who ? ` by ${who}` : ""}`.slice(0, 255),
    body: answered.title,
    object_type: quote.name,
    object_id: answered.id,
    lead_id: answered.lead_id,
    data: { status: answered.status },
    ...(signer === null ? {} : { actor_id: null }),
  });
}
