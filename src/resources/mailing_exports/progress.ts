// How far a mailing export is, and its end.
import type { Ctx } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import { notify } from "../notifications/notify.ts";
import { type Exclusion, mailingExport } from "./mailing_export.ts";
import { platforms } from "./platforms.ts";

export type MailingExport = Row<typeof mailingExport>;

export const isOver = ({ status }: MailingExport): boolean => status !== "queued" && status !== "running";

/** The export names its first failures. */
const errorsMost = 100;

/** What became of some contacts. */
export interface Results {
  pushed: number;
  excluded: readonly Exclusion[];
  failures: readonly { contact_id: string; error: string }[];
}

/** The counters with these results, to store. */
export function counted(row: MailingExport, { pushed, excluded, failures }: Results) {
  const n_excluded = { ...row.n_excluded };
  for (const reason of excluded) n_excluded[reason] = (n_excluded[reason] ?? 0) + 1;
  return {
    n_pushed: row.n_pushed + pushed,
    n_skipped: row.n_skipped + excluded.length,
    n_excluded,
    n_failed: row.n_failed + failures.length,
    errors: [...row.errors, ...failures].slice(0, errorsMost),
  };
}

export const nameOf = ({ platform }: Pick<MailingExport, "platform">): string =>
  platforms.find((one) => one.platform === platform)?.name ?? platform;

export function complete(ctx: Ctx, row: MailingExport, file_id: string | null = null): void {
  const date_completed = ctx.now.toISOString();
  store.update(ctx, mailingExport, row, { status: "completed", error: null, file_id, date_completed }, undefined, "completed");
  const left = row.n_skipped + row.n_failed;
  const body = left === 0 ? null : `${row.n_skipped} were left out, and ${row.n_failed} were refused.`;
  tell(ctx, row, `Your export to ${nameOf(row)} is done: ${row.n_pushed} contacts`, body);
}

/** It cannot go on. Who was pushed stays so. */
export function fail(ctx: Ctx, row: MailingExport, error: string): void {
  const date_completed = ctx.now.toISOString();
  store.update(ctx, mailingExport, row, { status: "failed", error: error.slice(0, 1000), date_completed }, undefined, "failed");
  tell(ctx, row, `Your export to ${nameOf(row)} failed`, error.slice(0, 1000));
}

/** What an automation pushes, its runs show. */
function tell(ctx: Ctx, { id, created_by, run_by, automation_run_id }: MailingExport, title: string, body: string | null): void {
  if (automation_run_id !== null) return;
  notify(ctx, [run_by ?? created_by], {
    type: "export_done",
    title,
    body,
    object_type: "mailing_export",
    object_id: id,
    actor_id: null,
  });
}
