// `POST /contact/share_bulk/`: many contacts are shared with another organization. The run is stored with its items, and a job does them.
import { z } from "zod";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { wake } from "../../jobs/job.ts";
import { spendAhead } from "../../records/budgets.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { covered, takeSnapshot } from "../bulk_actions/snapshot.ts";
import { noteUnknown, unknownIds } from "../bulk_actions/unknown_ids.ts";
import { contact } from "../contacts/contact.ts";
import { seesAllInBoth } from "../contacts/sharing.ts";
import { enterAsMember } from "../shared/elsewhere.ts";
import { checkSaysSomething, readSelection, selectionInput } from "../shared/selection.ts";
import { shareBulk } from "./share_bulk.ts";
import { shareJobs } from "./share_jobs.ts";

const { all, query, contact_ids } = selectionInput;

export const startShareBulk = operation({
  name: "share_bulk.create",
  method: "POST",
  path: "/contact/share_bulk/",
  doc: "Shares many contacts with another organization of yours, in the background.",
  permission: "view_all_leads",
  group: "bulk",
  scope: "write_destructive",
  narrows: true,
  status: 201,
  input: {
    organization_id: z.string().describe("The other organization, of which you are a member."),
    all,
    query,
    contact_ids,
  },
  get output() {
    return outputSchema(shareBulk);
  },
  async run(ctx, { organization_id, ...given }) {
    const selector = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
    if (Object.keys(selector).length !== 1)
      throw invalid({ all: "must be given, or query, or contact_ids: exactly one of them" });
    await enterAsMember(ctx, organization_id, "organization_id", seesAllInBoth);
    const selection = await readSelection(ctx, contact, selector);
    checkSaysSomething(given, selection);
    const selected = await covered(ctx, contact, selection);
    const unknown = await unknownIds(ctx, contact, selection);

    const row = store.insert(ctx, shareBulk, { target_organization_id: organization_id, selector });
    const { n_objects } = await takeSnapshot(ctx, row, selected);
    // Each copy is a contact, and may be a lead too.
    await spendAhead(ctx, { writes: n_objects });
    const errors = noteUnknown(ctx, row, unknown, n_objects).map(({ object_id, error }) => ({ contact_id: object_id, error }));
    const failed = { n_processed: unknown.length, n_failed: unknown.length, errors };
    const after = store.update(ctx, shareBulk, row, { n_total: n_objects + unknown.length, ...failed });
    wake(ctx, shareJobs, [row.id]);
    ctx.reply.headers.location = `/api/v1/contact/share_bulk/${row.id}/`;
    return showWritten(ctx, shareBulk, after);
  },
});
