// Finds the records that a stored plan, such as an automation, names by id.
import type { Ctx } from "../../core/context.ts";
import { type FieldErrors, refuse } from "../../core/errors.ts";
import { findRecord } from "../../records/records.ts";
import { isActiveMember, user } from "../organization/user.ts";

export interface Named {
  at: string;
  id: string;
  /** The resources that it may be of. */
  as: readonly string[];
}

/** Refuses ids of records that do not exist, or that the caller cannot see. */
export async function checkNamed(ctx: Ctx, named: readonly Named[]): Promise<void> {
  const errors: FieldErrors = {};
  for (const { at, id, as } of named) {
    const found = await Promise.all(as.map((resource) => exists(ctx, resource, id)));
    if (!found.includes(true)) errors[at] = as.includes(user.name) ? "is not a member" : `does not exist: ${listsOf(ctx, as)}`;
  }
  refuse(errors);
}

/** Where those are that do. */
const listsOf = ({ registry }: Ctx, names: readonly string[]): string =>
  `see ${names.map((one) => `GET ${registry.resource(one)!.path}/`).join(" and ")}`;

async function exists(ctx: Ctx, name: string, id: string): Promise<boolean> {
  if (name === user.name) return isActiveMember(ctx.directory, id);
  const of = ctx.registry.resource(name)!;
  return of.cached ? ctx.directory.find(name, id) !== undefined : (await findRecord(ctx, of, id)) !== null;
}
