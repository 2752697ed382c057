// A record that moves to another organization keeps its type, which is matched by name as tags are. A type that is missing there
// is created there without fields.
import type { Elsewhere, Row } from "../../core/resource.ts";
import { store } from "../../records/store.ts";
import type { customActivityType } from "./custom_activity_type.ts";
import type { customObjectType } from "./custom_object_type.ts";

type Type = Row<typeof customActivityType> & Partial<Row<typeof customObjectType>>;

export const typeElsewhere = (resource: "custom_activity_type" | "custom_object_type"): Elsewhere => ({
  by: "name",
  make({ name, name_plural, description, api_create_only }: Type, there) {
    const values = { name, description, api_create_only, ...(name_plural ? { name_plural } : {}) };
    return store.insert(there, there.registry.resource(resource)!, values).id as string;
  },
});
