// The signed PDF of an accepted quote: it is made by a job, stored at the lead, and sent to the customer who accepted it on the page.
import type { Ctx } from "../../core/context.ts";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/resource.ts";
import { requestOf } from "../../jobs/claims.ts";
import { holdClaim, type Job, release, type Work } from "../../jobs/job.ts";
import { asSystem } from "../../records/acting.ts";
import { findRecord, lockRecord } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { insertFile, keepOwn } from "../files/store_file.ts";
import type { KeptBytes } from "../files/stored_bytes.ts";
import { notify } from "../notifications/notify.ts";
import { mailSigned } from "./mail_signed.ts";
import { quote } from "./quote.ts";
import { documentOf } from "./quote_document.ts";
import { pdfOf } from "./quote_pdf.ts";
import { ownerOf, signedQuoteKind } from "./quote_states.ts";
import { subtypeOfQuotes } from "./sent_pdf.ts";

type Quote = Row<typeof quote>;

export const signedQuoteWork: Work = {
  kind: signedQuoteKind,
  doc: "Makes the PDF of an accepted quote, and sends it to the customer who accepted it.",
  slots: 2,

  async run(core, job) {
    const document = await asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
      const found = await findRecord(ctx, quote, job.object_id);
      return found === null || !isDue(found) ? null : documentOf(ctx, found);
    });
    if (document === null) return end(core, job, null);
    const { settings, db } = core;
    const pdf = await pdfOf(settings.storage, document);
    const kept = await keepOwn({ db, settings, organization_id: job.organization_id }, pdf, "application/pdf");
    await end(core, job, kept);
  },

  async giveUp(ctx, job) {
    const found = await findRecord(ctx, quote, job.object_id);
    if (found === null) return;
    notify(ctx, [await ownerOf(ctx, found)], {
      type: "message_failed",
      title: `The signed PDF of ${found.number} could not be made`,
      body: "The page of the quote shows it all the same.",
      object_type: quote.name,
      object_id: found.id,
      lead_id: found.lead_id,
      actor_id: null,
    });
  },
};

const isDue = ({ status, signed_file_id }: Quote): boolean => status === "accepted" && signed_file_id === null;

/** The file and the mail are written once, together: whoever finds a file does nothing more. */
const end = (core: Core, job: Job, kept: KeptBytes | null): Promise<void> =>
  asSystem(core, job.organization_id, requestOf(job), async (ctx) => {
    const found = kept === null ? null : await lockRecord(ctx, quote, job.object_id).catch(() => null);
    await holdClaim(ctx, job);
    if (found !== null && kept !== null && isDue(found)) await keepSigned(ctx, found, kept);
    release(ctx, job, null);
  });

async function keepSigned(ctx: Ctx, found: Quote, kept: KeptBytes): Promise<void> {
  const { lead_id, contact_id, opportunity_id } = found;
  const name = `${found.number}-signed.pdf`;
  const places = { lead_id, contact_id, opportunity_id, subtype: subtypeOfQuotes(ctx) };
  const { id: signed_file_id } = await insertFile(ctx, kept, { name, ...places, is_system: true });
  store.update(ctx, quote, found, { signed_file_id });
  await mailSigned(ctx, found);
}
