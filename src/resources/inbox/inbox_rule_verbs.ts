// The verbs of inbox rules. Members write their own rules, and with `manage_customizations` those of everybody.
import { type Ctx, may, query } from "../../core/context.ts";
import { invalid, notAllowed } from "../../core/errors.ts";
import type { Create, Patch, Row } from "../../core/resource.ts";
import { sql, statement } from "../../db/sql.ts";
import { store } from "../../records/store.ts";
import { notByConnection } from "../shared/not_by_connection.ts";
import { positionMax } from "../shared/positions.ts";
import { refuseBoth } from "../shared/resolve_label.ts";
import { does } from "./apply_rules.ts";
import { inboxFolder } from "./inbox_folder.ts";
import { inboxRule } from "./inbox_rule.ts";
import type { Action } from "./rule_grammar.ts";

type InboxRule = Row<typeof inboxRule>;

export async function createInboxRule(ctx: Ctx, given: Create<typeof inboxRule>): Promise<InboxRule> {
  const values = positioned(given);
  checkMayWrite(ctx, values.user_id ?? null);
  if (forwards(values.actions)) notByConnection(ctx);
  return store.insert(ctx, inboxRule, { ...values, position: values.position ?? (await behindAll(ctx)) });
}

export async function updateInboxRule(ctx: Ctx, before: InboxRule, patch: Patch<typeof inboxRule>): Promise<InboxRule> {
  const values = positioned(patch, before);
  checkMayWrite(ctx, before.user_id);
  if (values.user_id !== undefined) checkMayWrite(ctx, values.user_id);
  const starts = values.actions !== undefined || values.is_enabled === true;
  if (starts && forwards(values.actions ?? before.actions)) notByConnection(ctx);
  if (values.is_enabled && !before.is_enabled) checkFolders(ctx, values.actions ?? before.actions);
  return store.update(ctx, inboxRule, before, values);
}

export async function deleteInboxRule(ctx: Ctx, before: InboxRule): Promise<void> {
  checkMayWrite(ctx, before.user_id);
  await store.remove(ctx, inboxRule, [before]);
}

/** It would go on when the connection has ended. */
const forwards = (actions: readonly Action[] = []): boolean => does({ actions }, "forward_to");

function checkMayWrite(ctx: Ctx, user_id: string | null): void {
  if (user_id !== ctx.actor.user_id && !may(ctx, "manage_customizations")) throw notAllowed("manage_customizations");
}

/** The rule was disabled when a folder it names was deleted. It stays so until it names another. */
function checkFolders(ctx: Ctx, actions: readonly Action[]): void {
  const place = actions.findIndex(
    ({ type, value }) => type.endsWith("_to_folder") && ctx.directory.get(inboxFolder, value as string) === undefined,
  );
  if (place >= 0) throw invalid({ [`actions.${place}.value`]: "does not exist: name another folder" });
}

function positioned<T extends { position?: number; sequence?: number | null }>(
  { sequence, ...given }: T,
  before: { position?: number } = {},
): Omit<T, "sequence"> {
  if (sequence === null) throw invalid({ sequence: "must not be null" });
  refuseBoth({ ...given, sequence }, "position", "sequence", before);
  return sequence === undefined ? given : { ...given, position: sequence };
}

async function behindAll(ctx: Ctx): Promise<number> {
  const [row] = await query(
    ctx,
    statement(sql`select coalesce(max(position) + 1, 0) from inbox_rule where organization_id = ${ctx.organization_id}`),
  );
  const position = Number(row![0]);
  if (position > positionMax) throw invalid({ position: "is required: the last place is taken" });
  return position;
}
