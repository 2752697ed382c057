// What moves to another organization keeps its type by name, as tags do: a type that is not there yet is made there, without fields.
import type { Ctx } from "../../core/context.ts";
import type { Resource, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import type { customActivityType } from "./custom_activity_type.ts";
import type { customObjectType } from "./custom_object_type.ts";

type Type = Row<typeof customActivityType> & Partial<Row<typeof customObjectType>>;

/** The types that one request has made in another organization, where no directory knows them yet. */
const made = new WeakMap<Ctx, Map<string, string>>();

/** The id of the type of this name in the other organization. */
export function typeElsewhere(of: Resource, id: string, here: Ctx, there: Ctx): string {
  const known = made.get(there) ?? new Map<string, string>();
  made.set(there, known);
  const type = here.directory.get(of, id) as Type;
  const name = type.name.toLowerCase();
  const types = there.directory.list(of) as readonly Type[];
  const found = known.get(name) ?? types.find((one) => one.name.toLowerCase() === name)?.id;
  if (found !== undefined) return found;

  const { name_plural, description, api_create_only } = type;
  const values = { name: type.name, description, api_create_only, ...(name_plural ? { name_plural } : {}) };
  const created = store.insert(there, of, values).id as string;
  known.set(name, created);
  return created;
}
