// Dismisses a prospect that nobody will answer.
import { z } from "zod";
import { type Ctx, userOf } from "../../core/context.ts";
import { invalid } from "../../core/errors.ts";
import { operation } from "../../core/operation.ts";
import type { Row } from "../../core/resource.ts";
import { outputSchema } from "../../records/output_schema.ts";
import { lockRecord, showWritten } from "../../records/records.ts";
import { store } from "../../records/store.ts";
import { inboxProspect } from "./inbox_prospect.ts";

type Prospect = Row<typeof inboxProspect>;

export const dismissInboxProspect = operation({
  name: "inbox_prospect.dismiss",
  method: "POST",
  path: "/inbox_prospect/{id}/dismiss/",
  doc: "Dismisses a prospect. One that is already dismissed stays as it is. A converted one is refused.",
  permission: "member",
  input: { id: z.string() },
  output: outputSchema(inboxProspect),
  async run(ctx, { id }) {
    const before = await lockRecord(ctx, inboxProspect, id);
    if (before.status === "converted") throw invalid({ status: "is converted already" });
    return showWritten(ctx, inboxProspect, dismissProspect(ctx, before));
  },
});

export function dismissProspect(ctx: Ctx, before: Prospect): Prospect {
  if (before.status === "dismissed") return before;
  const dismissal = { status: "dismissed", dismissed_at: ctx.now.toISOString(), dismissed_by: userOf(ctx) } as const;
  return store.update(ctx, inboxProspect, before, dismissal, undefined, "dismissed");
}
