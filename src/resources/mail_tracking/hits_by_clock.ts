// Stores opens and clicks with their mails: together, some seconds later, when it is known which clicks came from a scanner.
import { type Ctx, write } from "../../core/context.ts";
import type { Row } from "../../core/resource.ts";
import { raw, sql } from "../../db/sql.ts";
import type { Due } from "../../jobs/due_rows.ts";
import { findRecords } from "../../records/records.ts";
import { lockToChange } from "../../records/references.ts";
import { email } from "../activities/email.ts";
import { type Engagement, engaged } from "../activities/engagement.ts";
import { organizationOf } from "../organization/organization.ts";
import { burstMs, type Click, isInBurst, isTooSoon } from "./machines.ts";
import { mailHit } from "./mail_hit.ts";

type Hit = Row<typeof mailHit>;
type Email = Row<typeof email>;

export const hitsToFile: Due<typeof mailHit> = {
  of: mailHit,
  when: (now) => sql`t.at <= ${new Date(now.getTime() - burstMs)}::timestamptz`,
  since: raw("t.at"),
  async act(ctx, hits) {
    const ids = [...new Set(hits.map(({ email_id }) => email_id))];
    const [mails, all] = [
      await lockToChange(ctx, email, sql`t.id = any(${ids})`),
      // Hits that are not due yet help to classify the others.
      await findRecords(ctx, mailHit, [sql`t.email_id = any(${ids})`, sql`t.kind = 'click'`], sql`limit 2000`),
    ];
    const tellsMachines = (organizationOf(ctx.directory).settings.email_tracking as { machines?: boolean } | undefined)?.machines;
    for (const mail of mails) {
      const of = <H extends { email_id: string }>(some: readonly H[]) => some.filter(({ email_id }) => email_id === mail.id);
      engaged(ctx, mail, engagementsOf(mail, of(hits), of(all)), tellsMachines === true);
    }
    forget(ctx, hits);
  },
};

/** In the order in which they happened. */
function engagementsOf(mail: Email, hits: readonly Hit[], clicks: readonly Hit[]): Engagement[] {
  const sent = mail.date_sent === null ? null : new Date(mail.date_sent);
  const before = mail.clicks.flatMap(({ clicked_at, clicked_by, url }) =>
    typeof clicked_by === "string" ? [{ at: new Date(clicked_at), address: clicked_by, url }] : [],
  );
  const near = [...before, ...clicks.map(asClick)];
  return [...hits]
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .map((hit) => ({
      ...hit,
      is_machine: hit.is_machine || isTooSoon(new Date(hit.at), sent) || (hit.kind === "click" && isInBurst(asClick(hit), near)),
    }));
}

const asClick = ({ at, address, url }: Hit): Click => ({ at: new Date(at), address, url });

/** Also for mails that were deleted. */
const forget = (ctx: Ctx, hits: readonly Hit[]): void =>
  write(ctx, {
    name: "mail_hit.forget",
    text: "delete from mail_hit where organization_id = $1 and id = any($2)",
    values: [ctx.organization_id, hits.map(({ id }) => id)],
  });
