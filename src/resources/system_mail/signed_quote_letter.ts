// The mail that brings a customer the quote that they accepted.
import { buffer } from "node:stream/consumers";
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { asSystem } from "../../records/acting.ts";
import { findRecord } from "../../records/records.ts";
import { isolated } from "../../values/bidi.ts";
import { newId } from "../../values/id.ts";
import { oneLine } from "../../values/one_line.ts";
import { hasWebAddress } from "../../values/web_address.ts";
import { file } from "../files/file.ts";
import { user } from "../organization/user.ts";
import { partiesOf } from "../quotes/fix_parties.ts";
import { customerOf } from "../quotes/mail_signed.ts";
import { publicUrl, quote } from "../quotes/quote.ts";
import { ownerOf } from "../quotes/quote_states.ts";
import type { Composed, Letter, SystemMail } from "./letter.ts";

type Quote = Row<typeof quote>;

/** Null when there is nobody to send it to, or no signed PDF any more. The PDF is read after the transaction. */
export async function signedQuoteLetter(core: Core, mail: SystemMail): Promise<Composed> {
  const found = await asSystem(core, mail.organization_id, { id: newId("req"), method: "", path: "" }, async (ctx) => {
    const signed = await findRecord(ctx, quote, mail.quote_id!);
    const kept = signed?.signed_file_id ? await findRecord(ctx, file, signed.signed_file_id) : null;
    const to = signed === null ? null : await customerOf(ctx, signed);
    if (signed === null || kept === null || to === null) return null;
    const { parties } = await partiesOf(ctx, signed);
    const [{ name }, owner] = [parties.seller, await ownerOf(ctx, signed)];
    const replyTo = owner === null ? undefined : ctx.directory.get(user, owner)?.email;
    return { to, sender: name, replyTo, letter: letterOf(ctx, signed, name), kept };
  });
  if (found === null) return null;
  const { kept, ...composed } = found;
  const content = await buffer(await core.settings.storage.read(kept.storage_key));
  return { ...composed, attachments: [{ filename: kept.name, contentType: "application/pdf", content }] };
}

function letterOf(ctx: Ctx, signed: Quote, seller: string): Letter {
  const { id, organization_id, public_token, status } = signed;
  const of = isolated(oneLine(seller));
  const name =
    signed.title === null || signed.title.endsWith(signed.number) || hasWebAddress(signed.title)
      ? signed.number
      : `${signed.number}, ${isolated(oneLine(signed.title))}`;
  // Whoever has the page writes the name, so it must not become a link in a mail to somebody else.
  const by = signed.accepted_by_name;
  const who = by === null || hasWebAddress(by) ? "You" : isolated(oneLine(by));
  return {
    subject: `${name}: accepted`,
    parts: [
      {
        words: `${who} accepted quote ${name} of ${of}. It is attached, with the acceptance on it.`,
      },
      { button: "Read it online", href: publicUrl(ctx.directory, organization_id, id, public_token, status, ctx)! },
      { words: `If you did not accept it, please tell ${of}: an answer to this mail reaches them.`, small: true },
    ],
  };
}
