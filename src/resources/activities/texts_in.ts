// A received text, as the provider reports it. It is filed once, with the lead of the sender's number, or else as a prospect. An
// opt-out takes effect in the same transaction.
import type { Ctx } from "../../core/context.ts";
import type { Create, Resource } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { wake } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { createRecord, findRecords } from "../../records/records.ts";
import type { ReceivedText } from "../../services/telephony.ts";
import { parsePhone } from "../../values/phone.ts";
import { liftStops, suppress } from "../contacts/suppress.ts";
import { joinConversation } from "../conversations/join.ts";
import { received } from "../inbox/receipt.ts";
import { receiveFromStranger } from "../inbox/receive.ts";
import { withoutOurLinks } from "../mail_tracking/quoted.ts";
import { endWays } from "../sequences/stops.ts";
import { isFirst, signedRoute } from "../telephony/called.ts";
import { ourNumber } from "../telephony/own_numbers.ts";
import { wishIn } from "../telephony/stop_words.ts";
import { channelMessage, messageMax } from "./channel_message.ts";
import { tellOfHiddenText } from "./notices.ts";
import { type Whose, whoseNumber } from "./placing.ts";
import { sms, smsCarries, smsMax } from "./sms.ts";
import { textMediaJobs } from "./text_media.ts";

export const textReceived = signedRoute({
  name: "provider.message",
  parts: ["message"],
  doc: "A text that came in.",
  async run({ core, organization_id, connected, occasion, form }) {
    const given = connected.provider.readText(form);
    const text = { ...given, from: numberOf(given.from), to: numberOf(given.to) };
    if (text.id !== "" && text.from !== "")
      await received(
        (act) => asSystem(core, organization_id, occasion, act),
        (ctx) => receive(ctx, text),
      );
    return null;
  },
});

/** A sender that is not a number is stored as it came, because some use a name. */
const numberOf = (raw: string): string => parsePhone(raw, "US")?.phone ?? raw;

async function receive(ctx: Ctx, given: ReceivedText): Promise<void> {
  if (!(await isFirst(ctx, given.id))) return;
  const text = await cleaned(ctx, given);
  const whose = await whoseNumber(ctx, text.from, { number: text.to, user_id: ourNumber(ctx, text.to)?.user_id ?? null });
  const wish = text.wish ?? wishIn(text.text);
  // Some providers know words of their own that ask for no more.
  if (wish === "stop" && whose?.contact_id) await endWays(ctx, { addresses: [], contact_id: whose.contact_id }, "unsubscribed");
  const id = whose === null ? await fromStranger(ctx, text, wish !== null) : await file(ctx, text, whose);
  const said = { channel: "sms", address: text.from, reason: "unsubscribed", source: "stop_word", source_id: id } as const;
  if (wish === "stop") await suppress(ctx, said);
  if (wish === "start") await liftStops(ctx, text.from);
}

/** Somebody may pass on a link of a mail. What gets too long with the address that it leads to is cut: nobody is there to shorten it. */
async function cleaned(ctx: Ctx, given: ReceivedText): Promise<ReceivedText> {
  const { text } = await withoutOurLinks(ctx, { text: given.text, html: null });
  return text === given.text ? given : { ...given, text: text!.slice(0, given.channel === "sms" ? smsMax : messageMax) };
}

async function file(ctx: Ctx, text: ReceivedText, { lead_id, contact_id }: Whose): Promise<string> {
  const { from, to, channel } = text;
  const of: Resource = channel === "sms" ? sms : channelMessage;
  const thread_id = await lastThread(ctx, of, text, lead_id);
  const values = {
    lead_id,
    contact_id,
    conversation_id: await joinConversation(ctx, { lead_id, contact_id, channel, thread_id }),
    user_id: ourNumber(ctx, to)?.user_id ?? null,
    status: "inbox",
    local_phone: to,
    remote_phone: from,
    text: text.text || (channel === "sms" || text.media.length > 0 ? null : "(a message of a kind that cannot be shown here)"),
    attachments: attachmentsOf(text),
    ...(channel === "sms" ? { source: "Internal" } : { channel, external_message_id: text.id, remote_handle: text.name }),
  };
  const { id } = await createRecord(ctx, of, values as Create<Resource>);
  await tellOfHiddenText(ctx, values.user_id, text, lead_id);
  if (text.media.length > 0) wake(ctx, textMediaJobs, [id as string]);
  return id as string;
}

/** A text answers the earlier messages between the same two numbers. */
async function lastThread(ctx: Ctx, of: Resource, { from, to }: ReceivedText, lead_id: string): Promise<string | null> {
  const [last] = await findRecords(
    ctx,
    of,
    [
      sql`t.lead_id = ${lead_id}`,
      sql`t.remote_phone = ${from}`,
      sql`t.local_phone = ${to}`,
      sql`t.conversation_id is not null`,
      sql`exists (select from conversation c where c.organization_id = ${ctx.organization_id} and c.id = t.conversation_id and c.deleted_at is null)`,
    ],
    sql`order by t.activity_at desc, t.id desc limit 1`,
  );
  return (last?.conversation_id as string | undefined) ?? null;
}

/** The links at the provider, from where the media are fetched later. */
const attachmentsOf = ({ media }: ReceivedText) =>
  media.map(({ url, content_type }) => ({
    url,
    filename: null,
    content_type: content_type !== null && smsCarries(content_type) ? content_type : null,
    size: null,
    file_id: null,
    thumbnail_url: null,
  }));

/** A stranger who only opts out does not become a prospect. */
async function fromStranger(ctx: Ctx, text: ReceivedText, isWish: boolean): Promise<null> {
  if (isWish) return null;
  const number = ourNumber(ctx, text.to);
  await receiveFromStranger(ctx, {
    channel: text.channel,
    name: text.name,
    email: null,
    phone: text.from,
    subject: null,
    body_text: text.text,
    received_at: ctx.now.toISOString(),
    message: { to: text.to, local_phone: text.to, attachments: attachmentsOf(text) },
    user_id: number?.is_group_number ? null : number?.user_id,
  });
  return null;
}
