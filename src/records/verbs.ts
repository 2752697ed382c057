// Which functions create, change and delete records of a resource: the plain ones, or the resource's own in their place.
import type { Ctx } from "../core/context.ts";
import type { Create, Patch, Resource, Row } from "../core/resource.ts";
import { store } from "./store.ts";

export interface Verbs<R extends Resource = any> {
  create(ctx: Ctx, input: Create<R>): Promise<Row<R>>;
  update(ctx: Ctx, before: Row<R>, patch: Patch<R>): Promise<Row<R>>;
  delete(ctx: Ctx, before: Row<R>): Promise<void>;
}

const plain: (of: Resource) => Verbs = (of) => ({
  create: async (ctx, input) => store.insert(ctx, of, input as Row<Resource>),
  update: async (ctx, before, patch) => store.update(ctx, of, before, patch as Partial<Row<Resource>>),
  delete: async (ctx, before) => store.remove(ctx, of, [before]),
});

const own = new WeakMap<Resource, Verbs>();

/** Called by `standard()` with the functions that replace the plain ones. */
export function setVerbs<R extends Resource>(of: R, verbs: Partial<Verbs<R>>): void {
  own.set(of, { ...plain(of), ...verbs } as Verbs);
}

export const verbsOf = <R extends Resource>(of: R): Verbs<R> => (own.get(of) ?? plain(of)) as Verbs<R>;
