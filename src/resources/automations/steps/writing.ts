// How steps write records: by the operations of the records' own areas, with all that these check.
import { may } from "../../../core/context.ts";
import { notAllowed, paymentRequired } from "../../../core/errors.ts";
import type { Resource, Row } from "../../../core/resource.ts";
import { name, sql } from "../../../db/sql.ts";
import { ignoredFields, readCreate, readPatch } from "../../../records/input.ts";
import {
  createRecord,
  deleteRecord,
  findAnyRecord,
  findRecords,
  lockAnyRecord,
  resourceWith,
  showRecord,
  updateLocked,
} from "../../../records/records.ts";
import { refusalOf } from "../../shared/refused_words.ts";
import { recordTypes } from "../catalog.ts";
import { isObject } from "../config.ts";
import { lockSought } from "../lock_sought.ts";
import { faultOf, StepFailure } from "../step_failure.ts";
import type { Call } from "./step.ts";

export interface Target {
  kind: Resource;
  id: string;
  /** If it is locked. */
  row?: Row<Resource>;
}

type Fields = Record<string, unknown>;

export const idOf = ({ kind, id }: Target): { id: string; object_type: string } => ({ id, object_type: kind.name });

/** The record that `target` names by reference or id; by default the one the run is about. */
export async function recordNamed(call: Call): Promise<Target> {
  const id = idNamed(call);
  const found = await findAnyRecord(call.ctx, id);
  if (found === null) throw gone(id);
  return { kind: found.kind, id };
}

function idNamed({ ctx, config, run, written }: Call): string {
  const given = isObject(config.target) ? config.target.id : config.target;
  const id = given ?? run.object_id;
  if (typeof id !== "string")
    throw new StepFailure("unresolved_ref", faultOf(written.target), "There is no record to change: name one in target");
  checkChangeable(resourceWith(ctx, id)?.name);
  return id;
}

/** Members, roles, keys and other administration are changed by people, whatever rights the automation has. */
function checkChangeable(kind: string | undefined): void {
  if (kind === undefined || (recordTypes as readonly string[]).includes(kind)) return;
  const words = `A ${kind.replaceAll("_", " ")} is not changed by automations: name a record of the kinds ${recordTypes.join(", ")}`;
  throw new StepFailure("object_type_mismatch", "config", words);
}

const gone = (id: string) => new StepFailure("record_not_found", "not_found", `The record ${id} does not exist`);

/** The same, locked, because another run may change the same record at the same time. */
export async function targetOf(call: Call): Promise<Target> {
  const id = idNamed(call);
  if (call.locked?.row.id === id) return { id, ...call.locked };
  try {
    return { id, ...(await lockAnyRecord(call.ctx, id)) };
  } catch (error) {
    throw refusalOf(error)?.status === 404 ? gone(id) : error;
  }
}

/** The record as a read shows it. */
export const presentOf = async ({ ctx }: Call, { kind, id }: Target): Promise<Fields> =>
  JSON.parse((await showRecord(ctx, kind, id)).text);

/** Changes it as a request would. Where nothing differs, nothing is written and no event comes. */
export async function changeRecord({ ctx }: Call, { kind, id, row }: Target, body: Fields): Promise<void> {
  checkMay({ ctx }, kind, "update");
  ignoredFields(kind, given(body));
  const before = row ?? (await lockAnyRecord(ctx, id)).row;
  await updateLocked(ctx, kind, before, readPatch(ctx, kind, body, before));
}

/** Deletes it as a request would, with what belongs to it. */
export async function deleteTargeted({ ctx }: Call, { kind, id }: Target): Promise<void> {
  checkMay({ ctx }, kind, "delete");
  await deleteRecord(ctx, kind, id);
}

interface Maker extends Pick<Call, "ctx" | "fallback_user_id"> {
  /** The run that makes it; null before there is one. */
  run: { id: string } | null;
}

/** Somebody must have it: where nobody is named, and no member acts, who has the record of the run. */
export async function createOf(
  { ctx, run, fallback_user_id }: Maker,
  objectType: string,
  body: Fields,
  more: Fields = {},
): Promise<Target> {
  const kind = ctx.registry.resource(objectType);
  if (kind === undefined || ctx.registry.operation(`${kind.name}.create`) === undefined)
    throw new StepFailure("object_type_mismatch", "config", `A ${objectType} cannot be created by a step`);
  checkMay({ ctx }, kind, "create");
  const holder = ["user_id", "assigned_to"].find(
    (key) => kind.fields[key]?.source === "column" && kind.fields[key].mode !== "read",
  );
  const whose =
    holder !== undefined && ctx.actor.user_id === "" && fallback_user_id !== null ? { [holder]: fallback_user_id } : {};
  const { input } = readCreate(ctx, kind, given({ ...whose, ...body }));
  // Activities say which run made them.
  const made = {
    ...input,
    ...(kind.fields.automation_run_id === undefined || run === null ? {} : { automation_run_id: run.id }),
    ...more,
  };
  const row = await createRecord(ctx, kind, made);
  return { kind, id: row.id };
}

/** The oldest record with the same values in these fields. Where there is none, nobody else creates one before this transaction ends. */
export async function findAlike(
  { ctx, written }: Call,
  objectType: string,
  by: readonly string[],
  fields: Fields,
): Promise<Target | null> {
  const kind = ctx.registry.resource(objectType)!;
  const values: Record<string, string> = {};
  for (const key of by) {
    const [field, value] = [kind.fields[key], fields[key]];
    if (field?.source !== "column" || field.type !== "text" || field.hidden || typeof value !== "string")
      throw new StepFailure(
        "config_invalid",
        faultOf(written.fields),
        `dedupe.by: ${key} is not a text field that fields has a value for`,
      );
    values[key] = value;
  }
  lockSought(ctx, objectType, values);
  const conditions = Object.entries(values).map(([key, value]) => sql`lower(t.${name(key)}) = lower(${value})`);
  const [found] = await findRecords(ctx, kind, conditions, sql`order by t.id limit 1`);
  return found === undefined ? null : { kind, id: found.id };
}

/** A body as a request would send it. Unknown fields are refused. */
const given = (body: Fields) => ({ params: {}, query: {}, body, strict: true });

export function checkMay({ ctx }: Pick<Call, "ctx">, kind: Resource, verb: "create" | "update" | "delete"): void {
  const operation = ctx.registry.operation(`${kind.name}.${verb}`);
  if (operation === undefined && verb === "delete")
    throw new StepFailure("object_type_mismatch", "config", `A ${kind.name} cannot be deleted by a step`);
  const permission = operation?.permission ?? "member";
  if (permission !== "member" && !may(ctx, permission)) throw notAllowed(permission);
  if (ctx.actor.past_due) throw paymentRequired("The account is past due");
}
