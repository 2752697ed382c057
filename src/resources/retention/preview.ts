// GET /organization/{id}/retention/: how much is older than it is kept, or than it would be. Nothing is deleted by asking.
import { z } from "zod";
import { type Ctx, query } from "../../core/context.ts";
import { refuse } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import { name, sql, statement } from "../../db/sql.ts";
import { getRecord } from "../../records/records.ts";
import { reasons } from "../../values/reasons.ts";
import { onlyAdmin } from "../organization/only_admin.ts";
import { organization } from "../organization/organization.ts";
import { daysOf, type Kept, retention, retentionOf } from "../organization/retention.ts";
import { oldBefore, oldOf } from "./what_is_old.ts";

/** More are not counted. */
const countMost = 100_000;

const kinds = Object.keys(daysOf) as Kept[];
const asked = (of: string) => z.string().optional().describe(`Instead of what is set: days that ${of} would be kept.`);
const old = (of: string) =>
  z
    .strictObject({
      days: z.int().nullable().describe("Null: all of it is kept."),
      count: z.int().describe("How much of it is older than that."),
      has_more: z.boolean().describe(`Whether there is more than ${countMost.toLocaleString("en")}, which are not counted.`),
    })
    .describe(of);

export const previewRetention = operation({
  name: "organization.retention",
  method: "GET",
  path: "/organization/{id}/retention/",
  doc: "Counts what `settings.retention` deletes next, or what it would delete with other days. Only admins may.",
  permission: "manage_organization",
  mcp: false,
  group: "report",
  input: {
    id: z.string(),
    mail_days: asked("e-mails"),
    recording_days: asked("recordings and voicemails"),
    event_days: asked("events"),
  },
  output: z.strictObject({
    mail_days: old("E-mails, and people in the inbox who wrote them."),
    recording_days: old("Calls with a recording or a voicemail."),
    event_days: old("Events."),
  }),
  async run(ctx, { id, ...given }) {
    onlyAdmin(ctx, "see what would be deleted");
    const { settings } = await getRecord(ctx, organization, id);
    const days = { ...retentionOf(settings), ...daysIn(given) };
    return {
      mail_days: await countOf(ctx, "mail_days", days.mail_days),
      recording_days: await countOf(ctx, "recording_days", days.recording_days),
      event_days: await countOf(ctx, "event_days", days.event_days),
    };
  },
});

/** By the same rules as the settings. */
function daysIn(given: { [K in Kept]?: string | undefined }): { [K in Kept]?: number } {
  const numbers = kinds.flatMap((kept) => (given[kept] === undefined ? [] : [[kept, Number(given[kept])] as const]));
  const { data, error } = retention.safeParse(Object.fromEntries(numbers), { reportInput: true });
  if (error) refuse(reasons(error));
  return data as { [K in Kept]?: number };
}

async function countOf(ctx: Ctx, kept: Kept, days: number | null) {
  let count = 0;
  for (const { table, which } of days === null ? [] : oldOf[kept]) {
    const [row] = await query(
      ctx,
      statement(sql`select count(*) from (select from ${name(table)} t where t.organization_id = ${ctx.organization_id}
        and ${which(ctx, oldBefore(ctx.now, days!))} limit ${countMost + 1}) old`),
    );
    count += Number(row![0]);
  }
  return { days, count: Math.min(count, countMost), has_more: count > countMost };
}
