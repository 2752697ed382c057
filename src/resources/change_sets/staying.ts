// Which of the created records stay when their creation is undone, and why.
import type { Ctx } from "../../core/context.ts";
import { kindOf, type Resource, type Row } from "../../core/resource.ts";
import { sql } from "../../db/sql.ts";
import { checkOwner, findRecords } from "../../records/records.ts";
import { isMessage } from "../activities/message_states.ts";
import { refusalOf } from "../shared/refused_words.ts";
import type { Past } from "./past.ts";
import { checkRight, isDeletedByHand } from "./rights.ts";
import { workedWithAmong } from "./worked_since.ts";

/** The reasons by id. They are found before anything is deleted: what was created below a record that stays, stays too. */
export async function stayingOf(
  ctx: Ctx,
  created: readonly Past[],
  asked: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const since = created.map(({ object_id, events }) => ({ id: object_id, since: events[0]!.id }));
  const worked = await workedWithAmong(ctx, since, { requests: asked });
  const stays = new Map<string, string>();
  const notes = new Set<string>();
  const owners = new Map<string, string[]>();
  for (const one of created) {
    const [row] = await findRecords(ctx, one.of, [sql`t.id = ${one.object_id}`]);
    if (row === undefined) continue;
    const kind = kindOf(one.of, row);
    owners.set(one.object_id, ownersOf(kind, row));
    const reason = reasonToStay(ctx, kind, row, worked.has(one.object_id));
    if (reason !== null) stays.set(one.object_id, reason);
    if (!isDeletedByHand(ctx, kind)) notes.add(one.object_id);
  }
  const above = (id: string) => owners.get(id)!.filter((owner) => owners.has(owner));
  const below = Map.groupBy(
    [...owners].flatMap(([id, all]) => all.map((owner) => ({ id, owner }))),
    ({ owner }) => owner,
  );
  const keep = (id: string, next: (id: string) => readonly string[], reason: (id: string) => string) => {
    for (const other of next(id)) {
      if (stays.has(other) || notes.has(id)) continue;
      stays.set(other, reason(id));
      keep(other, next, reason);
    }
  };
  const reasons = new Map(stays);
  for (const [id, reason] of reasons) if (reason === wasSent) keep(id, above, () => "a message that belongs to it was sent");
  const all = [...stays.keys()];
  for (const id of all)
    keep(
      id,
      (of) => below.get(of)?.map((one) => one.id) ?? [],
      (of) => `belongs to ${of}, which stays`,
    );
  return stays;
}

/** What it is deleted with. */
const ownersOf = (of: Resource, row: Row<Resource>): string[] =>
  of.columns.flatMap(([key, { ref }]) => (ref?.onDelete === "cascade" && row[key] != null ? [row[key] as string] : []));

const wasSent = "was sent, and cannot be taken back";

function reasonToStay(ctx: Ctx, kind: Resource, row: Row<Resource>, isWorkedWith: boolean): string | null {
  try {
    checkRight(ctx, kind, "delete");
    if (hasLeft(kind, row as object)) return wasSent;
    if (isWorkedWith) return "somebody has worked with it since";
    checkOwner(ctx, kind, row, "delete");
    return null;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal.words;
  }
}

const waiting = new Set(["draft", "outbox", "scheduled", "error"]);

/** A message that a customer may have. */
const hasLeft = (kind: Resource, { direction, status }: { direction?: string; status?: string }): boolean =>
  isMessage(kind) && direction?.startsWith("out") === true && !waiting.has(status!);
