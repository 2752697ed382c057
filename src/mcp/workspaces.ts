// In which organization a call acts. A token reaches every one of its person's; a key only its own.
import type { Actor } from "../core/context.ts";
import { invalid, Problem, statuses } from "../core/errors.ts";
import type { Caller, Workspace } from "./caller.ts";
import type { Surroundings } from "./tool.ts";

export async function reachable({ core }: Surroundings, { actor, workspaces }: Caller): Promise<readonly Workspace[]> {
  if (actor.oauth !== undefined) return workspaces();
  const directory = await core.directories.of(actor.organization_id);
  const { name } = directory.find("organization", actor.organization_id) as { name: string };
  return [{ id: actor.organization_id, name, is_active: true, actor, enter: async () => true }];
}

/** By its id or exact name. What the caller may not reach is answered like what does not exist. */
export async function workspaceNamed(surroundings: Surroundings, caller: Caller, named: string): Promise<Workspace> {
  const all = await reachable(surroundings, caller);
  const byId = all.find(({ id }) => id === named);
  const found = byId === undefined ? all.filter(({ name }) => name === named) : [byId];
  if (found.length > 1)
    throw invalid({ workspace: `is the name of several: say which by its id, ${found.map(({ id }) => id).join(" or ")}` });
  if (found.length === 0) throw new Problem(404, statuses[404]!, { workspace: "is none of yours; list_workspaces names them" });
  return found[0]!;
}

/** The actor of one call: in the named organization, with the caller's role there and no wider scope than the request's. */
export async function actorFor(surroundings: Surroundings, caller: Caller, named: string | undefined): Promise<Actor> {
  if (named === undefined) return caller.actor;
  const { actor } = await workspaceNamed(surroundings, caller, named);
  return { ...actor, scopes: caller.actor.scopes, ...(caller.actor.granted && { granted: caller.actor.granted }) };
}
