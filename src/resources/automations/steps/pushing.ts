// Pushes the contact of a record to a mailing platform, by a mailing export of its own: that leaves out who may not be written to, waits
// for a platform that is away, and pushes them once. The run waits for its end.
import { z } from "zod";
import { type Ctx, query } from "../../../core/context.ts";
import { mailingExport } from "../../mailing_exports/mailing_export.ts";
import { startMailingExport } from "../../mailing_exports/start_mailing_export.ts";
import { StepFailure } from "../step_failure.ts";
import type { Call, Outcome, Pending } from "./step.ts";
import { personNamed } from "./whom.ts";
import { mendable } from "./wording.ts";
import { checkMay } from "./writing.ts";

export const pushOutput = z.object({
  mailing_export_id: z.string(),
  contact_id: z.string(),
  pushed: z.boolean(),
  reason: z.string().nullable().describe("Why the contact was left out, as in `n_excluded` of the export."),
});

export const pushLacks = ({ platform }: Record<string, unknown>): string | null =>
  platform === "csv" ? "writes no files: export to csv by POST /mailing_export/" : null;

/** An export gives up after a day. */
const waitMs = 48 * 3_600_000;

export async function pushContact(call: Call): Promise<Outcome> {
  const { ctx, run, config } = call;
  checkMay(call, mailingExport, "create");
  const person = await personNamed(call, config.contact, ({ emails }) => emails.length > 0);
  const asked = { platform: config.platform, config: config.config ?? {}, filters: { contact_ids: [person.id] } };
  const row = await mendable(call, () => startMailingExport(ctx, asked, run.id));
  const output = { mailing_export_id: row.id, contact_id: person.id, pushed: false, reason: null };
  const until = new Date(ctx.now.getTime() + waitMs);
  return { output, wait: { until, port: "out", kind: "mailing_export", records: [row.id] } };
}

export async function endOfPush({ ctx, output, isOver }: Pending): Promise<Outcome | null> {
  const begun = output as z.output<typeof pushOutput>;
  const [status, pushed, excluded, error] = await endOf(ctx, begun.mailing_export_id);
  if (status === "failed" || error !== null) throw new StepFailure("mailing_export_failed", "rejected", error ?? "It failed");
  if (status === "completed") return { output: { ...begun, pushed, reason: excluded } };
  if (isOver) throw new StepFailure("mailing_export_failed", "rejected", "The mailing export did not end within two days");
  return null;
}

/** Its status, whether the contact was pushed, else why not, or why it failed or the platform refused them. */
async function endOf(ctx: Ctx, id: string): Promise<[string, boolean, string | null, string | null]> {
  const [row] = await query(ctx, {
    name: "mailing_export.end",
    text: `select status, n_pushed > 0, (select key from jsonb_object_keys(n_excluded) key limit 1),
             case when status in ('completed', 'failed') then coalesce(error, errors -> 0 ->> 'error') end
           from mailing_export where organization_id = $1 and id = $2`,
    values: [ctx.organization_id, id],
  });
  const [status, pushed, excluded, error] = row!;
  return [status!, pushed === "t", excluded ?? null, error ?? null];
}
