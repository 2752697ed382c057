// A record that moves to another organization keeps its type, which is matched by name as tags are. A missing type is created
// there without fields.
import type { Elsewhere } from "../../core/resource.ts";
import { store } from "../../records/store.ts";

interface Type {
  name: string;
  name_plural?: string | null;
  description: string | null;
  api_create_only: boolean;
}

export const typeElsewhere = (resource: "custom_activity_type" | "custom_object_type"): Elsewhere => ({
  by: "name",
  make({ name, name_plural, description, api_create_only }: Type, there) {
    const values = { name, description, api_create_only, ...(name_plural ? { name_plural } : {}) };
    return store.insert(there, there.registry.resource(resource)!, values).id as string;
  },
});
