// Secrets of a record that the service must read again: each is stored encrypted in its own column, named `sealed_…`.
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";

/** Seals a text for one column of one record: it opens nowhere else. */
export const sealFor = (ctx: Ctx, of: Resource, id: string, column: string, text: string): string =>
  ctx.settings.secrets.seal(text, { table: of.table, column, organization_id: ctx.organization_id, id });
