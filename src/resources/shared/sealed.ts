// Secrets of a record that the service must read again. Each is stored encrypted in its own column, named `sealed_…`.
import type { Ctx } from "../../core/context.ts";
import type { Resource } from "../../core/resource.ts";

/** Seals a text for one column of one record. It opens nowhere else. */
export const sealFor = (ctx: Ctx, of: Resource, id: string, column: string, text: string): string =>
  ctx.settings.secrets.seal(text, { table: of.table, column, organization_id: ctx.organization_id, id });

/** Opens the text of one column of a record. */
export const openSealed = (
  { secrets }: Pick<Ctx["settings"], "secrets">,
  of: Resource,
  { organization_id, id }: { organization_id: string; id: string },
  column: string,
  sealed: string,
): string => secrets.open(sealed, { table: of.table, column, organization_id, id });
